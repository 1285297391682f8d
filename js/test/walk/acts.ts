/** What an actor of a walk is told to do, and how it says what happened. */

export type Kind = 'signal' | 'checkpoint' | 'event' | 'latch' | 'barrier' | 'lock' | 'reentrantLock' | 'rwlock' | 'webLock'
  | 'condition' | 'semaphore' | 'queue' | 'pool' | 'task' | 'once' | 'resource';

export const kinds: Kind[] = ['signal', 'checkpoint', 'event', 'latch', 'barrier', 'lock', 'reentrantLock', 'rwlock', 'webLock',
  'condition', 'semaphore', 'queue', 'pool', 'task', 'once', 'resource'];

/** A call on a primitive. All that is left out has its default. */
export interface CallAct {
  do: 'call';
  /** Numbers it in all of the walk. */
  call: number;
  kind: Kind;
  name: string;
  method: string;
  /** What the primitive is made with: permits, parties, a count, a maximum; of a queue its capacity, `unbounded` for Infinity. */
  made?: number;
  order?: 'fifo' | 'lifo' | 'priority';
  /** Permits, or how many are counted down or notified. */
  n?: number;
  mode?: 'exclusive' | 'shared';
  priority?: number;
  /** The call by which it holds what it needs to hold. */
  within?: number;
  /** It can be aborted. */
  signal?: boolean;
  /** It has a timeout, which never comes. */
  timeout?: boolean;
  /** What it puts moves along, and is not copied. */
  moves?: boolean;
  /** The function that it brings ends when it is aborted. */
  heeds?: boolean;
  /** The function that it brings ends by itself. */
  prompt?: 'value' | 'error';
  /** What its pool says of a resource that was used before. */
  valid?: boolean;
}

export type Act =
  | CallAct
  | { do: 'abort' | 'release' | 'destroy'; call: number }
  /** Lets a function end that was run for a call, or the callback of a lock: by its number in the actor. */
  | { do: 'finish'; run: string; how: 'value' | 'error' };

export const unbounded = 1e6;

/** In the words of a reader. */
export function described(act: Act): string {
  if (act.do !== 'call') return Object.values(act).join(' ');
  const { do: _, call, kind, name, method, ...rest } = act;
  const options = Object.entries(rest).map(([key, value]) => (value === true ? key : `${key} ${value}`));
  return `${call}: ${kind}(${name}).${method}(${options.join(', ')})`;
}

/** What a realm is told: to itself, or to one of its clients. */
export type Told =
  /** Connects a client: through the port, or in the realm's own way. */
  | { client: number; connect: MessagePort | 'own' }
  | { client: number; acts: Act[] }
  /** Says so when all that the client was told before has been taken up by the hub, and its answers have come; or, dry, has been made. */
  | { client: number; fence: number; dry: boolean }
  /** Lets in, below the client, who has the other end. */
  | { client: number; attach: MessagePort; id: number }
  | { client: number; detach: number }
  | { client: number; close: true }
  /** Does the acts, and then nothing at all until it is let go. */
  | { client: number; acts: Act[]; block: Block }
  /** Starts a Worker, which is told what to do through the port, and which the client lets in, if one is named. */
  | { start: number; control: MessagePort; client: number | undefined }
  | { terminate: number }
  | { selfClose: true };

/** What lets a blocked realm go: a word of shared memory that changes, or a server that answers. */
export type Block = SharedArrayBuffer | string;

export type Said =
  | { client: number; event: string }
  | { connected: number; error?: string }
  | { fenced: number }
  | { blocked: number };

/** Random whole numbers below what is asked, the same for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
