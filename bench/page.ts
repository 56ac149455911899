/**
 * Generates docs/performance.md and its charts from the results of `npm run bench`. The prose
 * outside the marks is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import * as prettier from 'prettier';

import { CHARTED, drawLanguages, drawWays, languagesTitle, timeOf, waysTitle } from './chart.js';
import { byOrder, verdictOf, type Figure } from './goal.js';
import { ECHO, ON_NODE_20, OURS } from './goals/languages.js';
import { goProgram, pythonPrograms, rustProgram } from './languages/programs.js';
import { figureOf, NODES, readResults, shown, signOf, type Saved } from './report.js';

const ROOT = new URL('../', import.meta.url);
const PAGE = 'docs/performance.md';

const results = readResults();

/** False if the servers of other languages have no figures yet. */
const areMeasured = timeOf(results, OURS) !== undefined;

/** Returns the files that `npm run bench` writes, with their contents. */
export async function performanceFiles(): Promise<
  readonly (readonly [file: string, text: string])[]
> {
  return [
    ['docs/performance.svg', drawWays(results)],
    ...(areMeasured ? [['docs/languages.svg', drawLanguages(results)] as const] : []),
    [PAGE, await page()],
  ];
}

/** Writes the page and its charts. */
export async function writePage(): Promise<void> {
  for (const [file, text] of await performanceFiles()) writeFileSync(new URL(file, ROOT), text);
}

/** Returns the versions of the package that the first chart was measured with. */
export function chartVersions(): string[] {
  const runs = NODES.flatMap((node) => CHARTED.map((id) => results[node]?.[id]));
  const measured = runs.filter((run) => run !== undefined);
  return [...new Set(measured.map(({ version = 'an older version' }) => version))];
}

async function page(): Promise<string> {
  let text = readFileSync(new URL(PAGE, ROOT), 'utf8');
  for (const [name, part] of Object.entries({ summary, chart, languages, hardware, figures })) {
    const mark = new RegExp(`(<!-- ${name}:begin -->)[^]*?(<!-- ${name}:end -->)`);
    if (!mark.test(text)) throw new Error(`docs/performance.md has no marks for ${name}`);
    text = text.replace(mark, (_, begin: string, end: string) => [begin, part(), end].join('\n\n'));
  }
  const options = await prettier.resolveConfig(new URL(PAGE, ROOT));
  return prettier.format(text, { ...options, parser: 'markdown' });
}

const NEWEST = NODES.at(-1) ?? '';

/**
 * Returns a ratio on each version of Node: `1.1 times as much on Node 20 and 0.9 times on Node 24`.
 * It omits those that were not judged, because the machine was busy.
 */
function onEach(id: string, name: string): string | undefined {
  const parts = NODES.flatMap((node) => {
    const figure = figureOf(results, node, id, name);
    const isJudged = figure !== undefined && verdictOf(figure) !== 'not judged';
    return !isJudged ? [] : [`${figure.value.toFixed(1)} times on Node ${node}`];
  });
  return parts.length === 0 ? undefined : parts.join(' and ').replace('times', 'times as much');
}

/** Joins the parts of a sentence. Returns nothing if one of its figures was not measured. */
function sentence(parts: TemplateStringsArray, ...values: readonly (string | undefined)[]): string {
  if (values.includes(undefined)) return '';
  return parts.map((part, index) => part + (values[index] ?? '')).join('');
}

const perFlow = (name: string): string | undefined => timeOf(results, name)?.value.toFixed(2);

function summary(): string {
  const idiom = onEach('Q1', 'confirm flow / the same in the SDK idiom');
  const plain = onEach('Q4', 'confirm flow / two plain SDK calls');
  const many = onEach('Q8', 'tools/call, 10000 tools / 1 tool');
  const session = onEach('Q7', 'confirm flow over HTTP, 2025-11-25, CPU of the server / by hand');
  const [fast] = pythonPrograms;
  return [
    'A _confirm flow_ is a call that asks for one confirmation: two requests, one form, sealed state.',
    sentence`Its CPU time, compared with the same tool written as the SDK's documentation shows (the _SDK idiom_), is ${idiom}; compared with two calls that ask nothing, it is ${plain}.`,
    sentence`A call on a server with 10,000 tools takes ${many}, compared with a server with one tool.`,
    sentence`Over HTTP, a flow of a 2025-11-25 client takes ${session}, compared with a server written by hand.`,
    sentence`A flow of a 2026-07-28 client takes ${perFlow(OURS)} ms on Node ${NEWEST}, ${perFlow(fast?.name ?? '')} ms with the Python SDK, ${perFlow(goProgram.name)} ms with the Go SDK, and a bare echo of the same bytes takes ${perFlow(ECHO)} ms.`,
  ]
    .filter((text) => text !== '')
    .join(' ');
}

/** Recommends the newest Node if a flow takes less CPU time there. */
function recommendation(): string {
  const [now, before] = [timeOf(results, OURS)?.value, timeOf(results, ON_NODE_20)?.value];
  if (now === undefined || before === undefined || now > 0.95 * before) return '';
  return `**Use Node ${NEWEST}**: there, a confirm flow over HTTP takes ${(now / before).toFixed(2)} of its CPU time on Node 20.`;
}

const chart = (): string => `![${waysTitle(results)}](performance.svg)`;

/** Returns the chart of other languages, and what was compared. */
function languages(): string {
  if (!areMeasured) return 'Not measured yet.';
  const pin = (file: string, pattern: RegExp): string =>
    pattern.exec(readFileSync(new URL(`bench/languages/${file}`, ROOT), 'utf8'))?.[1] ?? '';
  const missing = [...pythonPrograms, goProgram, rustProgram].filter(
    ({ name }) => timeOf(results, name) === undefined,
  );
  return [
    `![${languagesTitle(results)}](languages.svg)`,
    `The servers are in \`bench/languages\`: the Python SDK ${pin('python/requirements.txt', /^mcp==(.+)$/m)} with asynchronous resolvers, the Go SDK ${pin('go/go.mod', /go-sdk v(.+)$/m)}, and the Rust SDK ${pin('rust/Cargo.toml', /rmcp = \{ version = "=([^"]+)"/)}. All serve the same tool to the same client. The Go SDK does not protect the state, so its server encrypts and binds it by hand. The codec of the Rust SDK signs and binds it, but does not encrypt it. The echo reads the request and answers with the bytes of our responses.`,
    ...missing.map(({ name, tool }) => `Without ${name}, because \`${tool}\` was not installed.`),
  ].join('\n\n');
}

function hardware(): string {
  const runs = NODES.flatMap((node) => Object.values(results[node] ?? {}));
  const one = (of: (run: Saved) => string): string => [...new Set(runs.map(of))].sort().join(', ');
  return `${one(({ cpu }) => cpu)}, 2 cores, Node ${one(({ node }) => node)}, ${one(({ date }) => date)}. The chart is of mcp-resolve ${chartVersions().join(', ')}. ${recommendation()}`;
}

/** Returns a row for each figure: its bar, and its value on each version of Node. */
function figures(): string {
  const ids = [...new Set(NODES.flatMap((node) => Object.keys(results[node] ?? {})))];
  const rows = ids
    .sort((a, b) => byOrder({ id: a }, { id: b }))
    .flatMap((id) => {
      const names = NODES.flatMap((node) => results[node]?.[id]?.figures ?? []).map(
        ({ name }) => name,
      );
      return [...new Set(names)].map((name) => {
        const found = NODES.map((node) => figureOf(results, node, id, name));
        const limits = found.find((figure) => figure !== undefined);
        return [id, name, barOf(limits), ...found.flatMap(cellsOf)];
      });
    });
  return table(['', 'figure', 'bar', ...NODES.flatMap((node) => [`Node ${node}`, 'A/A'])], rows);
}

const barOf = (figure: Figure | undefined): string =>
  figure?.bar === undefined ? '' : `${signOf(figure)} ${formatted(figure.bar)}`;

function cellsOf(figure: Figure | undefined): string[] {
  if (figure === undefined) return ['', ''];
  const { value, unit, spread, same } = figure;
  const middle = spread === undefined ? '' : ` (${spread.map(formatted).join(' to ')})`;
  const cell = `${formatted(value)} ${unit}`.trimEnd() + middle;
  return [cell, same === undefined ? '' : formatted(same)];
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const formatted = (value: number): string =>
  Number(shown(value)).toLocaleString('en', { maximumSignificantDigits: 12 });
