/**
 * Draws the charts of docs/performance.md. A picture needs no other file and has colours for light
 * and dark pages.
 */
import type { Figure } from './goal.js';
import { nameOfTime, ECHO, ON_NODE_20, OURS } from './goals/languages.js';
import { goProgram, pythonPrograms, rustProgram } from './languages/programs.js';
import { NODES, figureOf, type Results } from './report.js';

/** A picture of bars. */
interface Chart {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly Row[];
  /** The value at the right edge. */
  readonly longest: number;
  /** A value that the bars are compared with, and its label. */
  readonly line: readonly [value: number, label: string];
  readonly legend: readonly string[];
}

/** A label and its bars. */
interface Row {
  readonly label: string;
  readonly bars: readonly (Bar | undefined)[];
}

interface Bar {
  readonly value: number;
  readonly spread?: readonly [number, number] | undefined;
  readonly text: string;
  /** The colour: 0 is dark, 1 is light. */
  readonly tone: 0 | 1;
}

/** The bars of the first chart: a figure by its goal and name, and the label of its bar. */
const WAYS = [
  ['Q1', 'confirm flow / the same in the SDK idiom', 'the SDK idiom'],
  ['Q2', 'confirm flow / hand-tuned', 'hand-tuned SDK code'],
  ['Q4', 'confirm flow / two plain SDK calls', 'two SDK calls that ask nothing'],
  ['Q3', 'confirm flow / hand-tuned, signing by hand', 'hand-tuned, with its own signature'],
] as const;

/** The goals of the first chart. */
export const CHARTED: readonly string[] = WAYS.map(([id]) => id);

/** Returns the title of the first chart, which states the result of its first bar. */
export function waysTitle(results: Results): string {
  const [[id, name]] = WAYS;
  const ratios = NODES.flatMap((node) => {
    const figure = figureOf(results, node, id, name);
    return figure === undefined ? [] : [`${figure.value.toFixed(2)} on Node ${node}`];
  });
  return `A confirm flow / the SDK idiom: ${ratios.join(', ')}`;
}

/** Draws the ways to write the same tool. A bar is our share of the other way's CPU time. */
export function drawWays(results: Results): string {
  const rows = WAYS.map(([id, name, label]): Row => {
    const bars = NODES.map((node, index) => {
      const figure = figureOf(results, node, id, name);
      return figure && { ...barOf(figure, ''), tone: index === 0 ? (0 as const) : (1 as const) };
    });
    return { label, bars };
  });
  return draw({
    title: waysTitle(results),
    note: 'CPU time of our flow / of the other way. The thin line is the middle half of all pairs of processes.',
    rows,
    longest: 2.4,
    line: [1, '1: the same cost'],
    legend: NODES.map((node) => `Node ${node}`),
  });
}

const LANGUAGES = [
  ...[...pythonPrograms].reverse().map(({ name }) => [name, name.replace('the ', '')] as const),
  [ON_NODE_20, ON_NODE_20] as const,
  [OURS, `mcp-resolve on Node ${NODES.at(-1)}`] as const,
  ...[goProgram, rustProgram].map(({ name }) => [name, name.replace('the ', '')] as const),
  [ECHO, 'bare echo'] as const,
];

/** Returns the figure with the CPU time of a server for a confirm flow. */
export function timeOf(results: Results, server: string): Figure | undefined {
  return figureOf(results, NODES.at(-1), 'Q6b', nameOfTime('confirm flow', server));
}

/** Returns the title of the second chart. */
export function languagesTitle(results: Results): string {
  const ms = timeOf(results, OURS)?.value.toFixed(2) ?? '?';
  return `A confirm flow over HTTP takes ${ms} ms of CPU time on Node ${NODES.at(-1)}`;
}

/** Draws the CPU time of servers in several languages, from one run. */
export function drawLanguages(results: Results): string {
  const rows = LANGUAGES.flatMap(([server, label]): Row[] => {
    const figure = timeOf(results, server);
    const tone = label.startsWith(OURS) ? 0 : 1;
    return figure === undefined ? [] : [{ label, bars: [{ ...barOf(figure, ' ms'), tone }] }];
  });
  return draw({
    title: languagesTitle(results),
    note: 'CPU time of the server per flow, two requests. The dashed line is a server that only echoes the same bytes.',
    rows,
    longest: 1.15 * Math.max(1, ...rows.map(({ bars: [bar] }) => bar?.value ?? 0)),
    line: [timeOf(results, ECHO)?.value ?? 0, 'the limit'],
    legend: [],
  });
}

function barOf({ value, spread }: Figure, unit: string): Omit<Bar, 'tone'> {
  return { value, spread, text: `${value.toFixed(2)}${unit}` };
}

const WIDTH = 720;
const LEFT = 275;
const RIGHT = 650;
const TOP = 66;
/** The height of a bar, and the gap between rows. */
const BAR = 18;
const GAP = 16;

const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:16px;font-weight:600}
.quiet{fill:#59636e;font-size:12px}.one{stroke:#59636e;stroke-dasharray:3 3}.bar0{fill:#0b7fc7}.bar1{fill:#7cc4f0}
.spread{stroke:#1f2328;stroke-width:1.5}.paper{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.one{stroke:#9198a1}
.bar1{fill:#2f5f80}.spread{stroke:#e6edf3}.paper{fill:#0d1117}}`;

function draw({ title, note, rows, longest, line: [at, label], legend }: Chart): string {
  const across = (value: number): number =>
    Math.round(LEFT + (Math.min(value, longest) / longest) * (RIGHT - LEFT));
  const step = BAR * Math.max(1, legend.length) + GAP;
  const bottom = TOP + step * rows.length;
  const height = bottom + 34;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="16" y="28">${title}</text>
<text class="quiet" x="16" y="48">${note}</text>
${rows.map((row, index) => drawRow(row, TOP + step * index, across)).join('\n')}
<path class="one" d="M${across(at)} ${TOP - 4}V${bottom}"/>
<text class="quiet" x="${across(at)}" y="${bottom + 18}" text-anchor="middle">${label}</text>
${legend.map(drawLegend(bottom)).join('\n')}
</svg>
`;
}

const drawLegend = (bottom: number) => (name: string, index: number) => {
  const x = 16 + 80 * index;
  return [
    `<rect class="bar${index}" x="${x}" y="${bottom + 8}" width="12" height="12" rx="3"/>`,
    `<text class="quiet" x="${x + 18}" y="${bottom + 18}">${name}</text>`,
  ].join('\n');
};

function drawRow({ label, bars }: Row, top: number, across: (value: number) => number): string {
  const middle = top + (BAR * bars.length) / 2 + GAP / 2;
  return [
    `<text x="${LEFT - 12}" y="${middle + 4}" text-anchor="end">${label}</text>`,
    ...bars.map((bar, index) =>
      bar === undefined ? '' : drawBar(bar, top + GAP / 2 + BAR * index, across),
    ),
  ].join('\n');
}

function drawBar(
  { value, spread = [value, value], text, tone }: Bar,
  top: number,
  across: (value: number) => number,
): string {
  const middle = top + BAR / 2;
  const [low, high] = spread;
  return [
    `<rect class="bar${tone}" x="${LEFT}" y="${top + 1}" width="${across(value) - LEFT}" height="${BAR - 2}" rx="3"/>`,
    `<path class="spread" d="M${across(low)} ${middle}H${across(high)}"/>`,
    `<text x="${across(Math.max(high, value)) + 10}" y="${middle + 4}">${text}</text>`,
  ].join('\n');
}
