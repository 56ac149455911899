/** Compares the CPU time of servers in processes of their own. */
import { ratioOf, runnerOf, slicesOf, type Effort, type Slices } from '../measure/compare.js';
import type { Ratio, Runner } from '../measure/compare.js';
import type { Load } from './load.js';

/** A server, and load for it. */
export interface Target {
  /** Returns the CPU time of the server so far, in milliseconds. */
  readonly cpu: () => number | Promise<number>;
  readonly load: Load;
  readonly stop: () => void;
}

/** Starts a server. */
export type Start = () => Promise<Target>;

/** Measures servers of several kinds, and returns the slices of the servers of each kind. */
export async function measureServers(
  kinds: readonly Start[],
  effort: Effort,
): Promise<readonly (readonly Slices[])[]> {
  const targets: Target[] = [];
  try {
    for (const start of kinds)
      for (let count = 0; count < effort.perWay; count += 1) targets.push(await start());
    const runners = targets.map(({ cpu, load }): Runner => runnerOf({ name: '', run: load }, cpu));
    for (const runner of runners) await runner.prepare(effort);
    const slices = await slicesOf(runners, effort);
    return kinds.map((_, kind) => slices.slice(kind * effort.perWay, (kind + 1) * effort.perWay));
  } finally {
    for (const { stop } of targets) stop();
  }
}

/** Compares the CPU time per flow of two kinds of servers. */
export async function compareServers(ours: Start, theirs: Start, effort: Effort): Promise<Ratio> {
  const [our = [], their = []] = await measureServers([ours, theirs], effort);
  return ratioOf(our, their);
}
