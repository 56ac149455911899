/** What importing costs a process that has just begun. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Ratio } from './compare.js';
import { ROOT } from './bundle.js';
import { median, quantile } from './statistics.js';

const run = promisify(execFile);

/** Imports in this order, and says what each of them took of the processor, in milliseconds. */
const PROGRAM = `
  await import('data:text/javascript,');
  const took = [];
  for (const name of process.argv.slice(1)) {
    const before = process.cpuUsage();
    await import(name);
    const { user, system } = process.cpuUsage(before);
    took.push((user + system) / 1000);
  }
  console.log(JSON.stringify(took));
`;

/** What each import costs a fresh process, after those before it. */
export async function importing(...names: readonly string[]): Promise<readonly number[]> {
  const args = ['--input-type=module', '--eval', PROGRAM, '--', ...names];
  const { stdout } = await run(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout) as number[];
}

/** What importing a package costs on top of another one, as a share of that one. */
export async function coldImport(name: string, base: string, rounds: number): Promise<Ratio> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [below = Number.NaN, above = Number.NaN] = await importing(base, name);
    const [alone = Number.NaN] = await importing(base);
    ours.push(above);
    theirs.push(below);
    again.push(alone);
  }
  const ratios = ours.map((took, round) => took / (theirs[round] ?? Number.NaN));
  return {
    median: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    best: Math.min(...ours) / Math.min(...theirs, ...again),
    same: median(again) / median(theirs),
  };
}
