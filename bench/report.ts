/** The table of a run, and the file that it leaves. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

import { verdictOf, type Figure, type Goal } from './goal.js';

/** A goal that has been measured. */
export interface Measured {
  readonly goal: Goal;
  readonly figures: readonly Figure[];
}

const COLUMNS = ['', 'figure', 'value', 'spread', 'best', 'A/A', 'bar', 'goal', 'verdict'];

/** A table for a terminal. */
export function tableOf(measured: readonly Measured[]): string {
  const lines = [COLUMNS, ...measured.flatMap(({ goal, figures }) => figures.map(rowOf(goal)))];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  const padded = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return padded.join('\n');
}

const rowOf =
  (goal: Goal) =>
  (figure: Figure): string[] => {
    const { name, unit, value, spread, best, same, bar, goal: target } = figure;
    const sign = signOf(figure);
    return [
      goal.id,
      name,
      `${shown(value)} ${unit}`,
      spread === undefined ? '' : `${shown(spread[0])}-${shown(spread[1])}`,
      best === undefined ? '' : shown(best),
      same === undefined ? '' : shown(same),
      bar === undefined ? '' : `${sign} ${shown(bar)}`,
      target === undefined ? '' : `${sign} ${shown(target)}`,
      verdictOf(figure),
    ];
  };

/** On which side of its limits a figure has to be. */
export const signOf = ({ better }: Figure): string => (better === 'lower' ? '<=' : '>=');

/** Three digits that count. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '?';
  return Math.abs(value) >= 1000
    ? Math.round(value).toString()
    : Number(value.toPrecision(3)).toString();
}

const RESULTS = new URL('results.json', import.meta.url);

/** What was measured of a goal, and where. */
export interface Saved {
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly figures: readonly (Figure & { readonly verdict: string })[];
}

/** By the major version of Node, and by goal. What a quick run saw stands apart: `20 quick`. */
export type Results = Record<string, Record<string, Saved>>;

/** Keeps the figures of a run, goal by goal: those that were not measured stay as they were. */
export function saveResults(measured: readonly Measured[], quick: boolean): void {
  const results = readResults();
  const [major = ''] = process.versions.node.split('.');
  const saved = (results[quick ? `${major} quick` : major] ??= {});
  for (const { goal, figures } of measured) {
    saved[goal.id] = {
      date: new Date().toISOString().slice(0, 10),
      node: process.version,
      cpu: cpus()[0]?.model ?? 'unknown',
      figures: figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })),
    };
  }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}

export function readResults(): Results {
  return existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results) : {};
}
