/** Prints the table of a run, and saves its results. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

import packageJson from '../package.json' with { type: 'json' };
import { verdictOf, type Figure } from './goal.js';
import { aligned } from './text.js';

/** The figures of a goal. */
export interface Measured {
  readonly id: string;
  /** The version of Node. */
  readonly node: string;
  readonly figures: readonly Figure[];
}

const COLUMNS = ['', 'Node', 'figure', 'value', 'spread', 'best', 'A/A', 'bar', 'goal', 'verdict'];

/** Returns the figures as a table for a terminal. */
export function tableOf(measured: readonly Measured[]): string {
  const rows = measured.flatMap((one) => one.figures.map(rowOf(one)));
  return aligned([COLUMNS, ...rows]);
}

const rowOf =
  ({ id, node }: Measured) =>
  (figure: Figure): string[] => {
    const { name, unit, value, spread, best, same, bar, goal: target } = figure;
    const sign = signOf(figure);
    return [
      id,
      majorOf(node),
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

/** Returns the major version of Node. */
const majorOf = (node: string): string => node.slice(1).split('.')[0] ?? '';

/** Returns the relation between a figure and its limits. */
export const signOf = ({ better }: Figure): string => (better === 'lower' ? '<=' : '>=');

/** Formats a number with three significant digits. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '?';
  return Math.abs(value) >= 1000
    ? Math.round(value).toString()
    : Number(value.toPrecision(3)).toString();
}

const RESULTS = new URL('results.json', import.meta.url);
/** Quick runs are saved here, so that the page does not show them. */
const SCRATCH = new URL('../.scratch/bench/', import.meta.url);

/** The figures of a goal, and the machine that they were measured on. */
export interface Saved {
  /** The version of the package. Older figures have none. */
  readonly version?: string;
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly figures: readonly (Figure & { readonly verdict: string })[];
}

/** Results by the major version of Node, then by goal. */
export type Results = Record<string, Record<string, Saved>>;

/** Saves the figures of a goal. The saved figures of other goals stay unchanged. */
export function saveGoal({ id, node, figures }: Measured, quick: boolean): void {
  if (quick) mkdirSync(SCRATCH, { recursive: true });
  const file = quick ? new URL('results.json', SCRATCH) : RESULTS;
  const results = readResults(file);
  const saved = (results[majorOf(node)] ??= {});
  saved[id] = {
    version: packageJson.version,
    date: new Date().toISOString().slice(0, 10),
    node,
    cpu: cpus()[0]?.model ?? 'unknown',
    figures: figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })),
  };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

export function readResults(file = RESULTS): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

/** The versions of Node that the page shows. */
export const NODES = ['20', '24'];

/** Returns a figure by the version of Node, its goal and its name. */
export function figureOf(
  results: Results,
  node: string | undefined,
  id: string,
  name: string,
): Figure | undefined {
  const saved = results[node ?? '']?.[id];
  return saved?.figures.find((figure) => figure.name === name);
}
