/**
 * Measures the memory of open 2025-11-25 sessions, of calls that wait for an answer, and of past
 * flows, after garbage collection.
 */
import { inFlight } from '../cases/modern.js';
import { median } from '../measure/statistics.js';
import { CONNECTIONS, modernLoad } from './load.js';
import { flows, type Era } from './messages.js';
import { start, type Memory, type Served } from './process.js';
import { ask, openSession } from './sessions.js';

/** The work whose memory is measured. */
export interface Trial {
  readonly era: Era;
  /** The number before the first measurement, which does not count. */
  readonly first: number;
  readonly count: number;
  /** Returns a function that does the work this many times. */
  readonly work: (url: string) => Work | Promise<Work>;
}

type Work = (times: number) => Promise<unknown>;

/** Bytes before and after. */
export interface Growth {
  readonly before: Memory;
  readonly after: Memory;
}

/** Measures a trial on several servers, one after the other. */
export async function measureGrowths(
  way: Served['way'],
  trial: Trial,
  servers: number,
): Promise<readonly Growth[]> {
  const taken: Growth[] = [];
  for (let each = 0; each < servers; each += 1) taken.push(await growthOf(way, trial));
  return taken;
}

async function growthOf(way: Served['way'], { era, first, count, work }: Trial): Promise<Growth> {
  const server = await start({ way, tool: 'confirm', era });
  try {
    const run = await work(server.url);
    await run(first);
    const before = await server.memory();
    await run(count);
    return { before, after: await server.memory() };
  } finally {
    server.stop();
  }
}

/** Returns the median growth. */
export function medianGrowth(taken: readonly Growth[], kind: keyof Memory): number {
  return median(taken.map(({ before, after }) => after[kind] - before[kind]));
}

export function openSessions(url: string): Work {
  return (times) => inFlight(times, CONNECTIONS, () => openSession(url));
}

/** Opens calls that wait for an answer, each in its own session. */
export function openWaitingCalls(url: string): Work {
  return (times) =>
    inFlight(times, CONNECTIONS, async () => ask(url, await openSession(url), flows.confirm, 1));
}

/** Sends flows that end. */
export const runFlows = (url: string): Promise<Work> => modernLoad(url, flows.confirm);
