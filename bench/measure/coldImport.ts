/** Measures imports in new processes. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Ratio } from './compare.js';
import { ROOT } from './bundle.js';
import { median, quantile } from './statistics.js';

const run = promisify(execFile);

const PROGRAM = path.join(ROOT, 'bench/measure/imports.mjs');

/** Returns the milliseconds of each import in a new process, one after the other. */
export async function importing(...names: readonly string[]): Promise<readonly number[]> {
  const { stdout } = await run(process.execPath, [PROGRAM, ...names]);
  return JSON.parse(stdout) as number[];
}

/** Compares importing a package on top of another one with importing that other one. */
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
