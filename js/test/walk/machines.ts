/** The primitives of the model, one class each: what a call does, and what its end does. */

import type { CallAct } from './acts.ts';
import { type Call, type Ending, type Model, Run } from './model.ts';

type Shape = Pick<CallAct, 'kind' | 'name' | 'made' | 'order'>;
export type Stats = Record<string, number | boolean | string | undefined>;

export abstract class Machine {
  key = '';
  calls = 0;
  closed = false;
  /** What the functions make that it runs is to be unmade. */
  lives = false;
  readonly made: number | undefined;

  constructor(readonly model: Model, readonly shape: Shape) { this.made = shape.made; }

  /** Carries out the call: answers it, or keeps it as one that waits. */
  abstract do(call: Call): void;
  /** Follows the end of one that waits. */
  abstract withdraw(call: Call): void;
  /** Follows the end of one that holds something. */
  end(_call: Call, _how: Ending): void {}
  endAll(calls: Call[]): void { for (const each of calls) this.end(each, 'gone'); }
  cancel(_call: Call): void {}
  finished(_run: Run, _how: 'value' | 'error'): void {}
  lost(_run: Run): void {}
  /** It is as good as new. */
  abstract initial(): boolean;
  abstract stats(): Stats;

  dropIfIdle(): void {
    if (this.calls > 0 || !this.initial() || this.model.names.get(this.key) !== this) return;
    this.model.names.delete(this.key);
    this.dropped();
  }
  dropped(): void {}

  protected begin(by: Call): Run {
    const run = new Run(by.session.nameRun(by.id), by.session, this, by.act);
    by.session.runs.push(run);
    by.session.toClient(() => by.session.begin(run));
    return run;
  }
  protected over(run: Run): void {
    const { runs } = run.session;
    if (runs.includes(run)) runs.splice(runs.indexOf(run), 1);
  }
}

/** Those who wait, in order: higher priorities first, then arrival. */
class Line {
  readonly all: Call[] = [];
  get length(): number { return this.all.length; }
  get first(): Call | undefined { return this.all[0]; }
  add(call: Call, role = ''): void {
    call.role = role;
    this.all.push(call);
  }
  rank(call: Call, role = ''): void {
    call.role = role;
    const at = this.all.findIndex((each) => each.priority < call.priority);
    this.all.splice(at < 0 ? this.all.length : at, 0, call);
  }
  /** Before all of its priority. */
  rankBefore(call: Call, role: string): void {
    call.role = role;
    const at = this.all.findIndex((each) => each.priority <= call.priority);
    this.all.splice(at < 0 ? this.all.length : at, 0, call);
  }
  precedes(call: Call): boolean { return this.length === 0 || this.first!.priority < call.priority; }
  remove(call: Call): void {
    const at = this.all.indexOf(call);
    if (at >= 0) this.all.splice(at, 1);
  }
  take(): Call[] { return this.all.splice(0); }
}

class Signal extends Machine {
  waiting = new Line();
  signals = 0;
  woken = 0;
  do(call: Call): void {
    switch (call.act.method) {
      case 'wait': return this.waiting.add(call);
      case 'signal': {
        const woken = this.waiting.take();
        this.signals++;
        this.woken += woken.length;
        for (const each of woken) each.done(undefined);
        return call.done(woken.length);
      }
      case 'close':
        for (const each of this.waiting.take()) each.fail('ClosedError');
        return call.done(undefined);
    }
  }
  withdraw(call: Call): void { this.waiting.remove(call); }
  initial(): boolean { return true; }
  stats(): Stats { return { waiting: this.waiting.length, signals: this.signals, woken: this.woken }; }
}

class Checkpoint extends Machine {
  state = 'disarmed';
  generation = 0;
  resumed = 0;
  waiting = new Line();
  arming: Call | undefined;
  armed: Call | undefined;
  do(call: Call): void {
    switch (call.act.method) {
      case 'arm':
        if (this.state !== 'disarmed') return call.fail('AlreadyArmedError');
        this.state = 'armed';
        this.generation++;
        this.arming = call;
        this.model.changed(this.shape.name);
        break;
      case 'wait': {
        if (this.state === 'disarmed') return call.done(undefined);
        this.state = 'holding';
        this.waiting.add(call);
        const { arming } = this;
        this.arming = undefined;
        if (arming !== undefined) {
          arming.held = this.generation;
          this.armed = arming;
          arming.grant(() => arming.settle('resolved nothing'));
        }
        break;
      }
      case 'resume': {
        const n = this.resume();
        this.lapse();
        return call.done(n);
      }
      case 'disarm': {
        const { arming } = this;
        if (arming !== undefined) {
          this.state = 'disarmed';
          this.arming = undefined;
          arming.fail('DisarmedError');
        }
        return call.done(arming !== undefined);
      }
      case 'close':
        this.state = 'disarmed';
        this.arming?.fail('ClosedError');
        this.arming = undefined;
        for (const each of this.waiting.take()) each.fail('ClosedError');
        this.model.changed(this.shape.name);
        this.lapse();
        return call.done(undefined);
    }
  }
  resume(): number {
    if (this.state !== 'holding') return 0;
    this.state = 'disarmed';
    const all = this.waiting.take();
    this.resumed += all.length;
    for (const each of all) each.done(undefined);
    return all.length;
  }
  lapse(): void {
    const { armed } = this;
    if (armed === undefined || this.state === 'holding' && this.generation === armed.held) return;
    this.armed = undefined;
    armed.ended();
  }
  withdraw(call: Call): void {
    if (call === this.arming) {
      this.arming = undefined;
      this.state = 'disarmed';
    } else this.waiting.remove(call);
  }
  override end(call: Call): void {
    if (this.generation === call.held) this.resume();
    if (this.armed === call) this.armed = undefined;
  }
  initial(): boolean { return this.state === 'disarmed'; }
  stats(): Stats {
    return { state: this.state, waiting: this.waiting.length, generation: this.generation, resumed: this.resumed };
  }
}

class Event extends Machine {
  set = false;
  sets = 0;
  waiting = new Line();
  do(call: Call): void {
    switch (call.act.method) {
      case 'wait':
        if (this.set) return call.done(undefined);
        return this.waiting.add(call);
      case 'set': {
        if (this.set) return call.done(0);
        this.set = true;
        this.sets++;
        const all = this.waiting.take();
        for (const each of all) each.done(undefined);
        return call.done(all.length);
      }
      case 'clear': {
        const was = this.set;
        this.set = false;
        return call.done(was);
      }
      case 'isSet': return call.done(this.set);
      case 'close':
        this.set = false;
        for (const each of this.waiting.take()) each.fail('ClosedError');
        return call.done(undefined);
    }
  }
  withdraw(call: Call): void { this.waiting.remove(call); }
  initial(): boolean { return !this.set; }
  stats(): Stats { return { set: this.set, waiting: this.waiting.length, sets: this.sets }; }
}

class Latch extends Machine {
  remaining = this.made!;
  waiting = new Line();
  do(call: Call): void {
    switch (call.act.method) {
      case 'wait':
        if (this.remaining === 0) return call.done(undefined);
        return this.waiting.add(call);
      case 'countDown':
        if (call.act.n! > this.remaining) return call.fail('OverReleaseError');
        this.remaining -= call.act.n!;
        if (this.remaining === 0) for (const each of this.waiting.take()) each.done(undefined);
        return call.done(this.remaining);
      case 'close':
        this.closed = true;
        for (const each of this.waiting.take()) each.fail('ClosedError');
        return call.done(undefined);
    }
  }
  withdraw(call: Call): void { this.waiting.remove(call); }
  initial(): boolean { return this.remaining === this.made || this.closed; }
  stats(): Stats { return { remaining: this.remaining, waiting: this.waiting.length }; }
}

class Barrier extends Machine {
  generation = 0;
  broken = false;
  waiting = new Line();
  do(call: Call): void {
    switch (call.act.method) {
      case 'wait': {
        if (this.broken) return call.fail('BrokenBarrierError');
        if (this.waiting.length + 1 < this.made!) return this.waiting.add(call);
        this.generation++;
        const all = this.waiting.take();
        all.forEach((each, index) => each.done(index));
        return call.done(all.length);
      }
      case 'reset': {
        const all = this.waiting.take();
        this.generation++;
        this.broken = false;
        for (const each of all) each.fail('BrokenBarrierError');
        return call.done(all.length);
      }
      case 'isBroken': return call.done(this.broken);
      case 'close':
        this.broken = false;
        for (const each of this.waiting.take()) each.fail('ClosedError');
        return call.done(undefined);
    }
  }
  withdraw(call: Call): void {
    this.waiting.remove(call);
    this.broken = true;
    for (const each of this.waiting.take()) each.fail('BrokenBarrierError');
  }
  initial(): boolean { return !this.broken; }
  stats(): Stats {
    return { parties: this.made!, waiting: this.waiting.length, generation: this.generation, broken: this.broken };
  }
}

/** Lock, ReentrantLock and RWLock. */
class Lock extends Machine {
  tenure = 0;
  /** One went that waited for it, and perhaps held it as well: how often it was handed over on the way says nobody. */
  uncounted = false;
  inside = 0;
  shared = false;
  /** Those inside came after one that went away; those who come next do. */
  abandoned = false;
  orphaned = false;
  line = new Line();
  holders = new Set<Call>();
  /** By a holder, the wait on a condition for which it has left. */
  waits = new Map<Call, Call>();
  conditions: Condition[] = [];

  admits(call: Call): boolean { return this.inside === 0 || this.shared && shares(call); }
  enter(call: Call | undefined): void {
    if (this.inside === 0) {
      this.tenure++;
      this.shared = call !== undefined && shares(call);
      this.abandoned = this.orphaned;
      this.orphaned = false;
    }
    this.inside++;
  }
  hold(call: Call): void {
    call.held = this.tenure;
    this.holders.add(call);
    call.abandoned = this.abandoned;
    call.holds(this.abandoned ? ' what was abandoned' : '');
  }
  do(call: Call): void {
    const { act } = call;
    switch (act.method) {
      case 'acquire':
        if (this.closed) return call.fail('ClosedError');
        if (!this.admits(call) || !this.line.precedes(call)) return this.line.rank(call);
        this.enter(call);
        return this.hold(call);
      case 'tryAcquire':
        if (this.closed) return call.fail('ClosedError');
        if (!this.admits(call) || this.line.length > 0) {
          if (act.kind !== 'webLock') return call.done(undefined);
          return call.answer(() => {
            if (!call.pending) return;
            call.called = true;
            call.say('called without a lock');
          });
        }
        this.enter(call);
        return this.hold(call);
      case 'steal': {
        if (this.closed) return call.fail('ClosedError');
        const former = this.tenure;
        const robbed = this.inside > 0;
        this.orphaned ||= robbed && this.abandoned; // who was told may not have dealt with it
        this.inside = 0;
        this.enter(undefined);
        if (robbed) {
          for (const each of [...this.holders]) {
            if (each.held !== former || this.waits.has(each)) continue;
            each.tellLost('StolenError');
            this.void(each);
          }
        }
        return this.hold(call);
      }
      case 'reenter': {
        const outer = call.session.made.get(act.within!)!;
        if (!this.holders.has(outer) || this.waits.has(outer) || !this.holds(outer.held)) return call.fail('NotOwnerError');
        this.inside++;
        return this.hold(call);
      }
      case 'isLocked': return call.done(this.inside > 0);
      case 'close':
        this.closed = true;
        for (const each of this.line.take()) {
          if (each.role === 'retake') this.retaken(each, each.error ?? 'ClosedError', 0);
          else each.fail('ClosedError');
        }
        for (const condition of this.conditions.splice(0)) {
          for (const each of condition.waiting.take()) this.retaken(each, 'ClosedError', 0);
        }
        return call.done(undefined);
    }
  }
  void(holder: Call): void {
    holder.state = 'void';
    this.holders.delete(holder);
  }
  holds(tenure: number): boolean { return this.inside > 0 && this.tenure === tenure; }
  release(tenure: number, gone: boolean): void {
    if (!this.holds(tenure)) return;
    if (gone && this.model.tellsAbandoned && (this.abandoned || !this.shared)) this.orphaned = true;
    this.uncounted ||= this.line.all.some((each) => each.session.ending);
    this.inside--;
    this.next();
  }
  next(): void {
    for (let call = this.line.first; call !== undefined && this.admits(call); call = this.line.first) {
      this.line.remove(call);
      this.enter(call);
      if (call.role === 'retake') this.retaken(call, call.error, this.tenure);
      else this.hold(call);
    }
  }
  /** The end of a wait on a condition, with the lock unless the tenure is 0. */
  retaken(call: Call, error: string | undefined, tenure: number): void {
    const guard = [...this.waits].find(([, wait]) => wait === call)![0];
    this.waits.delete(guard);
    guard.held = tenure;
    guard.abandoned ||= tenure !== 0 && this.abandoned;
    if (tenure === 0) {
      guard.tellLost('ClosedError');
      this.void(guard);
    }
    if (error === undefined) call.done(guard.abandoned ? 'what was abandoned' : undefined);
    else if (error === 'stop') call.ended();
    else call.fail(error);
  }
  withdraw(call: Call): void {
    this.uncounted ||= call.session.ending;
    this.line.remove(call);
    this.next();
  }
  override end(call: Call, how: Ending): void {
    this.holders.delete(call);
    const wait = this.waits.get(call);
    if (wait !== undefined) {
      this.waits.delete(call);
      (wait.machine as Condition).leave(wait);
      wait.fail('NotOwnerError');
    }
    this.release(call.held, how === 'gone' || how === 'unused' && this.abandoned && this.inside === 1);
  }
  initial(): boolean { return this.closed || this.inside === 0 && !this.orphaned; }
  stats(): Stats {
    return {
      held: this.inside, shared: this.inside > 0 && this.shared, waiting: this.line.length, ...(!this.uncounted && { tenures: this.tenure }),
      ...(this.model.tellsAbandoned && { abandoned: this.orphaned }),
    };
  }
}

const shares = (call: Call): boolean => call.act.mode === 'shared';

export class Condition extends Machine {
  waiting = new Line();
  readonly lock = this.model.lookup({ kind: 'lock', name: this.shape.name.split('/')[0]! }) as Lock;
  constructor(model: Model, shape: Shape) {
    super(model, shape);
    this.lock.calls++;
  }
  override dropped(): void {
    this.lock.calls--;
    this.lock.dropIfIdle();
  }
  do(call: Call): void {
    const { lock } = this;
    switch (call.act.method) {
      case 'wait': {
        const guard = call.session.made.get(call.act.within!)!;
        if (!lock.holders.has(guard) || lock.waits.has(guard)) return call.fail('NotOwnerError');
        if (lock.closed) return call.fail('ClosedError');
        if (!lock.holds(guard.held)) return call.fail('NotOwnerError');
        if (this.waiting.length === 0) lock.conditions.push(this);
        this.waiting.add(call, 'wait');
        lock.waits.set(guard, call);
        return lock.release(guard.held, false);
      }
      case 'notify': {
        let n = 0;
        for (; n < call.act.n! && this.waiting.length > 0; n++) this.retake(this.waiting.first!, undefined);
        return call.done(n);
      }
    }
  }
  /** Has one who waits stand in the line of the lock. */
  retake(call: Call, error: string | undefined): void {
    this.remove(call);
    call.error = error;
    this.lock.line.rank(call, 'retake');
    this.lock.next();
  }
  remove(call: Call): void {
    this.waiting.remove(call);
    if (this.waiting.length === 0) this.lock.conditions = this.lock.conditions.filter((each) => each !== this);
  }
  override cancel(call: Call): void {
    if (call.role === 'wait') this.retake(call, 'stop');
  }
  /** Takes out one who waits, without the lock. */
  leave(call: Call): void {
    if (call.role === 'wait') return this.remove(call);
    this.lock.line.remove(call);
    if (call.error === undefined && this.waiting.length > 0) this.retake(this.waiting.first!, undefined);
  }
  withdraw(call: Call): void {
    this.leave(call);
    for (const [guard, wait] of this.lock.waits) if (wait === call) this.lock.waits.delete(guard);
  }
  initial(): boolean { return true; }
  stats(): Stats { return { waiting: this.waiting.length }; }
}

class Semaphore extends Machine {
  size = this.made!;
  out = 0;
  line = new Line();
  do(call: Call): void {
    const { method, n = 1 } = call.act;
    if (method === 'close') {
      this.closed = true;
      for (const each of this.line.take()) each.fail('ClosedError');
      return call.done(undefined);
    }
    if (this.closed) return call.fail('ClosedError');
    switch (method) {
      case 'acquire':
        if (n > this.size) return call.fail('TooLargeError');
        if (n > this.size - this.out || !this.line.precedes(call)) return this.line.rank(call);
        return this.hold(call);
      case 'tryAcquire':
        if (n > this.size) return call.fail('TooLargeError');
        if (n > this.size - this.out || this.line.length > 0) return call.done(undefined);
        return this.hold(call);
      case 'resize':
        this.size = n;
        for (const each of [...this.line.all]) {
          if ((each.act.n ?? 1) <= n) continue;
          this.line.remove(each);
          each.fail('TooLargeError');
        }
        this.next();
        return call.done(undefined);
    }
  }
  hold(call: Call): void {
    this.out += call.act.n ?? 1;
    call.holds();
  }
  next(): void {
    for (let call = this.line.first; call !== undefined && (call.act.n ?? 1) <= this.size - this.out; call = this.line.first) {
      this.line.remove(call);
      this.hold(call);
    }
  }
  withdraw(call: Call): void {
    this.line.remove(call);
    this.next();
  }
  override end(call: Call): void {
    this.out -= call.act.n ?? 1;
    this.next();
  }
  initial(): boolean { return this.out === 0 && (this.size === this.made || this.closed); }
  stats(): Stats {
    return { permits: this.size, held: this.out, available: Math.max(0, this.size - this.out), waiting: this.line.length };
  }
}

interface Item {
  number: number;
  priority: number;
  at: number;
}

class Queue extends Machine {
  items: Item[] = [];
  getting = new Line();
  putting = new Line();
  joining = new Line();
  unfinished = 0;
  puts = 0;
  emptied = false;
  stamps = 0;
  do(call: Call): void {
    switch (call.act.method) {
      case 'put':
      case 'tryPut': {
        const tries = call.act.method === 'tryPut';
        if (this.closed) return call.fail('ClosedError');
        const getter = this.getting.first;
        if (getter !== undefined) {
          this.getting.remove(getter);
          this.give(getter, this.stamped(call));
        } else if (this.items.length < this.made!) {
          this.add(this.stamped(call));
        } else {
          if (tries) return call.done(false);
          return this.putting.add(call, 'put');
        }
        this.unfinished++;
        this.puts++;
        return call.done(tries ? true : undefined);
      }
      case 'get':
      case 'tryGet': {
        const item = this.next();
        if (item !== undefined) return this.give(call, item);
        if (this.closed) return call.fail('ClosedError');
        if (call.act.method === 'tryGet') return call.done(undefined);
        return this.getting.add(call, 'get');
      }
      case 'taskDone':
        if (this.unfinished === 0) return call.fail('OverReleaseError');
        this.finish(1);
        return call.done(undefined);
      case 'join':
        if (this.unfinished === 0 || this.emptied) return call.done(undefined);
        return this.joining.add(call, 'join');
      case 'close':
        this.close();
        return call.done('');
      case 'closeNow': {
        this.close();
        this.emptied = true;
        const items: number[] = [];
        while (this.items.length > 0) items.push(this.pop().number);
        this.finish(items.length);
        for (const each of this.joining.take()) each.done(undefined);
        return call.done(items.join());
      }
    }
  }
  close(): void {
    this.closed = true;
    for (const each of this.putting.take()) each.fail('ClosedError');
    for (const each of this.getting.take()) each.fail('ClosedError');
  }
  finish(n: number): void {
    this.unfinished = Math.max(0, this.unfinished - n);
    if (this.unfinished === 0) for (const each of this.joining.take()) each.done(undefined);
  }
  stamped(call: Call): Item { return { number: call.id, priority: call.priority, at: ++this.stamps }; }
  add(item: Item): void {
    const { order = 'fifo' } = this.shape;
    if (order === 'lifo') return void this.items.push(item);
    const after = (each: Item): boolean => order === 'priority' && each.priority !== item.priority
      ? each.priority < item.priority : each.at > item.at;
    const at = this.items.findIndex(after);
    this.items.splice(at < 0 ? this.items.length : at, 0, item);
  }
  pop(): Item { return this.shape.order === 'lifo' ? this.items.pop()! : this.items.shift()!; }
  accept(): Item {
    const call = this.putting.first!;
    this.putting.remove(call);
    const item = this.stamped(call);
    this.unfinished++;
    this.puts++;
    call.done(undefined);
    return item;
  }
  next(): Item | undefined {
    if (this.items.length > 0) {
      const item = this.pop();
      while (this.items.length < this.made! && this.putting.length > 0) this.add(this.accept());
      return item;
    }
    return this.putting.length > 0 ? this.accept() : undefined;
  }
  give(call: Call, item: Item): void {
    call.held = item;
    call.grant(() => {
      call.settle(`resolved ${item.number}`);
      call.session.end(call, 'kept');
    });
  }
  withdraw(call: Call): void {
    const line = call.role === 'put' ? this.putting : call.role === 'join' ? this.joining : this.getting;
    line.remove(call);
  }
  override end(call: Call, how: Ending): void {
    if (how !== 'kept') this.putBack([call.held]);
  }
  override endAll(calls: Call[]): void { this.putBack(calls.map((each) => each.held)); }
  putBack(items: Item[]): void {
    items.sort((a, b) => a.at - b.at);
    for (const item of items) {
      if (this.emptied) this.finish(1);
      else this.add(item);
    }
    while (this.getting.length > 0 && this.items.length > 0) {
      const call = this.getting.first!;
      this.getting.remove(call);
      this.give(call, this.pop());
    }
  }
  initial(): boolean { return this.items.length === 0 && (this.unfinished === 0 || this.closed); }
  stats(): Stats {
    return {
      length: this.items.length, capacity: this.made!, getting: this.getting.length, putting: this.putting.length,
      unfinished: this.unfinished, puts: this.puts,
    };
  }
}

/** SharedTask and Once. */
class Task extends Machine {
  state = 'idle';
  waiting = new Line();
  count = 0;
  run: Run | undefined;
  kept: Run | undefined;
  do(call: Call): void {
    switch (call.act.method) {
      case 'wait':
      case 'run':
        if (this.closed) return call.fail('ClosedError');
        if (this.state === 'done') return this.tell(call, this.kept!);
        this.waiting.add(call);
        if (this.state === 'idle') this.start();
        return;
      case 'isDone': return call.done(this.state === 'done');
      case 'close':
        this.closed = true;
        for (const each of this.waiting.take()) each.fail('ClosedError');
        if (this.state === 'running') this.stop('ClosedError');
        else if (this.state === 'done') this.state = 'idle';
        return call.done(undefined);
    }
  }
  start(): void {
    this.state = 'running';
    this.count++;
    this.run = this.begin(this.waiting.first!);
  }
  stop(reason: string): void {
    this.state = 'stopping';
    const run = this.run!;
    run.session.toClient(() => run.session.abortRun(run, reason));
  }
  tell(call: Call, run: Run): void {
    call.answer(() => call.settle(run.failed ? 'rejected RunError' : `resolved made by ${run.id}`));
  }
  override finished(run: Run, how: 'value' | 'error'): void {
    this.over(run);
    this.run = undefined;
    if (this.state === 'running') {
      this.state = how === 'error' && this.shape.kind === 'once' ? 'idle' : 'done';
      this.kept = run;
      for (const each of this.waiting.take()) this.tell(each, run);
    } else this.stopped();
    this.dropIfIdle();
  }
  override lost(_run: Run): void {
    this.run = undefined;
    if (this.state === 'running') this.start();
    else this.stopped();
  }
  stopped(): void {
    this.state = 'idle';
    if (this.waiting.length > 0) this.start();
  }
  withdraw(call: Call): void {
    this.waiting.remove(call);
    if (this.state === 'running' && this.waiting.length === 0) this.stop('NoConsumersError');
  }
  initial(): boolean { return this.state === 'idle'; }
  stats(): Stats { return { state: this.state, waiting: this.waiting.length, runs: this.count }; }
}

class Resource extends Machine {
  override lives = true;
  state = 'idle';
  waiting = new Line();
  holders = new Set<Call>();
  count = 0;
  run: Run | undefined;
  do(call: Call): void {
    switch (call.act.method) {
      case 'acquire':
        if (this.closed) return call.fail('ClosedError');
        if (this.state === 'live') return this.hold(call);
        this.waiting.add(call);
        if (this.state === 'idle') this.start();
        return;
      case 'close':
        if (!this.closed) {
          this.closed = true;
          for (const each of this.waiting.take()) each.fail('ClosedError');
          if (this.state === 'starting') this.abandon('ClosedError');
          else if (this.state === 'live') for (const each of this.holders) each.tellLost('ClosedError');
        }
        return call.done(undefined);
    }
  }
  start(): void {
    this.state = 'starting';
    this.count++;
    this.run = this.begin(this.waiting.first!);
  }
  abandon(reason: string): void {
    this.state = 'cancelling';
    const run = this.run!;
    run.session.toClient(() => run.session.abortRun(run, reason));
  }
  hold(call: Call): void {
    const run = this.run!;
    this.holders.add(call);
    call.held = run;
    call.grant(() => {
      call.token = 'live';
      call.settle(`holds what was made by ${run.id}`);
    });
  }
  stop(): void {
    this.state = 'stopping';
    const run = this.run!;
    run.session.toClient(() => run.session.stopRun(run));
  }
  next(): void {
    this.state = 'idle';
    if (this.waiting.length > 0) this.start();
  }
  override finished(run: Run, how: 'value' | 'error'): void {
    const made = how === 'value' && this.state !== 'stopping';
    if (!made) {
      this.over(run);
      this.run = undefined;
    }
    if (this.state === 'starting' && made) {
      this.state = 'live';
      for (const each of this.waiting.take()) this.hold(each);
    } else if (this.state === 'starting') {
      this.state = 'idle';
      for (const each of this.waiting.take()) each.fail('RunError');
    } else if (this.state === 'cancelling' && made) this.stop();
    else this.next();
    this.dropIfIdle();
  }
  override lost(_run: Run): void {
    this.run = undefined;
    for (const each of this.holders) {
      each.tellLost('OwnerLostError');
      each.state = 'void';
    }
    this.holders.clear();
    this.next();
  }
  withdraw(call: Call): void {
    this.waiting.remove(call);
    if (this.state === 'starting' && this.waiting.length === 0) this.abandon('NoConsumersError');
  }
  override end(call: Call): void {
    this.holders.delete(call);
    if (this.state === 'live' && this.holders.size === 0) this.stop();
  }
  initial(): boolean { return this.state === 'idle'; }
  stats(): Stats {
    return { state: this.state, waiting: this.waiting.length, held: this.state === 'live' ? this.holders.size : 0, runs: this.count };
  }
}

interface Slot {
  state: 'free' | 'creating' | 'lent' | 'idle' | 'destroying';
  owner: Call['session'] | undefined;
  run: Run | undefined;
  made: boolean;
  by: Call | undefined;
}

class Pool extends Machine {
  override lives = true;
  slots: Slot[] = [];
  idle: Slot[] = [];
  waiting = new Line();
  bound = new Line();
  joining = new Line();
  do(call: Call): void {
    const { act } = call;
    switch (act.method) {
      case 'acquire': {
        if (this.closed) return call.fail('ClosedError');
        if (this.waiting.precedes(call)) {
          const idle = this.idleOf(call);
          if (idle !== undefined) return this.lend(idle, call);
          const room = this.room();
          if (room !== undefined) {
            this.bound.rank(call, 'bound');
            return this.bind(call, room);
          }
        }
        return this.waiting.rank(call, 'wait');
      }
      case 'tryAcquire': {
        if (this.closed) return call.fail('ClosedError');
        const idle = this.waiting.length === 0 ? this.idleOf(call) : undefined;
        if (idle === undefined) return call.done(undefined);
        return this.lend(idle, call);
      }
      case 'replace': {
        const old = call.replaces!;
        if (old.state !== 'holding') return call.fail('NotOwnerError');
        const slot = old.held as Slot;
        old.ended();
        if (this.closed) {
          this.destroy(slot);
          return call.fail('ClosedError');
        }
        this.bound.rankBefore(call, 'bound');
        return this.bind(call, slot);
      }
      case 'close': {
        this.closed = true;
        for (const each of this.waiting.take()) each.fail('ClosedError');
        for (const each of this.bound.take()) each.fail('ClosedError');
        for (const slot of this.slots) {
          slot.by = undefined;
          if (slot.state === 'idle') this.destroy(slot);
        }
        this.emptied();
        return call.done(this.count('lent'));
      }
      case 'join':
        if (this.initial()) return call.done(undefined);
        return this.joining.add(call, 'join');
    }
  }
  count(state: Slot['state']): number { return this.slots.filter((each) => each.state === state).length; }
  set(slot: Slot, state: Slot['state']): void {
    if (slot.state === 'idle') this.idle.splice(this.idle.indexOf(slot), 1);
    if (state === 'idle') this.idle.push(slot);
    slot.state = state;
  }
  idleOf(call: Call): Slot | undefined { return this.idle.findLast((each) => each.owner === call.session); }
  room(): Slot | undefined {
    if (this.slots.length - this.count('free') < this.made!) {
      const free = this.slots.find((each) => each.state === 'free');
      if (free !== undefined) return free;
      const slot: Slot = { state: 'free', owner: undefined, run: undefined, made: false, by: undefined };
      this.slots.push(slot);
      return slot;
    }
    return this.idle[0];
  }
  lend(slot: Slot, call: Call): void {
    slot.by = undefined;
    this.set(slot, 'lent');
    call.held = slot;
    const run = slot.run!;
    call.grant(() => {
      const reused = run.used;
      run.used = true;
      call.token = 'live';
      const { session, act } = call;
      if (!reused || act.valid !== false) return call.settle(`holds what was made by ${run.id}`);
      // What is of no use is replaced, or tried again.
      call.token = 'silent';
      call.pending = false;
      const again = new (call.constructor as typeof Call)(session, act.method === 'tryAcquire' ? act : { ...act, method: 'replace' });
      const first = session.made.get(act.call)!;
      first.instead = again;
      if (act.method === 'tryAcquire') session.end(call, 'discard');
      else again.replaces = call;
      session.ask(again);
    });
  }
  bind(call: Call, slot: Slot): void {
    call.held = slot;
    slot.by = call;
    if (slot.state === 'free') this.create(slot);
    else this.destroy(slot);
  }
  create(slot: Slot): void {
    const by = slot.by!;
    this.set(slot, 'creating');
    slot.owner = by.session;
    slot.made = false;
    slot.run = this.begin(by);
  }
  destroy(slot: Slot): void {
    this.set(slot, 'destroying');
    const run = slot.run!;
    run.session.toClient(() => run.session.stopRun(run));
  }
  /** The resource of the slot is there for somebody. */
  offer(slot: Slot): void {
    const first = this.waiting.first;
    const early = this.bound.all.find((each) => each.session === slot.owner && each !== slot.by);
    if (this.closed) this.destroy(slot);
    else if (early !== undefined && (first === undefined || first.priority <= early.priority)) {
      (early.held as Slot).by = undefined;
      this.bound.remove(early);
      this.lend(slot, early);
    } else if (first === undefined) {
      this.set(slot, 'idle');
      const run = slot.run!;
      run.session.toClient(() => { run.used = true; });
    } else {
      this.waiting.remove(first);
      if (first.session === slot.owner) return this.lend(slot, first);
      this.bound.rank(first, 'bound');
      this.bind(first, slot);
    }
  }
  vacate(slot: Slot): void {
    this.set(slot, 'free');
    slot.owner = slot.run = undefined;
    const first = this.waiting.first;
    if (first !== undefined) {
      this.waiting.remove(first);
      this.bound.rank(first, 'bound');
      this.bind(first, slot);
    } else this.emptied();
  }
  emptied(): void {
    if (this.closed && this.initial()) for (const each of this.joining.take()) each.done(undefined);
  }
  gone(slot: Slot): void {
    if (slot.by !== undefined) this.create(slot);
    else this.vacate(slot);
  }
  override finished(run: Run, how: 'value' | 'error'): void {
    const slot = this.slots.find((each) => each.run === run)!;
    if (slot.state === 'destroying') {
      this.over(run);
      this.gone(slot);
    } else if (how === 'value') {
      slot.made = true;
      const { by } = slot;
      slot.by = undefined;
      if (by !== undefined) {
        this.bound.remove(by);
        this.lend(slot, by);
      } else this.offer(slot);
    } else {
      this.over(run);
      const { by } = slot;
      slot.by = undefined;
      if (by !== undefined) {
        this.bound.remove(by);
        by.fail('RunError');
      }
      this.vacate(slot);
    }
    this.dropIfIdle();
  }
  override lost(run: Run): void {
    const slot = this.slots.find((each) => each.run === run)!;
    this.gone(slot);
  }
  withdraw(call: Call): void {
    if (call.role === 'bound') {
      (call.held as Slot).by = undefined;
      this.bound.remove(call);
    } else if (call.role === 'join') this.joining.remove(call);
    else this.waiting.remove(call);
  }
  override end(call: Call, how: Ending): void {
    const slot = call.held as Slot;
    if (how === 'discard') this.destroy(slot);
    else this.offer(slot);
  }
  initial(): boolean { return this.slots.every((each) => each.state === 'free'); }
  stats(): Stats {
    return {
      max: this.made!, lent: this.count('lent'), idle: this.idle.length, creating: this.count('creating'),
      destroying: this.count('destroying'), waiting: this.waiting.length + this.bound.length,
    };
  }
}

export function machineOf(model: Model, shape: Shape): Machine {
  switch (shape.kind) {
    case 'signal': return new Signal(model, shape);
    case 'checkpoint': return new Checkpoint(model, shape);
    case 'event': return new Event(model, shape);
    case 'latch': return new Latch(model, shape);
    case 'barrier': return new Barrier(model, shape);
    case 'lock':
    case 'reentrantLock':
    case 'rwlock': return new Lock(model, shape);
    case 'condition': return new Condition(model, shape);
    case 'semaphore': return new Semaphore(model, shape);
    case 'queue': return new Queue(model, shape);
    case 'task':
    case 'once': return new Task(model, shape);
    case 'resource': return new Resource(model, shape);
    case 'pool': return new Pool(model, shape);
    default: throw new Error(`no machine for ${shape.kind}`);
  }
}
