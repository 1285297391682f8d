/**
 * Plays one random script of lock requests to two lock managers, and compares what they did.
 *
 * A script is a number of steps. Each makes some calls at once, and is over when the manager has nothing more to do until
 * the next: then what it says is held and wanted is what has been called back and what has not. So what happens in a step
 * depends on no race. What is compared is what the Web Locks specification fixes: in which step and order each request is
 * called back and settled, and with what; in which order the requests for one name are; and what a query finds.
 *
 * Not compared, as the specification or Chromium leave it open:
 * - whether a thief's callback or the settling of who was robbed comes first (Chromium does either);
 * - when the request of a callback that got `null` settles, seen from others;
 * - the order of names in a snapshot (the specification's is that of arrival, Chromium's is alphabetical);
 * - how those who share a lock settle, seen from each other;
 * - whom the abort of a request lets pass that wanted to be alone where others share: the specification grants them the
 *   lock at once, Chromium 156 when one of the holders leaves. So where locks are shared, nobody aborts such a request;
 * - in a step with an abort, what is there at once: whether a lock that was granted on the way to one who has given up
 *   is free already. So such a step asks no such question.
 */

/** A LockManager, as far as it is used here. */
export interface Locks {
  request(name: string, options: object, callback: (lock: LockLike | null) => unknown): Promise<unknown>;
  query(): Promise<{ held?: InfoLike[]; pending?: InfoLike[] }>;
}

interface LockLike {
  name: string;
  mode: string;
}

interface InfoLike {
  name?: string;
  mode?: string;
  clientId?: string;
}

/** How a callback ends: after so many microtasks or tasks, or when a later step opens its gate. */
interface Plan {
  until: 'now' | 'microtasks' | 'tasks' | 'gate';
  count: number;
  fails: boolean;
  thenable: boolean;
  /** What it does first, and before it ends. */
  first: Act[];
  last: Act[];
}

type Act =
  | { do: 'request'; id: number; name: string; mode?: string; ifAvailable?: boolean; steal?: boolean; signal?: number; plan: Plan }
  | { do: 'abort'; signal: number }
  | { do: 'open'; gate: number }
  | { do: 'query'; id: number }
  | { do: 'microtask' };

interface Script {
  /**
   * In one that steals, no callback ends by itself: whether it does so before the thief is known is a race. In one whose
   * callbacks take tasks, it is a race what those for one name do before those for another.
   */
  kind: 'plain' | 'steals' | 'tasks';
  steps: Act[][];
}

/** What happened, and where it matters. */
interface Entry {
  text: string;
  /** Those whose order it is a part of. */
  in: string[];
  /** Part of what shared locks do, whose callbacks and settling may mingle. */
  shared?: 'called' | 'settled' | undefined;
}

function scriptOf(seed: number): Script {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const random = (below: number): number => { // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % below;
  };
  const chance = (percent: number): boolean => random(100) < percent;
  const kind = (['plain', 'steals', 'tasks'] as const)[random(3)]!;
  const sharing = chance(60);
  const names = ['a', 'b', 'c'].slice(0, 1 + random(3));
  let ids = 0;
  let signals = 0;
  const gates: number[] = [];

  const request = (depth: number, aborts: boolean): Act => {
    const id = ++ids;
    const act: Act = { do: 'request', id, name: names[random(names.length)]!, plan: plan(id, depth) };
    if (sharing && chance(60)) act.mode = 'shared';
    else if (chance(20)) act.mode = 'exclusive';
    const sort = random(100);
    if (sort < 30 && kind === 'steals' && act.mode !== 'shared') act.steal = true;
    else if (sort < 35 && !aborts) act.ifAvailable = true;
    else if (sort < 70 && (act.mode === 'shared' || !sharing)) act.signal = chance(30) && signals > 0 ? 1 + random(signals) : ++signals;
    return act;
  };
  const plan = (id: number, depth: number): Plan => {
    const ends = ['now', 'microtasks', kind === 'tasks' ? 'tasks' : 'now'] as const;
    const until = kind === 'steals' || chance(50) ? 'gate' : ends[random(3)]!;
    if (until === 'gate') gates.push(id);
    const nested = (): Act[] => (kind !== 'tasks' && depth < 2 && chance(20) ? [request(depth + 1, true)] : []);
    return { until, count: 1 + random(4), fails: chance(25), thenable: chance(15), first: nested(), last: nested() };
  };

  const steps = Array.from({ length: 2 + random(6) }, () => {
    const aborts = signals > 0 && chance(40);
    return Array.from({ length: 1 + random(5) }, (): Act => {
      const sort = random(100);
      if (sort < 25 && gates.length > 0) return { do: 'open', gate: gates.splice(random(gates.length), 1)[0]! };
      if (sort < 45 && aborts) return { do: 'abort', signal: 1 + random(signals) };
      if (sort < 55 && !aborts) return { do: 'query', id: ++ids };
      if (sort < 62) return { do: 'microtask' };
      return request(0, aborts);
    });
  });
  return { kind, steps };
}

/** Plays the script of a seed. `run` keeps the names of one play from those of all others. */
async function play(locks: Locks, seed: number, run: string): Promise<Entry[]> {
  const { kind, steps } = scriptOf(seed);
  const log: Entry[] = [];
  const note = (text: string, where: string[], shared?: Entry['shared']): void => void log.push({ text: `${step}: ${text}`, in: where, shared });
  const controllers = new Map<number, AbortController>();
  const gates = new Map<number, { opened: Promise<void>; open: () => void }>();
  const requests = new Map<number, { name: string; called: boolean; holds: boolean; settled: boolean }>();
  let step = 0;
  let busy = 0;

  const controllerOf = (signal: number): AbortController => {
    if (!controllers.has(signal)) controllers.set(signal, new AbortController());
    return controllers.get(signal)!;
  };
  const gateOf = (id: number): { opened: Promise<void>; open: () => void } => {
    if (!gates.has(id)) {
      let open!: () => void;
      gates.set(id, { opened: new Promise((resolve) => (open = resolve)), open });
    }
    return gates.get(id)!;
  };
  const act = async (what: Act): Promise<void> => {
    switch (what.do) {
      case 'request': return request(what);
      case 'abort': return controllerOf(what.signal).abort(`abort of ${what.signal}`);
      case 'open':
        if (kind !== 'steals' || requests.get(what.gate)?.called) gateOf(what.gate).open();
        return;
      case 'query': {
        busy++;
        const snapshot = await locks.query();
        busy--;
        return note(`query ${what.id}: ${described(snapshot, run)}`, [`query ${what.id}`]);
      }
    }
  };
  const request = ({ id, name, mode, ifAvailable, steal, signal, plan }: Act & { do: 'request' }): void => {
    const state = { name, called: false, holds: false, settled: false };
    requests.set(id, state);
    const options = {
      ...(mode !== undefined && { mode }), ...(ifAvailable && { ifAvailable }), ...(steal && { steal }),
      ...(signal !== undefined && { signal: controllerOf(signal).signal }),
    };
    let synchronous = true;
    let shared = false;
    const callback = (lock: LockLike | null): unknown => {
      if (synchronous) note('synchronously', [`request ${id}`]);
      state.called = true;
      state.holds = lock !== null;
      const what = lock === null ? 'null' : `${lock.name.slice(run.length)} ${lock.mode}`;
      shared = lock?.mode !== 'exclusive';
      const order = kind === 'tasks' ? [] : ['calls'];
      if (lock !== null) order.push(`name ${name}`);
      note(`${id} called with ${what}`, [`request ${id}`, ...order], shared ? 'called' : undefined);
      for (const each of plan.first) void act(each);
      if (plan.until === 'now') {
        for (const each of plan.last) void act(each);
        if (plan.fails) throw `failure of ${id}`;
        return plan.thenable ? { then: (done: (value: string) => void) => done(`thenable of ${id}`) } : `value of ${id}`;
      }
      return later();
    };
    const later = async (): Promise<string> => {
      if (plan.until !== 'gate') busy++;
      if (plan.until === 'microtasks') for (let i = 0; i < plan.count; i++) await undefined;
      else if (plan.until === 'tasks') for (let i = 0; i < plan.count; i++) await task();
      else await gateOf(id).opened;
      for (const each of plan.last) void act(each);
      if (plan.until !== 'gate') busy--;
      if (plan.fails) throw `failure of ${id}`;
      return `value of ${id}`;
    };
    const settled = (text: string): void => {
      state.settled = true;
      note(`${id} ${text}`, [`request ${id}`, ...(state.holds && kind !== 'steals' ? [`name ${name}`] : [])], shared ? 'settled' : undefined);
    };
    locks.request(run + name, options, callback).then(
      (value) => settled(`resolved with ${String(value)}`),
      (error) => settled(`rejected with ${error instanceof DOMException ? `a DOMException named ${error.name}` : String(error)}`),
    );
    synchronous = false;
  };

  /** Whether the manager's view of what is held and wanted is what has happened here. */
  const still = async (): Promise<boolean> => {
    await locks.request(`${run}fence`, {}, () => {}); // what was on its way to here has come
    const snapshot = await locks.query();
    if (busy > 0) return false;
    const count = (infos: InfoLike[], name: string): number => infos.filter((each) => each.name === run + name).length;
    const all = [...requests.values()].filter((each) => !each.settled);
    return ['a', 'b', 'c'].every((name) => {
      const held = all.filter((each) => each.name === name && each.holds).length;
      const waiting = all.filter((each) => each.name === name && !each.called).length;
      return count(snapshot.held ?? [], name) === held && count(snapshot.pending ?? [], name) === waiting;
    });
  };
  const quiet = async (): Promise<void> => {
    for (let rounds = 0; !(await still()); rounds++) {
      if (rounds === 2000) throw new Error(`seed ${seed} hangs:\n${log.map(({ text }) => text).join('\n')}`);
      await task();
    }
  };

  for (const acts of steps) {
    step++;
    for (const each of acts) {
      if (each.do === 'microtask') await undefined;
      else void act(each);
    }
    await quiet();
    note('over', ['calls', 'name a', 'name b', 'name c', ...[...requests.keys()].map((id) => `request ${id}`)]);
  }
  // What is left is let go, one after the other.
  for (;;) {
    const left = [...requests].filter(([, each]) => !each.settled);
    if (left.length === 0) break;
    step++;
    const next = left.find(([, each]) => each.called);
    if (next === undefined) throw new Error(`seed ${seed}: nobody holds what ${left.map(([id]) => id).join()} wait for`);
    gateOf(next[0]).open();
    await quiet();
  }
  return log;
}

/** What the two logs differ in, in words; undefined if they do not. */
function difference(ours: Entry[], theirs: Entry[]): string | undefined {
  const views = new Set([...ours, ...theirs].flatMap((each) => each.in));
  for (const view of views) {
    const of = (log: Entry[]): string => ordered(log.filter((each) => each.in.includes(view))).map((each) => each.text).join('\n  ');
    if (of(ours) !== of(theirs)) return `${view}, ours:\n  ${of(ours)}\n${view}, theirs:\n  ${of(theirs)}`;
  }
  return undefined;
}

/** Puts what shared locks do without another in between into one order: how they settle says nothing about each other. */
function ordered(log: Entry[]): Entry[] {
  const all: Entry[] = [];
  for (let at = 0; at < log.length;) {
    const run: Entry[] = [];
    for (; at < log.length && log[at]!.shared !== undefined; at++) run.push(log[at]!);
    all.push(...run.filter((each) => each.shared === 'called'));
    all.push(...run.filter((each) => each.shared === 'settled').sort((a, b) => (a.text < b.text ? -1 : 1)));
    if (at < log.length) all.push(log[at++]!);
  }
  return all;
}

/** Plays the scripts of so many seeds to both; throws at the first difference, with all there is to know. Returns how much happened. */
export async function differ(ours: Locks, theirs: Locks, from: number, count: number): Promise<number> {
  let entries = 0;
  for (let seed = from; seed < from + count; seed++) {
    const both = [await play(theirs, seed, `theirs ${seed}/`), await play(ours, seed, `ours ${seed}/`)] as const;
    const found = difference(both[1], both[0]);
    const text = (log: Entry[]): string => log.map((each) => each.text).join('\n');
    if (found !== undefined) {
      throw new Error(`seed ${seed} differs in ${found}\n\nall of ours:\n${text(both[1])}\n\nall of theirs:\n${text(both[0])}`
        + `\n\nthe script:\n${scriptOf(seed).steps.map((each) => each.map((act) => JSON.stringify(act)).join('\n')).join('\n\n')}`);
    }
    entries += both[1].length;
  }
  return entries;
}

function described({ held = [], pending = [] }: Awaited<ReturnType<Locks['query']>>, run: string): string {
  const clients = new Set<string | undefined>();
  const of = (infos: InfoLike[]): string[] => {
    const own = infos.filter((each) => each.name!.startsWith(run) && !each.name!.endsWith('fence'));
    for (const each of own) clients.add(each.clientId);
    return own.map((each) => `${each.name!.slice(run.length)} ${each.mode}`)
      .sort((a, b) => a.charCodeAt(0) - b.charCodeAt(0)); // by name alone: it is stable
  };
  const text = `held ${of(held).join(', ')}; pending ${of(pending).join(', ')}`;
  return clients.size > 1 ? `${text}; of ${clients.size} clients` : text;
}

const channel = new MessageChannel();
const due: (() => void)[] = [];
channel.port1.onmessage = () => due.shift()!();

/** The next task. */
function task(): Promise<void> {
  return new Promise((resolve) => {
    due.push(resolve);
    channel.port2.postMessage(undefined);
  });
}
