/**
 * `npm run soak -- tokens` makes a million attempts, or `--attempts`, with the random choices of
 * `--seed`. It prints its counts every few seconds. The exit code is 1 if the server accepted an
 * attempt or gave an unexpected reply, or if the heap grew.
 */
import { parseArgs } from 'node:util';

import { type Findings, soakTokens } from './soak.js';

const { values } = parseArgs({
  options: {
    attempts: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
  },
});
const attempts = Number(values.attempts);
const seed = Number(values.seed);

const MEGABYTE = 2 ** 20;
const SAMPLES = 20;
/** The allowed growth of the heap after the first sample, when the server is warm. */
const GROWTH_MEGABYTES = 24;

const { gc } = globalThis;
if (gc === undefined)
  throw new Error('globalThis.gc is missing. Start this with `npm run soak -- tokens`.');

console.log(`${attempts} attempts with seed ${seed}`);
const started = performance.now();
const heap: number[] = [];
const findings = await soakTokens({
  attempts,
  seed,
  onProgress: (progress) => {
    if (progress.attempts < ((heap.length + 1) * attempts) / SAMPLES) return;
    gc();
    heap.push(process.memoryUsage().heapUsed / MEGABYTE);
    printProgress(progress);
  },
});
print(findings);

function printProgress({ attempts: made, controls, problemCount }: Findings): void {
  const seconds = (performance.now() - started) / 1000;
  const memory = process.memoryUsage.rss() / MEGABYTE;
  console.log(
    [
      `${made} attempts in ${seconds.toFixed()} s`,
      `${controls} genuine calls completed`,
      `${problemCount} problems`,
      `heap ${heap.at(-1)?.toFixed(1) ?? '?'} MB after collection, rss ${memory.toFixed()} MB`,
    ].join(', '),
  );
}

function print(found: Findings): void {
  const { controls, problems, problemCount } = found;
  printCounts('attempts by kind', found.kinds);
  printCounts('attempts by transport', found.doors);
  printCounts('replies', found.replies);
  printCounts('reasons in the log', found.rejections);
  const warm = heap.slice(1);
  const growth = warm.length < 2 ? 0 : (warm.at(-1) ?? 0) - (warm[0] ?? 0);
  const flat = growth < GROWTH_MEGABYTES;
  console.log(`\nheap grew by ${growth.toFixed(1)} MB, ${flat ? 'flat' : 'NOT FLAT'}`);
  for (const problem of problems) console.error(`\nPROBLEM ${problem}`);
  console.log(
    `${found.attempts} attempts, ${controls} genuine calls completed, ${problemCount} problems (seed ${seed})`,
  );
  if (problemCount > 0 || !flat) process.exitCode = 1;
}

function printCounts(title: string, counts: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  for (const [name, count] of sorted) console.log(`  ${String(count).padStart(8)}  ${name}`);
}
