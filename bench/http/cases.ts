/** The cases. Each compares our server with one written by hand, and that one with itself. */
import { median, quantile, seeded, shuffled } from '../measure/statistics.js';
import { confirmLoad, plainLoad, plainSessionLoad } from './autocannon.js';
import type { Load } from './load.js';
import { start, type ServerProcess, type Served } from './process.js';
import { confirmSessionLoad } from './sessions.js';

export interface Case extends Pick<Served, 'tool' | 'era'> {
  readonly name: string;
  readonly driver: 'autocannon' | 'node:http';
  readonly requestsPerFlow: number;
  readonly loadOn: (url: string) => Load | Promise<Load>;
}

export const cases: readonly Case[] = [
  {
    name: 'confirm flow',
    tool: 'confirm',
    era: '2026-07-28',
    driver: 'autocannon',
    requestsPerFlow: 2,
    loadOn: confirmLoad,
  },
  {
    name: 'call that asks nothing',
    tool: 'plain',
    era: '2026-07-28',
    driver: 'autocannon',
    requestsPerFlow: 1,
    loadOn: plainLoad,
  },
  {
    name: 'confirm flow',
    tool: 'confirm',
    era: '2025-11-25',
    driver: 'node:http',
    requestsPerFlow: 2,
    loadOn: confirmSessionLoad,
  },
  {
    name: 'call that asks nothing',
    tool: 'plain',
    era: '2025-11-25',
    driver: 'autocannon',
    requestsPerFlow: 1,
    loadOn: plainSessionLoad,
  },
];

/** The figures of one server of a case. */
export interface Row extends Pick<Case, 'name' | 'era' | 'driver'> {
  readonly server: Name;
  /** HTTP requests. */
  readonly perSecond: number;
  /** The latency of a whole flow, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The server's CPU time, in milliseconds. */
  readonly cpuPerFlow: number;
  /** The CPU time divided by that of the server by hand. */
  readonly ratio: number;
  /** The requests per second divided by those of the server by hand. */
  readonly speed: number;
}

const NAMES = ['ours', 'by hand', 'by hand again'] as const;
type Name = (typeof NAMES)[number];

interface Slice {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuPerFlow: number;
}

/** The extent of a measurement. */
export interface Extent {
  readonly rounds: number;
  /** The flows in a slice. */
  readonly flows: number;
  /** The flows that each server handles before it is measured. */
  readonly warmUp: number;
}

/** Measures a case in slices of all three servers, in shuffled order. */
export async function measure(
  one: Case,
  { rounds, flows, warmUp }: Extent,
): Promise<readonly Row[]> {
  const random = seeded(rounds);
  const runners = await Promise.all(NAMES.map((name) => runnerOf(one, name)));
  try {
    for (const { load } of runners) await load(warmUp);
    for (let round = 0; round < rounds; round += 1)
      for (const runner of shuffled(runners, random))
        runner.slices.push(await slice(runner, flows, one.requestsPerFlow));
  } finally {
    for (const { server } of runners) server.stop();
  }
  const theirs = runners.find(({ name }) => name === 'by hand')?.slices ?? [];
  return runners.map(({ name, slices }) => ({
    ...{ name: one.name, era: one.era, driver: one.driver, server: name },
    ...middle(slices),
    ratio: ratioOf('cpuPerFlow', slices, theirs),
    speed: ratioOf('perSecond', slices, theirs),
  }));
}

interface Runner {
  readonly name: Name;
  readonly server: ServerProcess;
  readonly load: Load;
  readonly slices: Slice[];
}

async function runnerOf({ tool, era, loadOn }: Case, name: Name): Promise<Runner> {
  const server = await start({ way: name === 'ours' ? 'ours' : 'byHand', tool, era });
  return { name, server, load: await loadOn(server.url), slices: [] };
}

async function slice({ server, load }: Runner, size: number, requests: number): Promise<Slice> {
  const before = await server.cpu();
  const { seconds, flows, took } = await load(size);
  return {
    perSecond: (flows * requests) / seconds,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    cpuPerFlow: ((await server.cpu()) - before) / flows,
  };
}

function middle(slices: readonly Slice[]): Slice {
  const of = (figure: keyof Slice): number => median(slices.map((one) => one[figure]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpuPerFlow: of('cpuPerFlow'),
  };
}

/** Returns the median ratio of all rounds. */
function ratioOf(figure: keyof Slice, ours: readonly Slice[], theirs: readonly Slice[]): number {
  return median(ours.map((one, round) => one[figure] / (theirs[round]?.[figure] ?? Number.NaN)));
}
