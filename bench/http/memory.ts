/**
 * Measures the memory of open 2025-11-25 sessions, of calls that wait for an answer, and of past
 * flows.
 */
import { inFlight } from '../cases/modern.js';
import { confirmLoad } from './autocannon.js';
import { CONNECTIONS } from './load.js';
import { type Era, start } from './process.js';
import { ask, openSession } from './sessions.js';

/** The memory of one of many sessions, calls or flows, after garbage collection. */
export interface Kept {
  readonly name: string;
  readonly era: Era;
  readonly server: 'ours' | 'by hand';
  /** The number that was added between the two measurements. */
  readonly count: number;
  /** Heap bytes for each of them. */
  readonly heapEach: number;
  /** Process bytes for each of them. */
  readonly rssEach: number;
  /** Bytes at the second measurement. */
  readonly heap: number;
  readonly rss: number;
}

/** The number of each. */
export interface Amounts {
  readonly sessions: number;
  readonly waiting: number;
  /** The flows before the first measurement, which do not count as growth. */
  readonly firstFlows: number;
  readonly flows: number;
}

export async function measureMemory(
  { sessions, waiting, firstFlows, flows }: Amounts,
  tell: (text: string) => void,
): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  const keep = async (trial: Trial): Promise<void> => {
    tell(`${trial.name}, ${trial.era}, ${trial.server}`);
    kept.push(await compared(trial));
  };
  for (const server of ['ours', 'by hand'] as const) {
    const era = '2025-11-25';
    await keep({ name: 'open session', era, server, first: 100, count: sessions, work: opening });
    await keep({
      name: 'waiting call',
      era,
      server,
      first: 100,
      count: waiting,
      work: waitingCalls,
    });
  }
  const past = { name: 'past flow', first: firstFlows, count: flows - firstFlows };
  await keep({ ...past, era: '2026-07-28', server: 'ours', work: confirmLoad });
  return kept;
}

interface Trial extends Pick<Kept, 'name' | 'era' | 'server' | 'count'> {
  /** The number before the first measurement. */
  readonly first: number;
  readonly work: (url: string) => Work | Promise<Work>;
}

/** Does the work this many times. */
type Work = (times: number) => Promise<unknown>;

async function compared({ first, count, work, ...told }: Trial): Promise<Kept> {
  const way = told.server === 'ours' ? 'ours' : 'byHand';
  const server = await start({ way, tool: 'confirm', era: told.era });
  try {
    const run = await work(server.url);
    await run(first);
    const before = await server.memory();
    await run(count);
    const { heap, rss } = await server.memory();
    const [heapEach, rssEach] = [(heap - before.heap) / count, (rss - before.rss) / count];
    return { ...told, count, heapEach, rssEach, heap, rss };
  } finally {
    server.stop();
  }
}

function opening(url: string): Work {
  return (times) => inFlight(times, CONNECTIONS, () => openSession(url));
}

/** Opens calls that wait for an answer, each in its own session. */
function waitingCalls(url: string): Work {
  return (times) => inFlight(times, CONNECTIONS, async () => ask(url, await openSession(url), 1));
}
