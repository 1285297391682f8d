/** The public types, each as it is meant to be: a change of one is a change of this file. */

import type {
  AcquireOptions, Attachable, Attachment, AttachOptions, Barrier, BarrierStats, BlockOptions, Checkpoint, CheckpointStats, ClosedPool,
  Condition, ConditionStats, Connectable, ConnectOptions, CountdownLatch, Event, EventStats, GoClass, Guard, HubOptions, HubStats,
  LatchStats, Leak, Lease, Lock, LockManager, LockStats, ModuleSource, NodeWorker, Once, Outstanding, Permit, PermitOptions, Pool,
  PoolOptions, PoolStats, PutOptions, Queue, QueueOptions, QueueStats, ReconnectOptions, ReentrantLock, ReentrantOptions, Ref,
  ResourceFunctions, RWLock, RWLockOptions, Semaphore, SemaphoreStats, ServeOptions, SharedResource, SharedResourceStats, SharedTask,
  SharedTaskStats, Signal, SignalStats, Token, WaitOptions, WebLock, WebLockCallback, WebLockInfo, WebLockOptions, WebLockSnapshot,
} from 'clca';
import * as clca from 'clca';
import * as client from 'clca/client';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles if the two types are the same. */
declare function same<A, B>(...proof: Same<A, B> extends true ? [] : [never]): void;

/** What everybody can see of a class. */
type Seen<T> = { [K in keyof T]: T[K] };

// The modules.

type Errors =
  | 'AlreadyArmedError' | 'BrokenBarrierError' | 'ClcaError' | 'ClosedError' | 'DeniedError' | 'DisarmedError' | 'HubLostError' | 'LimitError'
  | 'LoadError' | 'MismatchError' | 'NoConsumersError' | 'NotOwnerError' | 'OverReleaseError' | 'OwnerLostError' | 'StolenError'
  | 'SuspendedError' | 'TooLargeError' | 'UnsupportedError' | 'VersionError';
same<keyof typeof client, 'connect' | 'Hub' | Errors>();
same<keyof typeof clca, 'createHub' | 'serve' | keyof typeof client>();
same<clca.Hub, client.Hub>();
same<typeof clca.createHub, (options?: HubOptions) => Promise<clca.Hub>>();
same<typeof clca.serve, (options?: ServeOptions) => void>();
same<typeof clca.connect, (target?: Connectable | ConnectOptions, options?: ConnectOptions) => Promise<clca.Hub>>();

// The hub.

type Run<T> = (signal: AbortSignal) => T | PromiseLike<T>;
same<Seen<clca.Hub>, {
  readonly closed: Promise<Error | undefined>;
  signal(name: string): Signal;
  checkpoint(name: string): Checkpoint;
  sharedTask<T>(name: string, run: Run<T>): SharedTask<T>;
  sharedResource<T>(name: string, functions: ResourceFunctions<T>): SharedResource<T>;
  lock(name: string): Lock;
  reentrantLock(name: string): ReentrantLock;
  rwlock(name: string): RWLock;
  readonly locks: LockManager;
  semaphore(name: string, permits: number): Semaphore;
  event(name: string): Event;
  condition(lock: Lock, name?: string): Condition;
  barrier(name: string, parties: number): Barrier;
  latch(name: string, count: number): CountdownLatch;
  queue<T = unknown>(name: string, options?: QueueOptions): Queue<T>;
  pool<T>(name: string, options: PoolOptions<T>): Pool<T>;
  once<T>(name: string, run: Run<T>): Once<T>;
  attach(target: Attachable, limits?: AttachOptions): Attachment;
  close(): Promise<void>;
  stats(): Promise<HubStats>;
  readonly go: Record<string, any>;
  [Symbol.asyncDispose](): Promise<void>;
}>();
same<Seen<Attachment>, { end(): void }>();
same<AttachOptions, { prefix?: string | undefined; limit?: number | undefined }>();
same<HubStats, { sessions: number; names: number; calls: number; runs: number; dropped: number; unreported: number }>();
same<Connectable, MessagePort | SharedWorker | Worker | NodeWorker>();
same<Attachable, MessagePort | Worker | NodeWorker>();
same<ModuleSource, Given | PromiseLike<Given>>();
type Given = string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;
same<GoClass, new () => unknown>();

// What calls can be told.

type Waits = { signal?: AbortSignal | undefined; timeout?: number | undefined };
type Reconnects = Waits & { reconnect?: boolean | undefined };
type Acquires = Reconnects & { priority?: number | undefined };
same<Seen<WaitOptions>, Seen<Waits>>();
same<Seen<BlockOptions>, { timeout?: number | undefined }>();
same<Seen<ReconnectOptions>, Seen<Reconnects>>();
same<Seen<AcquireOptions>, Seen<Acquires>>();
same<Seen<PermitOptions>, { permits?: number | undefined }>();
same<Seen<ReentrantOptions>, Seen<Acquires & { within?: Guard | undefined }>>();
same<Seen<RWLockOptions>, Seen<Acquires & { mode?: 'exclusive' | 'shared' | undefined }>>();
same<PutOptions, { transfer?: Iterable<Transferable> | undefined; priority?: number | undefined }>();
same<QueueOptions, { capacity?: number | undefined; order?: 'fifo' | 'lifo' | 'priority' | undefined }>();
same<Seen<ConnectOptions>, Seen<Waits & { onReconnect?: (() => void) | undefined; trace?: clca.Trace | undefined }>>();
same<Seen<HubOptions>, Seen<ConnectOptions & {
  where?: 'here' | 'worker' | 'shared' | undefined;
  name?: string | undefined;
  wasm?: ModuleSource | undefined;
  Go?: GoClass | undefined;
  go?: object | undefined;
  instance?: WebAssembly.Instance | undefined;
}>>();
same<ServeOptions, {
  wasm?: ModuleSource | undefined;
  Go?: GoClass | undefined;
  name?: string | undefined;
  started?: ((hub: clca.Hub) => void) | undefined;
  trace?: clca.Trace | undefined;
}>();

// What a trace is told.

type When = { at: number };
type Id = { session: number | undefined; call: number };
same<clca.Trace, (step: clca.Step) => void>();
same<clca.Step, clca.CallStep | clca.TakenStep | clca.AnsweredStep | clca.HeldStep | clca.SessionStep>();
same<Seen<clca.CallId>, Id>();
same<Seen<clca.CallStep>, Seen<Id & When & { step: 'called' | 'joined' | 'settled' | 'cancelled' | 'released' }>>();
same<Seen<clca.TakenStep>, Seen<Id & When & { step: 'taken'; kind?: string | undefined; name?: string | undefined; op: string }>>();
same<Seen<clca.AnsweredStep>, Seen<Id & When & {
  step: 'answered';
  status: 'done' | 'result' | 'held' | 'failed' | 'rejected' | 'ended';
  value?: number | undefined;
  error?: string | undefined;
  abandoned?: true | undefined;
  by?: clca.Cause | undefined;
}>>();
same<Seen<clca.HeldStep>, Seen<Id & When & { step: 'runs' | 'lost' | 'freed'; by?: clca.Cause | undefined }>>();
same<Seen<clca.SessionStep>, Seen<When & { step: 'opened' | 'ended'; session: number; below?: number | undefined }>>();
same<clca.Cause, { session: number; call?: number | undefined }>();

// The primitives.

same<Seen<Signal>, {
  wait(options?: WaitOptions): Promise<void>;
  waitSync(options?: BlockOptions): void;
  signal(): Promise<number>;
  close(): Promise<void>;
  stats(): Promise<SignalStats>;
}>();
same<SignalStats, { waiting: number; signals: number; woken: number }>();

same<Seen<Checkpoint>, {
  arm(options?: ReconnectOptions): Promise<void>;
  wait(options?: ReconnectOptions): Promise<void>;
  waitSync(options?: BlockOptions): void;
  resume(): Promise<number>;
  disarm(): Promise<boolean>;
  close(): Promise<void>;
  stats(): Promise<CheckpointStats>;
}>();
same<CheckpointStats, { state: 'disarmed' | 'armed' | 'holding'; waiting: number; generation: number; resumed: number }>();

same<Seen<Event>, {
  wait(options?: WaitOptions): Promise<void>;
  set(): Promise<number>;
  clear(): Promise<boolean>;
  isSet(): Promise<boolean>;
  close(): Promise<void>;
  stats(): Promise<EventStats>;
}>();
same<EventStats, { set: boolean; waiting: number; sets: number }>();

same<Seen<CountdownLatch>, {
  wait(options?: WaitOptions): Promise<void>;
  countDown(n?: number): Promise<number>;
  close(): Promise<void>;
  stats(): Promise<LatchStats>;
}>();
same<LatchStats, { remaining: number; waiting: number }>();

same<Seen<Barrier>, {
  wait(options?: WaitOptions): Promise<number>;
  reset(): Promise<number>;
  isBroken(): Promise<boolean>;
  close(): Promise<void>;
  stats(): Promise<BarrierStats>;
}>();
same<BarrierStats, { parties: number; waiting: number; generation: number; broken: boolean }>();

type Locks<Options> = {
  acquire(options?: Options): Promise<Guard>;
  with<R>(use: (guard: Guard) => R | PromiseLike<R>, options?: Options): Promise<Awaited<R>>;
  isLocked(): Promise<boolean>;
  close(): Promise<void>;
  stats(): Promise<LockStats>;
};
same<Seen<Lock>, Seen<Locks<AcquireOptions> & {
  acquireSync(options?: BlockOptions & { priority?: number | undefined }): Guard;
  tryAcquire(): Promise<Guard | undefined>;
  steal(): Promise<Guard>;
}>>();
same<Seen<ReentrantLock>, Seen<Locks<ReentrantOptions> & { tryAcquire(): Promise<Guard | undefined> }>>();
same<Seen<RWLock>, Seen<Locks<RWLockOptions> & {
  tryAcquire(options?: Pick<RWLockOptions, 'mode'>): Promise<Guard | undefined>;
  steal(): Promise<Guard>;
}>>();
same<LockStats, { held: number; shared: boolean; waiting: number; tenures: number; abandoned: boolean }>();

same<Seen<LockManager>, {
  request: {
    <R>(name: string, callback: WebLockCallback<R>): Promise<Awaited<R>>;
    <R>(name: string, options: WebLockOptions, callback: WebLockCallback<R>): Promise<Awaited<R>>;
  };
  query(): Promise<WebLockSnapshot>;
  readonly [Symbol.toStringTag]: string;
}>();
same<WebLock, { readonly name: string; readonly mode: 'exclusive' | 'shared' }>();
same<WebLockCallback<1>, (lock: WebLock | null) => 1>();
same<WebLockOptions, {
  mode?: 'exclusive' | 'shared' | undefined;
  ifAvailable?: boolean | undefined;
  steal?: boolean | undefined;
  signal?: AbortSignal | undefined;
}>();
same<WebLockSnapshot, { held: WebLockInfo[]; pending: WebLockInfo[] }>();
same<WebLockInfo, { name: string; mode: 'exclusive' | 'shared'; clientId: string }>();

same<Seen<Condition>, {
  wait(guard: Guard, options?: WaitOptions): Promise<void>;
  waitFor(guard: Guard, ready: () => boolean | PromiseLike<boolean>, options?: WaitOptions): Promise<void>;
  notify(n?: number): Promise<number>;
  notifyAll(): Promise<number>;
  stats(): Promise<ConditionStats>;
}>();
same<ConditionStats, { waiting: number }>();

same<Seen<Semaphore>, {
  acquire(options?: AcquireOptions & PermitOptions): Promise<Permit>;
  tryAcquire(options?: PermitOptions): Promise<Permit | undefined>;
  with<R>(use: (permit: Permit) => R | PromiseLike<R>, options?: AcquireOptions & PermitOptions): Promise<Awaited<R>>;
  resize(permits: number): Promise<void>;
  close(): Promise<void>;
  stats(): Promise<SemaphoreStats>;
}>();
same<SemaphoreStats, { permits: number; held: number; available: number; waiting: number }>();

same<Seen<Queue<Date>>, {
  put(item: Date, options?: WaitOptions & PutOptions): Promise<void>;
  tryPut(item: Date, options?: PutOptions): Promise<boolean>;
  get(options?: ReconnectOptions): Promise<Date>;
  tryGet(): Promise<{ value: Date } | undefined>;
  taskDone(): Promise<void>;
  join(options?: WaitOptions): Promise<void>;
  close(options?: { now?: boolean | undefined }): Promise<Date[]>;
  items(options?: ReconnectOptions): AsyncIterableIterator<Date, void, undefined>;
  [Symbol.asyncIterator](): AsyncIterableIterator<Date, void, undefined>;
  stats(): Promise<QueueStats>;
}>();
same<QueueStats, { length: number; capacity: number; getting: number; putting: number; unfinished: number; puts: number }>();

same<Seen<Pool<Date>>, {
  acquire(options?: AcquireOptions): Promise<Lease<Date>>;
  tryAcquire(): Promise<Lease<Date> | undefined>;
  with<R>(use: (lease: Lease<Date>) => R | PromiseLike<R>, options?: AcquireOptions): Promise<Awaited<R>>;
  close(): Promise<ClosedPool>;
  join(options?: WaitOptions): Promise<void>;
  outstanding(): Outstanding[];
  stats(): Promise<PoolStats>;
}>();
same<PoolOptions<Date>, {
  max: number;
  create(signal: AbortSignal): Date | PromiseLike<Date>;
  destroy?(resource: Date): void | PromiseLike<void>;
  validate?(resource: Date): boolean | PromiseLike<boolean>;
  idleTime?: number | undefined;
  leakAfter?: number | undefined;
  onCreate?(resource: Date): void;
  onAcquire?(resource: Date): void;
  onRelease?(resource: Date): void;
  onDestroy?(resource: Date): void;
  onLeak?(leak: Leak<Date>): void;
}>();
same<Outstanding, { heldFor: number; stack: string | undefined }>();
same<Seen<Leak<Date>>, { kind: 'held' | 'returned' | 'collected'; resource: Date; heldFor: number; stack: string | undefined }>();
same<ClosedPool, { lent: number; here: Outstanding[] }>();
same<PoolStats, { max: number; lent: number; idle: number; creating: number; destroying: number; waiting: number }>();

same<Seen<SharedTask<Date>>, {
  wait(options?: WaitOptions): Promise<Date>;
  close(): Promise<void>;
  stats(): Promise<SharedTaskStats>;
}>();
same<SharedTaskStats, { state: 'idle' | 'running' | 'stopping' | 'done'; waiting: number; runs: number }>();

same<Seen<Once<Date>>, {
  run(options?: WaitOptions): Promise<Date>;
  isDone(): Promise<boolean>;
  close(): Promise<void>;
  stats(): Promise<SharedTaskStats>;
}>();

same<Seen<SharedResource<Date>>, {
  acquire(options?: ReconnectOptions): Promise<Ref<Date>>;
  with<R>(use: (ref: Ref<Date>) => R | PromiseLike<R>, options?: ReconnectOptions): Promise<Awaited<R>>;
  close(): Promise<void>;
  stats(): Promise<SharedResourceStats>;
}>();
same<ResourceFunctions<Date>, {
  start(signal: AbortSignal): Date | PromiseLike<Date>;
  stop?(value: Date): void | PromiseLike<void>;
}>();
same<SharedResourceStats, {
  state: 'idle' | 'starting' | 'cancelling' | 'live' | 'stopping'; waiting: number; held: number; runs: number;
}>();

// What is held.

type Held = { readonly lost: AbortSignal; release(): Promise<void>; [Symbol.asyncDispose](): Promise<void> };
same<Seen<Token>, Held>();
same<Seen<Guard>, Seen<Held & { releaseSync(): void; readonly abandoned: boolean }>>();
same<Seen<Permit>, Seen<Held & { readonly permits: number }>>();
same<Seen<Ref<Date>>, Seen<Held & { readonly value: Date }>>();
same<Seen<Lease<Date>>, Seen<Held & { readonly resource: Date; destroy(): Promise<void> }>>();

// Errors: each can be told by its class, has a word for programs, and is made without an argument or with a message.

for (const name of Object.keys(clca) as Errors[]) {
  const error: clca.ClcaError = new (clca[name] as new (message: string) => clca.ClcaError)('said');
  same<typeof error.code, string>();
}
