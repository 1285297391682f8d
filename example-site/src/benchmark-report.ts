/** What was measured, to be taken along. */

import { type Figures, digits, time } from './benchmark-figures.ts';
import type { Row } from './benchmark-row.ts';

/** The rows are as `make bench` writes them with `JSON=file`. */
export function asJSON(rows: Row[]): string {
  return JSON.stringify({ ...surroundings(), rows: linesOf(rows) }, undefined, 2);
}

/** The table is as the README has it. */
export function asMarkdown(rows: Row[]): string {
  const { browser, cores, isolated } = surroundings();
  const table = linesOf(rows).map(({ work, against, ours, theirs, ratio, rounds, error }) =>
    error === undefined
      ? [work, time(ours!), `${against}: ${time(theirs!)}`, digits(ratio!), rounds]
      : [work, '', against === undefined ? error : `${against}: ${error}`, '', '']);
  return [
    `${browser}, ${cores} cores, ${isolated ? '' : 'not '}cross-origin isolated`,
    '',
    '| | clca | against | ratio | rounds |',
    '| --- | --- | --- | --- | --- |',
    ...table.map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`),
    '',
  ].join('\n');
}

interface Line {
  group: string;
  name: string;
  work: string;
  against?: string;
  ours: number | null;
  theirs: number | null;
  unit: 'ms';
  ratio: number | null;
  budget: null;
  quartiles?: [number, number];
  rounds?: number;
  error?: string;
}

function linesOf(rows: Row[]): Line[] {
  return rows.flatMap((row): Line[] => {
    const { group, title: work } = row;
    if (row.error !== undefined) return [{ group, name: work, work, ...nothing, error: row.error }];
    const ours = row.figures.find(({ side }) => side === 'clca');
    return row.figures.filter((each) => each !== ours).map((theirs) => {
      const against = row.label(theirs.side);
      return { group, name: `${work}; against ${against}`, work, against, ...numbers(theirs, ours) };
    });
  });
}

const nothing = { ours: null, theirs: null, unit: 'ms', ratio: null, budget: null } as const;

function numbers({ ratio, error }: Figures, ours: Figures | undefined): Omit<Line, 'group' | 'name' | 'work' | 'against'> {
  if (ratio === undefined) return { ...nothing, error: ours?.error ?? error ?? 'no round was measured' };
  const { median, ours: our, theirs, quartiles, rounds } = ratio;
  return { ...nothing, ours: our, theirs, ratio: median, quartiles, rounds };
}

function surroundings(): { browser: string; userAgent: string; cores: number; isolated: boolean } {
  return {
    browser: browser(), userAgent: navigator.userAgent,
    cores: navigator.hardwareConcurrency, isolated: crossOriginIsolated,
  };
}

/** As short as one would say it. */
export function browser(): string {
  const { userAgent } = navigator;
  const system = /Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux/.exec(userAgent)?.[0];
  for (const [token, name] of Object.entries(names)) {
    const [, version] = new RegExp(`\\b${token}/(\\d+)`).exec(userAgent) ?? [];
    if (version !== undefined) return `${name} ${version}${system === undefined ? '' : ` on ${system}`}`;
  }
  return userAgent;
}

/** Of browsers, by what they say of themselves. Some say what others do as well, and come before those. */
const names = {
  Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', HeadlessChrome: 'Headless Chrome', Chrome: 'Chrome', Version: 'Safari',
};
