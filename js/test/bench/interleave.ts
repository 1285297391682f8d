/** Milliseconds that one piece of work took, by round. */
export interface Times {
  ours: number[];
  theirs: number[];
}

export type Work = () => Promise<unknown>;

/**
 * Times both sides of a row in one run: a round of each in turn, and who begins alternates, so that what else the
 * machine does hits both alike. A round is `times` pieces of work, for the clock of a page is coarse.
 */
export async function interleave(ours: Work, theirs: Work, times = 1, rounds = 30, warmUp = 6): Promise<Times> {
  const kept: Times = { ours: [], theirs: [] };
  for (let round = -warmUp; round < rounds; round++) {
    const first = round % 2 === 0 ? await timed(ours, times) : undefined;
    const second = await timed(theirs, times);
    const third = first ?? (await timed(ours, times));
    if (round < 0) continue;
    kept.ours.push(third);
    kept.theirs.push(second);
  }
  return kept;
}

async function timed(work: Work, times: number): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < times; i++) await work();
  return (performance.now() - start) / times;
}
