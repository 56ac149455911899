/**
 * Draws the chart of docs/performance.md: one bar per way to write the same tool. A bar is as long
 * as the CPU time of the confirm flow divided by that of the other way. The picture needs no other
 * file and has colours for light and dark pages.
 */
import type { Figure } from './goal.js';
import type { Results } from './report.js';

/** The bars: a figure by its goal and name, and the label of its bar. */
const BARS = [
  ['Q1', 'confirm flow / the same in the SDK idiom', 'the SDK idiom'],
  ['Q2', 'confirm flow / hand-tuned', 'hand-tuned SDK code'],
  ['Q4', 'confirm flow / two plain SDK calls', 'two SDK calls that ask nothing'],
  ['Q3', 'confirm flow / hand-tuned, signing by hand', 'hand-tuned, with its own signature'],
] as const;

/** The goals of the chart. */
export const CHARTED: readonly string[] = BARS.map(([id]) => id);

const WIDTH = 720;
const LEFT = 250;
const RIGHT = 650;
const TOP = 66;
const ROW = 38;
const HEIGHT = TOP + ROW * BARS.length + 34;
/** The ratio at the right edge. */
const LONGEST = 2.4;

const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:16px;font-weight:600}
.quiet{fill:#59636e;font-size:12px}.one{stroke:#59636e;stroke-dasharray:3 3}.bar{fill:#0b7fc7}
.spread{stroke:#1f2328;stroke-width:1.5}.paper{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.one{stroke:#9198a1}
.spread{stroke:#e6edf3}.paper{fill:#0d1117}}`;

/** Returns the title, which states the result of the first bar. */
export function chartTitle(results: Results[string]): string {
  return `A confirm flow takes ${figureOf(results, BARS[0]).value.toFixed(2)} of the CPU time of the SDK idiom`;
}

/** Draws the chart as SVG. */
export function drawChart(results: Results[string]): string {
  const title = chartTitle(results);
  const bottom = TOP + ROW * BARS.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="6"/>
<text class="title" x="16" y="28">${title}</text>
<text class="quiet" x="16" y="48">CPU time of the flow / CPU time of the other way. The thin line is the middle half of all pairs of processes.</text>
${BARS.map((bar, row) => drawBar(bar[2], figureOf(results, bar), TOP + ROW * row)).join('\n')}
<path class="one" d="M${across(1)} ${TOP - 4}V${bottom}"/>
<text class="quiet" x="${across(1)}" y="${bottom + 18}" text-anchor="middle">1: the same cost</text>
</svg>
`;
}

function drawBar(label: string, { value, spread }: Figure, top: number): string {
  const middle = top + ROW / 2;
  const end = across(value);
  const [low, high] = spread ?? [value, value];
  return [
    `<text x="${LEFT - 12}" y="${middle + 4}" text-anchor="end">${label}</text>`,
    `<rect class="bar" x="${LEFT}" y="${top + 8}" width="${end - LEFT}" height="${ROW - 16}" rx="3"/>`,
    `<path class="spread" d="M${across(low)} ${middle}H${across(high)}"/>`,
    `<text x="${across(Math.max(high, value)) + 10}" y="${middle + 4}">${value.toFixed(2)}</text>`,
  ].join('\n');
}

const across = (ratio: number): number =>
  Math.round(LEFT + (Math.min(ratio, LONGEST) / LONGEST) * (RIGHT - LEFT));

function figureOf(results: Results[string], [goal, name]: (typeof BARS)[number]): Figure {
  const found = results[goal]?.figures.find((figure) => figure.name === name);
  if (found === undefined) throw new Error(`bench/results.json has no '${name}' of ${goal}`);
  return found;
}
