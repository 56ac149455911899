/**
 * Generates docs/performance.md. Its prose is written by hand. The parts between marks, and the
 * chart, are generated from the results of `npm run bench` and `npm run bench -- http`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import * as prettier from 'prettier';

import { CHARTED, chartTitle, drawChart } from './chart.js';
import type { Figure } from './goal.js';
import { readResults, shown, type Results } from './report.js';

export const PAGE = new URL('../docs/performance.md', import.meta.url);
export const CHART = new URL('../docs/performance.svg', import.meta.url);

/** The version of Node whose results the page shows. */
const NODE = '20';

/** Returns the chart as SVG. */
export function performanceChart(): string {
  return drawChart(results());
}

/** Returns the page with its generated parts renewed. */
export async function performancePage(): Promise<string> {
  let page = readFileSync(PAGE, 'utf8');
  for (const [name, part] of Object.entries({ chart, hardware, figures, http })) {
    const mark = new RegExp(`(<!-- ${name}:begin -->)[^]*?(<!-- ${name}:end -->)`);
    if (!mark.test(page)) throw new Error(`docs/performance.md has no marks for ${name}`);
    page = page.replace(mark, (_, begin: string, end: string) => [begin, part(), end].join('\n\n'));
  }
  const options = await prettier.resolveConfig(PAGE);
  return prettier.format(page, { ...options, parser: 'markdown' });
}

function results(): Results[string] {
  return readResults()[NODE] ?? {};
}

const chart = (): string => `![${chartTitle(results())}](performance.svg)`;

/** Returns the versions of the package that the chart was measured with. */
export function chartVersions(): string[] {
  const runs = CHARTED.map((id) => results()[id]?.version ?? 'an older version');
  return [...new Set(runs)];
}

function hardware(): string {
  const runs = Object.values(results());
  const one = (values: readonly string[]): string => [...new Set(values)].join(', ');
  const dates = one(runs.map(({ date }) => date).sort());
  return `${one(runs.map(({ cpu }) => cpu))}, 2 cores, Node ${one(runs.map(({ node }) => node))}, ${dates}. The chart is of mcp-resolve ${chartVersions().join(', ')}.`;
}

/** Returns a row for each figure: the ratio, the middle half of its slices, and the A/A row. */
function figures(): string {
  const ids = Object.keys(results()).sort((a, b) =>
    orderOf(a).localeCompare(orderOf(b), 'en', { numeric: true }),
  );
  const rows = ids.flatMap((id) =>
    (results()[id]?.figures ?? []).map((figure) => [id, figure.name, ...cellsOf(figure)]),
  );
  return table(['', 'figure', 'value', 'middle half', 'A/A'], rows);
}

/** Returns a key that sorts the goals with a number first. */
const orderOf = (id: string): string => (/^Q\d/.test(id) ? `0 ${id}` : `1 ${id}`);

function cellsOf({ value, unit, spread, same }: Figure): string[] {
  const middle = spread === undefined ? '' : spread.map(formatted).join(' to ');
  return [
    `${formatted(value)} ${unit}`.trimEnd(),
    middle,
    same === undefined ? '' : formatted(same),
  ];
}

/** The results of `npm run bench -- http`. */
interface Http {
  readonly rows: readonly Row[];
  readonly memory: readonly Row[];
}
type Row = Readonly<Record<string, string | number>>;

function http(): string {
  const file = new URL('http.json', import.meta.url);
  const { rows, memory } = JSON.parse(readFileSync(file, 'utf8')) as Http;
  return [tableOf(rows, HTTP_COLUMNS), tableOf(memory, MEMORY_COLUMNS)].join('\n\n');
}

const HTTP_COLUMNS = {
  name: '',
  era: 'protocol',
  server: 'server',
  perSecond: 'requests/s',
  p50: 'p50 ms',
  p99: 'p99 ms',
  cpuPerFlow: 'CPU ms per flow',
  ratio: 'CPU / by hand',
};

const MEMORY_COLUMNS = {
  name: '',
  era: 'protocol',
  server: 'server',
  count: 'count',
  heapEach: 'heap bytes each',
  rssEach: 'process bytes each',
};

function tableOf(rows: readonly Row[], columns: Readonly<Record<string, string>>): string {
  const cell = (value: string | number | undefined): string =>
    typeof value === 'number' ? formatted(value) : (value ?? '');
  return table(
    Object.values(columns),
    rows.map((row) => Object.keys(columns).map((key) => cell(row[key]))),
  );
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const formatted = (value: number): string =>
  Number(shown(value)).toLocaleString('en', { maximumSignificantDigits: 12 });

/** Writes the page and its charts. */
export async function writePage(): Promise<void> {
  writeFileSync(CHART, performanceChart());
  writeFileSync(PAGE, await performancePage());
}
