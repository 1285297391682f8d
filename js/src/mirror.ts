/**
 * What a session knows of its checkpoints without asking. A mirror is open, and callers pass, from the answer to a wait
 * that passed until the checkpoint is armed: the session watches it by a call that the hub answers then.
 *
 * Invariants: a mirror is open only while such a call is unanswered, and has been sent before the wait that opened it;
 * whatever else its own session does with the checkpoint shuts it, so that a later wait is taken up by the hub in order.
 */

import { Ending, Kind, Op } from './abi.ts';
import { Cell, cellIs, cells, noMemory, openCell, setCell } from './blocking.ts';
import { type Call, type Holding, Name } from './call.ts';
import { type BlockOptions, type ReconnectOptions, checkOptions } from './options.ts';
import type { Pace } from './pace.ts';
import type { Session } from './session.ts';

export class Mirror {
  open = false;
  /** It is not to be used any more. */
  left = false;
  /** The checkpoint's cell in the memory that is shared with the hub. */
  memory: Int32Array = noMemory;
  cell = 0;
  #asked = false;
  #shut = 0; // how often it was
  #watch: Watch | undefined;

  readonly pace: Pace;

  constructor(readonly name: Name) {
    this.pace = name.session.pace;
  }

  /** Whether a caller passes here and now. */
  passes(options: ReconnectOptions | undefined): boolean {
    return this.open && (options === undefined || checkOptions(options).signal?.aborted !== true);
  }

  /** Whether it spares callers the way to the hub. */
  get passing(): boolean {
    return this.open || cellIs(this.memory, this.cell, Cell.Passes);
  }

  /** A wait that the hub decides. */
  wait(options: ReconnectOptions | undefined): Promise<void> {
    const { session } = this.name;
    if (this.#asked && this.#watch === undefined && session.dead === undefined) this.#begin(0); // one wait is not worth it
    this.#asked = true;
    const shut = this.#shut;
    const passed = (): void => void (this.open = this.#watch !== undefined && shut === this.#shut);
    return session.call(Op.Wait, this.name, passed, options);
  }

  /** A wait that blocks. */
  waitSync(memory: Int32Array, cell: number, options: BlockOptions | undefined): void {
    if (this.#watch?.cell !== cell + 1 || cellIs(memory, cell, Cell.Ask)) {
      this.#end();
      this.memory = memory;
      this.cell = cell;
      setCell(memory, cell, Cell.Watched);
      this.#begin(cell + 1);
    }
    this.name.session.callSync(Op.Wait, this.name, options);
    if (this.#watch !== undefined) openCell(memory, cell);
  }

  /** Others are to ask the hub. */
  shut(): void {
    this.open = false;
    this.#shut++;
    setCell(this.memory, this.cell, Cell.Ask);
  }

  leave(): void {
    this.left = true;
    this.shut();
    this.memory = noMemory; // the cell may be another's soon
    this.#end();
  }

  #begin(cell: number): void {
    if (this.name.session.limited) return; // it is one call more
    const watch = new Watch(this, cell);
    this.#watch = watch.over ? undefined : watch;
  }

  #end(): void {
    const watch = this.#watch;
    this.#watch = undefined;
    if (watch !== undefined) this.name.session.end(watch.call, Ending.Back);
  }

  /** The watch has ended. */
  over(watch: Watch): void {
    if (watch !== this.#watch) return;
    this.#watch = undefined;
    this.shut();
  }
}

/** What the call holds that watches a checkpoint; it holds nothing, and is told when that call ends. */
class Watch implements Holding {
  readonly live = false;
  readonly call: Call;
  over = false;

  /** A cell above 0 is that of the mirror, counted from 1: the hub writes to it. */
  constructor(readonly mirror: Mirror, readonly cell: number) {
    this.call = mirror.name.session.watch(mirror.name, this, cell);
  }

  ended(): void {
    this.over = true;
    this.mirror.over(this);
  }

  lose(): void {}
}

/** The mirrors of a session: of so many checkpoints as have cells. */
export class Mirrors {
  #mirrors = new Map<string, Mirror>();
  #cells: Mirror[] = [];

  constructor(readonly session: Session) {}

  of(text: string): Mirror {
    let mirror = this.#mirrors.get(text);
    if (mirror === undefined) {
      mirror = new Mirror(new Name(this.session, Kind.Checkpoint, text));
      if (this.#mirrors.size === cells) this.#drop();
      this.#mirrors.set(text, mirror);
    }
    return mirror;
  }

  /** Drops the oldest of those that do not pass, or the oldest of all. */
  #drop(): void {
    const all = [...this.#mirrors.values()];
    const mirror = all.find((each) => !each.passing) ?? all[0]!;
    this.#mirrors.delete(mirror.name.text);
    mirror.leave();
  }

  /** Has it not pass before the hub was asked. */
  shut(text: string): void {
    this.#mirrors.get(text)?.shut();
  }

  /** The cell of a mirror: one that no other has that is in use. */
  cellOf(mirror: Mirror): number {
    let cell = this.#cells.indexOf(mirror);
    if (cell < 0) cell = this.#cells.findIndex((former) => former.left);
    if (cell < 0) cell = this.#cells.length;
    this.#cells[cell] = mirror;
    return cell;
  }
}
