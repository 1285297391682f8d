/** Checks, step by step, that each call of a hub has the steps that it is to have. */

import type { CallId, Cause, Step } from 'clca';

export class TraceChecker {
  /** What was not as it should be. */
  readonly wrong: string[] = [];
  /** How many calls were answered. */
  answered = 0;
  #had = new Map<string, string[]>(); // by call
  #ended = new Set<number>();
  #watches = new Set<string>(); // for which nobody waits
  #local: number | undefined; // whose own steps are told as well

  readonly trace = (step: Step): void => {
    if (step.step === 'taken' && step.op === 'watch') this.#watches.add(named(step));
    if ('call' in step) return this.#check(step, step.step);
    if (step.step === 'opened') this.#local ??= step.session;
    else this.#ended.add(step.session);
  };

  #check(id: CallId & { by?: Cause | undefined }, step: keyof typeof order): void {
    const had = this.#had.get(named(id)) ?? [];
    this.#had.set(named(id), had);
    const { after = [], before = [] } = order[step];
    const missed = step === 'taken' && id.session === this.#local && !had.includes('called');
    if (missed || !after.every((each) => had.includes(each)) || before.some((each) => had.includes(each))) {
      this.wrong.push(`${named(id)}: ${step} after ${had.join(' ')}`);
    }
    had.push(step);
    if (step === 'answered') this.answered++;
    const { by } = id;
    if (by?.call !== undefined && !this.#had.has(named(by as CallId))) this.wrong.push(`${named(id)}: by ${named(by as CallId)}`);
  }

  /** The calls that wait for something, of the sessions that are there. */
  get open(): string[] {
    return [...this.#had].flatMap(([id, had]) => {
      const session = Number.parseInt(id, 10);
      const over = had.includes('answered') && (session !== this.#local || had.includes('settled') || had.includes('released'));
      return over || this.#watches.has(id) || this.#ended.has(session) ? [] : [`${id}: ${had.join(' ')}`];
    });
  }
}

const named = ({ session, call }: CallId): string => `${session}/${call}`;

/** What a step comes after, and what before. */
const order: Record<Exclude<Step['step'], 'opened' | 'ended'>, { after?: string[]; before?: string[] }> = {
  called: { before: ['called', 'taken'] },
  joined: { after: ['called'], before: ['settled'] },
  taken: { before: ['taken'] },
  runs: { after: ['taken'] },
  answered: { after: ['taken'], before: ['answered'] },
  settled: { after: ['called'], before: ['settled'] },
  cancelled: { after: ['called'], before: ['cancelled'] },
  released: { after: ['called'], before: ['released'] },
  lost: { after: ['answered'], before: ['freed'] },
  freed: { after: ['answered'], before: ['freed'] },
};
