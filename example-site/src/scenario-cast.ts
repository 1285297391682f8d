/** Who takes part in a play, as the lanes of its diagram. */

import type { LaneId } from './record.ts';
import { type Code, type Scenario, type Who, names } from './scenario.ts';

/** With clca, or with the code of the documents. */
export function castOf({ acts, apart, start }: Scenario, code?: Code): LaneId[] {
  const about = (who: Who): string => {
    if (code === undefined) return who === 'page' ? 'this page' : 'a Worker';
    return apart === undefined ? 'task' : `task, loop ${apart.includes(who) ? 2 : 1}`;
  };
  const callers = (['page', 'A', 'B'] as const).filter((who) => acts.some((act) => act.who === who));
  return [
    ...callers.map((who): LaneId => ({ lane: who, label: names[who], kind: who === 'page' ? 'page' : 'worker', about: about(who) })),
    ...code === undefined || start === undefined ? [] : [{ lane: 'start', label: names.start, kind: 'worker', about: 'task' } as const],
    code === undefined
      ? { lane: 'hub', label: 'Hub', kind: 'hub', about: 'Go, in a Worker' }
      : { lane: 'hub', label: classOf(code), kind: 'hub', about: 'object' },
  ];
}

export function classOf(code: Code): string {
  return code === 'Signal' || code === 'CheckpointSignal' || code === 'SharedTask' ? code : 'Stream';
}
