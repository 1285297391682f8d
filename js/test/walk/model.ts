/**
 * What a hub and its clients do, in plain JavaScript: each primitive as the machine that its documentation describes, the
 * sessions, and the two lines of messages between the hub and each client, which can be held back. Nothing here is
 * asynchronous: after each act, all that follows from it has happened, and `events` has what the actors are to say.
 */

import { type Act, type CallAct, unbounded } from './acts.ts';
import { type Machine, machineOf } from './machines.ts';

/** How what was granted comes back: given back, given back unseen, as worthless, not at all, or with its realm. */
export type Ending = 'back' | 'unused' | 'discard' | 'kept' | 'gone';

/** One call of a client, as its hub sees it and as it sees itself. */
export class Call {
  // The hub's side.
  state: 'unborn' | 'waiting' | 'holding' | 'void' | 'over' = 'unborn';
  machine!: Machine;
  /** What a machine keeps of it. */
  role = '';
  held: any;
  /** It was granted what it wanted while its session was being ended. */
  unseen = false;
  error: string | undefined;

  // The client's.
  pending = true;
  asked = false;
  token: 'none' | 'silent' | 'live' | 'lost' | 'gone' = 'none';
  returned = false;
  lostEarly: string | undefined;
  /** The lock that it holds came from a realm that went away. */
  abandoned = false;
  /** The callback of a lock was called and has not ended. */
  called = false;
  /** Follows in its client when it is done. */
  passed: (() => void) | undefined;
  /** What is being made in the place of what this call was granted, and the other way round. */
  instead: Call | undefined;
  replaces: Call | undefined;

  constructor(readonly session: Session, readonly act: CallAct) {}

  get id(): number { return this.act.call; }
  get priority(): number { return this.act.priority ?? 0; }
  get decided(): boolean {
    const { kind, method } = this.act;
    return method === 'put' || method === 'wait' && (kind === 'barrier' || kind === 'condition');
  }

  say(text: string): void { this.session.say(`${this.id} ${text}`); }

  settle(text: string): void {
    if (!this.pending) return;
    this.pending = false;
    this.say(text);
  }

  // ---- what the hub tells the client ----

  answer(tell: () => void, final = true): void {
    if (final) this.free();
    this.session.toClient(tell);
  }
  done(value: unknown): void {
    this.answer(() => {
      if (this.pending) this.passed?.();
      this.settle(`resolved ${shown(value)}`);
    });
  }
  fail(error: string): void { this.answer(() => this.failed(error)); }
  ended(): void {
    this.answer(() => {
      if (this.asked) this.settle('rejected stop');
      const { token } = this;
      this.token = 'gone';
      if (this.returned && token !== 'none' && this.act.kind !== 'webLock') this.say('released');
    });
  }
  /** Granted something that it holds from now on; `take` is what its client makes of it, if it still wants it. */
  grant(take: () => void): void {
    this.state = 'holding';
    this.unseen = this.session.ending;
    this.answer(() => {
      if (!this.pending) return;
      take();
      if (this.lostEarly !== undefined) this.lose(this.lostEarly);
    }, false);
  }
  holds(more = ''): void {
    this.grant(() => {
      this.token = 'live';
      if (this.act.kind !== 'webLock') return this.settle(`holds${more}`);
      this.called = true;
      this.say('called with a lock');
    });
  }
  tellLost(error: string): void { this.answer(() => this.lose(error), false); }

  failed(error: string): void {
    if (this.pending && this.replaces !== undefined) this.session.discard(this.replaces);
    this.settle(`rejected ${error}`);
  }
  lose(error: string): void {
    if (this.token === 'none') this.lostEarly = error;
    if (this.token !== 'live') return;
    this.token = 'lost';
    if (this.act.kind !== 'webLock') return this.say(`lost ${error}`);
    this.settle(error === 'StolenError' ? 'rejected AbortError' : `rejected ${error}`);
    if (error === 'StolenError') this.session.giveBack(this);
  }

  // ---- the hub's own ----

  free(): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.session.calls.delete(this);
    this.machine.calls--;
    this.machine.dropIfIdle();
  }
  /** Withdraws it, or gives back what it was granted. */
  finish(how: Ending): void {
    if (this.state === 'waiting') this.machine.withdraw(this);
    else if (this.state === 'holding') this.machine.end(this, this.unseen ? 'unused' : how);
  }
}

/** A function that a realm runs for the hub. */
export class Run {
  state: 'running' | 'made' | 'stopping' | 'over' = 'running';
  aborted = false;
  /** It was lent, or idle. */
  used = false;
  /** Its client knows it. */
  known = true;
  failed = false;
  constructor(readonly id: string, readonly session: Session, readonly machine: Machine, readonly act: CallAct) {}
}

/** What a client knows of a checkpoint: while it is open, callers pass and the hub is not asked. */
export class Mirror {
  open = false;
  shuts = 0;
  asked = false;
  watches = false;
  shut(): void {
    this.open = false;
    this.shuts++;
  }
  /** The hub says that the checkpoint is not what it was. */
  over(): void {
    this.watches = false;
    this.shut();
  }
}

export class Session {
  readonly children: Session[] = [];
  readonly calls = new Set<Call>();
  readonly runs: Run[] = [];
  /** The hub knows it. */
  alive = true;
  /** The hub is ending it, and tells it nothing any more. */
  ending = false;
  /** All that comes later rejects with this. */
  over: string | undefined;
  /** Its realm is gone. */
  dead = false;
  readonly out: (() => void)[] = [];
  readonly in: (() => void)[] = [];
  holdsOut = false;
  holdsIn = false;
  /** How many messages it has sent to the hub. */
  sent = 0;
  readonly made = new Map<number, Call>();
  readonly ran = new Map<string, Run>();
  readonly mirrors = new Map<string, Mirror>();
  #begun = new Map<number, number>();

  constructor(readonly model: Model, readonly id: number, readonly parent: Session | undefined) {
    parent?.children.push(this);
  }

  say(event: string): void { if (!this.dead) this.model.events.push(`${this.id}: ${event}`); }

  toHub(message: () => void): void {
    this.sent++;
    this.out.push(() => { if (this.alive) message(); });
  }
  toClient(message: () => void): void {
    if (this.alive && !this.ending) this.in.push(() => { if (this.over === undefined) message(); });
  }

  // ---- the client ----

  do(act: Act): void {
    switch (act.do) {
      case 'call': return this.call(new Call(this, act));
      case 'abort': return this.abort(this.made.get(act.call)!);
      case 'release': return this.giveBack(this.made.get(act.call)!);
      case 'destroy': return this.giveBack(this.made.get(act.call)!, 'discard');
      case 'finish': return this.finishRun(act.run, act.how);
    }
  }

  call(call: Call): void {
    const { act } = call;
    this.made.set(act.call, call);
    if (act.within !== undefined) {
      const guard = this.made.get(act.within)!;
      if (guard.token !== 'live' || guard.returned) return call.settle('rejected NotOwnerError');
    }
    if (this.over !== undefined) return call.settle(`rejected ${this.over}`);
    if (act.kind === 'checkpoint') this.askOrPass(call);
    else this.ask(call);
  }

  askOrPass(call: Call): void {
    const { name, method } = call.act;
    const mirror = this.mirrors.get(name) ?? new Mirror();
    if (method !== 'wait') {
      mirror.shut();
      return this.ask(call);
    }
    this.mirrors.set(name, mirror);
    if (mirror.open) return call.settle('resolved nothing');
    const begins = mirror.asked && !mirror.watches;
    if (begins) mirror.watches = true;
    mirror.asked = true;
    const { shuts } = mirror;
    call.passed = () => void (mirror.open = mirror.watches && mirror.shuts === shuts);
    this.toHub(() => {
      if (begins) this.model.watch(call, mirror);
      this.model.take(call);
    });
  }

  ask(call: Call): void { this.toHub(() => this.model.take(call)); }

  abort(call: Call): void {
    call = call.instead ?? call;
    if (!call.pending || call.asked || call.act.kind === 'webLock' && call.called) return;
    if (call.decided) call.asked = true;
    else call.settle('rejected stop');
    this.end(call, 'unused');
    if (call.replaces !== undefined) this.discard(call.replaces);
  }

  end(call: Call, how: Ending = 'back'): void {
    this.toHub(() => {
      if (call.state === 'over' || call.state === 'unborn') return;
      if (call.decided) {
        if (call.state !== 'waiting') return;
        if (call.act.kind === 'condition') return call.machine.cancel(call);
      }
      call.finish(how);
      call.ended();
    });
  }

  giveBack(call: Call, how: Ending = 'back'): void {
    call = call.instead ?? call;
    if (call.returned || call.token === 'none') return;
    call.returned = true;
    if (call.token === 'gone' || this.over !== undefined) {
      if (call.act.kind !== 'webLock') call.say('released');
    } else this.end(call, how);
  }

  /** Gives back what was to be replaced, unless the hub has said that it was. */
  discard(call: Call): void {
    if (call.token !== 'gone') this.end(call, 'discard');
  }

  begin(run: Run): void {
    this.ran.set(run.id, run);
    this.say(`run ${run.id}`);
  }
  nameRun(call: number): string {
    const n = (this.#begun.get(call) ?? 0) + 1;
    this.#begun.set(call, n);
    return n === 1 ? `${call}` : `${call}.${n}`;
  }
  abortRun(run: Run, reason: string): void {
    if (run.state !== 'running' || run.aborted) return;
    run.aborted = true;
    this.say(`run ${run.id} aborted with ${reason}`);
    if (run.act.heeds) this.finishRun(run.id, 'error');
  }
  stopRun(run: Run): void {
    if (run.state !== 'made') return;
    run.state = 'stopping';
    this.say(`run ${run.id} stopping`);
  }
  finishRun(id: string, how: 'value' | 'error'): void {
    const locked = this.made.get(Number(id));
    if (locked?.act.kind === 'webLock') {
      if (!locked.called) return;
      locked.called = false;
      locked.settle(how === 'value' ? 'resolved done' : 'rejected RunError');
      return this.giveBack(locked);
    }
    const run = this.ran.get(id)!;
    if (run.state === 'running') {
      this.say(`run ${run.id} ended with ${how}`);
      run.failed = how === 'error';
      run.state = run.failed || !run.machine.lives ? 'over' : 'made';
      if (run.known) this.toHub(() => run.machine.finished(run, how));
      else this.stopRun(run);
    } else if (run.state === 'stopping') {
      this.say(`run ${run.id} stopped`);
      run.state = 'over';
      if (run.known) this.toHub(() => run.machine.finished(run, 'value'));
    }
  }

  /** The client learns that its session is over. */
  fail(error: string): void {
    if (this.over !== undefined) return;
    this.over = error;
    this.out.length = 0;
    this.in.length = 0;
    for (const mirror of this.mirrors.values()) mirror.over();
    for (const call of [...this.made.values()].flatMap((each) => [each, ...(each.instead === undefined ? [] : [each.instead])])) {
      if (call.pending && !call.called) call.settle(`rejected ${error}`);
      else if (call.token === 'live' || call.token === 'lost') {
        call.lose(error);
        call.token = 'gone';
        if (call.returned && call.act.kind !== 'webLock') call.say('released');
      }
    }
    for (const run of this.ran.values()) {
      run.known = false;
      if (run.state === 'running') this.abortRun(run, error);
      else this.stopRun(run);
    }
  }

  // ---- the hub ----

  /** The hub ends it and all below it. */
  endAtHub(): void {
    if (!this.alive) return;
    for (const each of below(this)) each.ending = true;
    while (this.children.length > 0) this.children.at(-1)!.endAtHub();
    const claims = new Map<Machine, Call[]>();
    for (const call of [...this.calls]) {
      if (call.act.kind !== 'queue') continue;
      if (call.state === 'holding') claims.set(call.machine, [...(claims.get(call.machine) ?? []), call]);
      else call.finish('gone');
      call.state = 'void';
    }
    for (const [machine, calls] of claims) machine.endAll(calls);
    for (const call of [...this.calls]) {
      call.finish('gone');
      call.free();
    }
    for (const run of [...this.runs]) {
      this.runs.splice(this.runs.indexOf(run), 1);
      run.machine.lost(run);
      run.machine.dropIfIdle();
    }
    this.alive = false;
    for (const mirror of this.mirrors.values()) this.model.watched.delete(mirror);
    const siblings = this.parent?.children;
    siblings?.splice(siblings.indexOf(this), 1);
  }
}

export class Model {
  readonly names = new Map<string, Machine>();
  readonly sessions = new Map<number, Session>();
  events: string[] = [];
  /** By which checkpoint's calls each mirror is to be told. */
  readonly watched = new Map<Mirror, { name: string; session: Session }>();
  /** Whoever gets a lock is told whether the realm that held it before went away. */
  tellsAbandoned = true;

  open(id: number, parent?: number): Session {
    const session = new Session(this, id, parent === undefined ? undefined : this.sessions.get(parent));
    this.sessions.set(id, session);
    return session;
  }

  act(id: number, act: Act): void {
    this.sessions.get(id)!.do(act);
    this.pump();
  }

  /** Carries all messages that are not held back. */
  pump(): void {
    for (let more = true; more;) {
      more = false;
      for (const session of this.sessions.values()) {
        while (!session.holdsOut && session.out.length > 0) (more = true), session.out.shift()!();
        while (!session.holdsIn && session.in.length > 0) (more = true), session.in.shift()!();
      }
    }
  }

  /** The hub takes up a call. */
  take(call: Call): void {
    const machine = this.lookup(call.act);
    const { made } = call.act;
    if (made !== undefined && machine.made !== made) {
      call.machine = machine;
      machine.calls++;
      return call.fail('MismatchError');
    }
    call.state = 'waiting';
    call.machine = machine;
    call.session.calls.add(call);
    machine.calls++;
    machine.do(call);
  }

  /** The client is told when the checkpoint is armed, or closed; at once if it is armed now. */
  watch({ act: { kind, name }, session }: Call, mirror: Mirror): void {
    const state = this.names.get(`${kind} ${name}`)?.stats()['state'] ?? 'disarmed';
    if (state === 'disarmed') this.watched.set(mirror, { name, session });
    else session.toClient(() => mirror.over());
  }

  /** Tells those who watch the checkpoint. */
  changed(name: string): void {
    for (const [mirror, { name: own, session }] of this.watched) {
      if (own !== name) continue;
      this.watched.delete(mirror);
      session.toClient(() => mirror.over());
    }
  }

  lookup(act: Pick<CallAct, 'kind' | 'name' | 'made' | 'order'>): Machine {
    const kind = act.kind === 'webLock' ? 'rwlock' : act.kind;
    const key = `${kind} ${act.name}`;
    let machine = this.names.get(key);
    if (machine === undefined) {
      machine = machineOf(this, { ...act, kind });
      machine.key = key;
      this.names.set(key, machine);
    }
    return machine;
  }

  /** Ends a session as somebody else wants it: its client and those below it are told. */
  shut(session: Session): void {
    const all = below(session);
    session.endAtHub();
    for (const each of all) {
      if (each.over === undefined) each.in.push(() => each.fail('ClosedError'));
    }
    this.pump();
  }

  /** A client closes its session. */
  close(session: Session): void {
    session.fail('ClosedError');
    this.gone(session);
  }

  /** A client is not there any more; those below it are shut out. */
  gone(session: Session): void {
    const all = below(session).filter((each) => each !== session);
    session.endAtHub();
    for (const each of all) if (each.over === undefined) each.in.push(() => each.fail('ClosedError'));
    this.pump();
  }

  stats(): { sessions: number; names: number; calls: number; runs: number } {
    const alive = [...this.sessions.values()].filter((each) => each.alive);
    return {
      sessions: alive.length,
      names: this.names.size,
      calls: alive.reduce((sum, each) => sum + each.calls.size, 0),
      runs: alive.reduce((sum, each) => sum + each.runs.length, 0),
    };
  }
}

function below(session: Session): Session[] {
  return [...session.children.flatMap(below), session];
}

export function shown(value: unknown): string {
  return value === undefined ? 'nothing' : value === unbounded ? 'Infinity' : String(value);
}
