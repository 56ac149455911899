/**
 * The page docs/performance.md: its prose is written by hand, and what stands between its marks is
 * made from what the runs left in bench/*.json.
 */
import { existsSync, readFileSync } from 'node:fs';

import * as prettier from 'prettier';

import type { Figure } from './goal.js';
import { readCharts, type SavedChart } from './growth/numbers.js';
import { readResults, shown, signOf, type Results, type Saved } from './report.js';

/** Where the page is. */
export const PAGE = new URL('../docs/performance.md', import.meta.url);

/** What the page has to say now. */
export async function performancePage(): Promise<string> {
  let page = readFileSync(PAGE, 'utf8');
  for (const [name, part] of Object.entries({ results, growth, http, profile })) {
    const mark = new RegExp(`(<!-- ${name}:begin -->)[^]*?(<!-- ${name}:end -->)`);
    if (!mark.test(page)) throw new Error(`docs/performance.md has no place for ${name}`);
    page = page.replace(mark, (_, begin: string, end: string) => [begin, part(), end].join('\n\n'));
  }
  const options = await prettier.resolveConfig(PAGE);
  return prettier.format(page, { ...options, parser: 'markdown' });
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const told = (value: number): string =>
  Number(shown(value)).toLocaleString('en', { maximumSignificantDigits: 12 });

const notYet = (command: string): string => `\`${command}\` has left nothing here yet.`;

/** A row for every figure, a column for every version of Node. */
function results(): string {
  const all = readResults();
  const majors = Object.keys(all);
  if (majors.length === 0) return notYet('npm run bench');
  const rows = rowsOf(majors.map((major) => all[major] ?? {}));
  const head = ['', 'figure', 'bar', 'goal', ...majors.map((major) => `Node ${major}`)];
  const runs = majors.flatMap((major) => Object.values(all[major] ?? {}));
  const cpus = [...new Set(runs.map(({ cpu }) => cpu))].join(', ');
  return [`\`npm run bench\`, ${cpus}, ${placesOf(runs)}`, table(head, rows)].join('\n\n');
}

function rowsOf(runs: readonly Results[string][]): string[][] {
  const ids = [...new Set(runs.flatMap((run) => Object.keys(run)))];
  ids.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return ids.flatMap((id) => {
    const columns = runs.map((run) => run[id]?.figures ?? []);
    const names = [...new Set(columns.flat().map(({ name }) => name))];
    return names.map((name) => {
      const cells = columns.map((figures) => figures.find((figure) => figure.name === name));
      const [known] = cells.filter((figure) => figure !== undefined);
      return [id, name, limit(known, 'bar'), limit(known, 'goal'), ...cells.map(figureCell)];
    });
  });
}

function limit(figure: Figure | undefined, which: 'bar' | 'goal'): string {
  const value = figure?.[which];
  return figure === undefined || value === undefined ? '' : `${signOf(figure)} ${told(value)}`;
}

function figureCell(figure: Saved['figures'][number] | undefined): string {
  if (figure === undefined) return '';
  const { value, unit, spread, verdict } = figure;
  const between = spread === undefined ? '' : ` (${spread.map(told).join(' to ')})`;
  return `${told(value)} ${unit}`.trimEnd() + between + (verdict === '' ? '' : `: ${verdict}`);
}

/** On which Node, and when: each once. */
const placesOf = (runs: readonly { readonly node: string; readonly date: string }[]): string =>
  [...new Set(runs.map(({ node, date }) => `Node ${node} on ${date}`))].join(', ');

/** Each chart in a fold, with its numbers below it. */
function growth(): string {
  const charts = Object.entries(readCharts());
  if (charts.length === 0) return notYet('npm run bench -- growth');
  const place = `\`npm run bench -- growth\`, ${placesOf(charts.map(([, chart]) => chart))}`;
  return [place, ...charts.map(([name, chart]) => chartPart(name, chart))].join('\n\n');
}

function chartPart(name: string, { title, x, y, series }: SavedChart): string {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(([size]) => size)))];
  const rows = sizes.map((size) => {
    const costs = series.map(({ points }) => points.find(([at]) => at === size)?.[1]);
    return [told(size), ...costs.map((cost) => (cost === undefined ? '' : told(cost)))];
  });
  return [
    `<details><summary>${title}, in ${y}</summary>`,
    `![${title}](performance/${name}.svg)`,
    table([x, ...series.map((line) => line.name)], rows),
    '</details>',
  ].join('\n\n');
}

/** What `npm run bench:http` leaves: rows of whatever was measured. */
interface Http {
  readonly node: string;
  readonly date: string;
  readonly quick?: boolean;
  readonly rows: readonly Row[];
  readonly memory: readonly Row[];
}
type Row = Readonly<Record<string, string | number>>;

const HTTP = new URL('http.json', import.meta.url);

function http(): string {
  if (!existsSync(HTTP)) return notYet('npm run bench:http');
  const { rows, memory, quick, ...place } = JSON.parse(readFileSync(HTTP, 'utf8')) as Http;
  return [
    `\`npm run bench:http${quick === true ? ' -- --quick' : ''}\`, ${placesOf([place])}`,
    tableOfRows(rows),
    tableOfRows(memory),
  ].join('\n\n');
}

/** What a column is called where its key does not say it. */
const CALLED: Readonly<Record<string, string>> = {
  name: '',
  owner: 'whose',
  perSecond: 'requests/s',
  p50: 'p50 ms',
  p99: 'p99 ms',
  cpuPerFlow: 'CPU ms a flow',
  ratio: 'CPU / by hand',
  speed: 'requests/s / by hand',
  heapEach: 'heap each, B',
  rssEach: 'process each, B',
  heap: 'heap, B',
  rss: 'process, B',
};

function tableOfRows(rows: readonly Row[]): string {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: string | number | undefined): string =>
    typeof value === 'number' ? told(value) : (value ?? '');
  return table(
    keys.map((key) => CALLED[key] ?? key),
    rows.map((row) => keys.map((key) => cell(row[key]))),
  );
}

/** What `npm run bench:profile` leaves. */
interface Profile {
  readonly node: string;
  readonly date: string;
  readonly rows: readonly Row[];
}

const PROFILE = new URL('profile.json', import.meta.url);

function profile(): string {
  if (!existsSync(PROFILE)) return notYet('npm run bench:profile');
  const { rows, ...place } = JSON.parse(readFileSync(PROFILE, 'utf8')) as Profile;
  return [`\`npm run bench:profile\`, in percent, ${placesOf([place])}`, tableOfRows(rows)].join(
    '\n\n',
  );
}
