/** Prints the tables of a run, and saves its results. */
import { writeFileSync } from 'node:fs';

import { aligned, rounded } from '../text.js';
import type { Row } from './cases.js';
import type { Kept } from './memory.js';

export interface Report {
  readonly node: string;
  readonly date: string;
  readonly quick: boolean;
  readonly rows: readonly Row[];
  readonly memory: readonly Kept[];
}

const RESULTS = new URL('../http.json', import.meta.url);

export function saveReport(report: Report): void {
  writeFileSync(RESULTS, `${JSON.stringify(report, rounded, 2)}\n`);
}

const ROWS = ['', 'era', 'server', 'driver', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms per flow'];
const RATIOS = ['CPU ratio', 'speed'];

export function rowTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    ...[row.name, row.era, row.server, row.driver, row.perSecond.toFixed(0)],
    ...[row.p50, row.p99, row.cpuPerFlow, row.ratio, row.speed].map((one) => one.toFixed(2)),
  ]);
  return aligned([[...ROWS, ...RATIOS], ...cells]);
}

const MEMORY = ['', 'era', 'server', 'count', 'heap each', 'RSS each', 'heap', 'RSS'];

export function memoryTable(memory: readonly Kept[]): string {
  const cells = memory.map((kept) => [
    ...[kept.name, kept.era, kept.server, String(kept.count)],
    ...[`${kept.heapEach.toFixed(1)} B`, `${kept.rssEach.toFixed(0)} B`],
    ...[kept.heap, kept.rss].map((bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`),
  ]);
  return aligned([MEMORY, ...cells]);
}
