/**
 * What a realm shares with its hub so that its thread can be blocked: a few words of memory. A call that blocks is a call
 * like any other, but for its answer: the hub puts it into the memory, where the thread sleeps on it.
 *
 * Whoever has the memory can end the call: the hub with an answer, the hub or the realm above with the news that there is
 * none to come. The first of them wins; so does the caller who has waited long enough.
 */

import { MaxNames, type Status } from './abi.ts';
import { type ClcaError, ClosedError, HubLostError, SuspendedError } from './errors.ts';
import { isScope, node } from './platform.ts';

const enum Word {
  State, // and above it the number of the call's turn
  Call, // that blocks
  Status, // of its answer
  Value,
  Over, // why no call will be answered any more: a Why, or 0
  Cells, // of checkpoints
}

const enum State {
  Idle,
  Blocked,
  Writing,
  Answered,
  Ended,
}

const stateBits = 3;

function stateOf(word: number): State {
  return word & ((1 << stateBits) - 1);
}

/** Why a call is not answered: the hub is lost, the session is over, or it is suspended. */
export const enum Why {
  Lost = 1,
  Closed,
  Suspended,
}

/** What a checkpoint's cell says: a caller is to ask the hub; it is to ask, and will be told if it is armed; it passes. */
export const enum Cell {
  Ask,
  Watched,
  Passes,
}

/** How many checkpoints have a cell: as many as a session has names at a time. */
export const cells = MaxNames;

/** Whether this realm can share memory with those whose hub is here. */
export function canShare(): boolean {
  return canBlockSomewhere() && !isScope('SharedWorkerGlobalScope');
}

function canBlockSomewhere(): boolean {
  return typeof SharedArrayBuffer === 'function' && (node !== undefined || globalThis.crossOriginIsolated === true);
}

/** Says what keeps this realm from blocking; undefined if nothing does. */
export function whyNot(): string | undefined {
  if (typeof document === 'object' && node === undefined) return pageMayNot;
  if (!canBlockSomewhere()) {
    return 'blocking needs shared memory: the page must be cross-origin isolated, by the headers ' +
      'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
  }
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1); // it is not 1, so this returns at once
    return undefined;
  } catch {
    return pageMayNot; // nor may a service worker
  }
}

/** What keeps a call from blocking where the hub is. */
export const ownRealm = "a call cannot block in the hub's own realm: it would wait for itself";

const pageMayNot = 'a page must not block; a Worker may';

export function newMemory(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4 * (Word.Cells + cells)));
}

/** What another realm has sent as memory, if it is. */
export function asMemory(value: unknown): Int32Array<SharedArrayBuffer> | undefined {
  if (typeof SharedArrayBuffer !== 'function' || !(value instanceof SharedArrayBuffer)) return undefined;
  return value.byteLength === 4 * (Word.Cells + cells) ? new Int32Array(value) : undefined;
}

export interface Answer {
  status: Status;
  value: number;
}

// ---- for who is blocked ----

/** Blocks until the call is answered, which `send` makes; undefined if it was not in time. */
export function block(memory: Int32Array, call: number, timeout: number | undefined, send: () => void): Answer | undefined {
  const until = performance.now() + (timeout ?? Infinity);
  const turn = ((Atomics.load(memory, Word.State) >> stateBits) + 1) << stateBits;
  memory[Word.Call] = call;
  Atomics.store(memory, Word.State, turn | State.Blocked);
  if (Atomics.load(memory, Word.Over) !== 0) Atomics.store(memory, Word.State, turn | State.Ended);
  else send();
  for (;;) {
    const word = Atomics.load(memory, Word.State);
    switch (stateOf(word)) {
      case State.Answered:
        return { status: memory[Word.Status]!, value: memory[Word.Value]! >>> 0 };
      case State.Ended:
        throw ended(Atomics.load(memory, Word.Over));
    }
    const left = until - performance.now();
    if (left <= 0 && Atomics.compareExchange(memory, Word.State, turn | State.Blocked, turn) === (turn | State.Blocked)) return undefined;
    Atomics.wait(memory, Word.State, word, Math.max(left, 0));
  }
}

function ended(why: Why): ClcaError {
  switch (why) {
    case Why.Lost: return new HubLostError();
    case Why.Closed: return new ClosedError('the session was ended');
    default: return new SuspendedError();
  }
}

// ---- for who ends it ----

// The state is looked at before anything else is, and exchanged only if it is still that of the same turn: the thread may
// have stopped waiting for this call, and wait for another.

/** Gives the answer to the call if it is the one that blocks; returns whether it was. */
export function answer(memory: Int32Array, call: number, status: Status, value: number): boolean {
  const word = Atomics.load(memory, Word.State);
  if (stateOf(word) !== State.Blocked || Atomics.load(memory, Word.Call) !== call) return false;
  const turn = word - State.Blocked;
  if (Atomics.compareExchange(memory, Word.State, word, turn | State.Writing) !== word) return false;
  memory[Word.Status] = status;
  memory[Word.Value] = value;
  Atomics.store(memory, Word.State, turn | State.Answered);
  Atomics.notify(memory, Word.State);
  return true;
}

/** Ends the call that blocks, if one does, and has no checkpoint pass unasked; for good, unless it is a suspension. */
export function endBlocked(memory: Int32Array, why: Why): void {
  if (why !== Why.Suspended) Atomics.compareExchange(memory, Word.Over, 0, why);
  for (let cell = 0; cell < cells; cell++) setCell(memory, cell, Cell.Ask);
  const word = Atomics.load(memory, Word.State);
  if (stateOf(word) !== State.Blocked) return;
  if (Atomics.compareExchange(memory, Word.State, word, word - State.Blocked + State.Ended) === word) Atomics.notify(memory, Word.State);
}

// ---- checkpoints ----

export function setCell(memory: Int32Array, cell: number, to: Cell): void {
  if (cell >= 0 && cell < cells) Atomics.store(memory, Word.Cells + cell, to);
}

export function cellIs(memory: Int32Array, cell: number, state: Cell): boolean {
  return Atomics.load(memory, Word.Cells + cell) === state;
}

/** A wait has passed: others pass unasked, unless it was armed meanwhile. */
export function openCell(memory: Int32Array, cell: number): void {
  Atomics.compareExchange(memory, Word.Cells + cell, Cell.Watched, Cell.Passes);
}

/** Where no memory is shared: no cell says that one passes. */
export const noMemory = new Int32Array(Word.Cells + cells);

