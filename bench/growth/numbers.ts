/** The numbers behind the charts, which are kept, and the pictures that are drawn from them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { drawChart, type Chart } from '../measure/chart.js';
import { rounded } from '../text.js';

/** A chart, and where its numbers were measured. */
export interface SavedChart extends Chart {
  readonly date: string;
  readonly node: string;
}

const NUMBERS = new URL('../growth.json', import.meta.url);
export const PICTURES = new URL('../../docs/performance/', import.meta.url);

/** The charts that were measured, by name. */
export function readCharts(): Readonly<Record<string, SavedChart>> {
  if (!existsSync(NUMBERS)) return {};
  return JSON.parse(readFileSync(NUMBERS, 'utf8')) as Record<string, SavedChart>;
}

/** Keeps the numbers of a chart, and gives them as they are kept; the others stay as they were. */
export function saveChart(name: string, chart: Chart): Chart {
  const date = new Date().toISOString().slice(0, 10);
  const charts = { ...readCharts(), [name]: { date, node: process.version, ...chart } };
  writeFileSync(NUMBERS, `${JSON.stringify(charts, rounded, 2)}\n`);
  return readCharts()[name] ?? chart;
}

/** Draws a chart into the docs, or elsewhere. */
export function drawPicture(name: string, chart: Chart, folder = PICTURES): URL {
  mkdirSync(folder, { recursive: true });
  const picture = new URL(`${name}.svg`, folder);
  writeFileSync(picture, drawChart(chart));
  return picture;
}
