/** Q15: the memory of a server after many flows, and of open sessions. */
import type { Figure, Goal } from '../goal.js';
import { ending, grown, growths, opening, waiting, type Trial } from '../http/memory.js';
import { median } from '../measure/statistics.js';

const SESSION: Omit<Trial, 'count' | 'work'> = { era: '2025-11-25', first: 100 };

/** Compares the memory of our server with that of one by hand. */
async function againstHand(what: string, trial: Trial, servers: number): Promise<Figure[]> {
  const ours = await growths('ours', trial, servers);
  const theirs = await growths('byHand', trial, servers);
  return (['heap', 'rss'] as const).map((kind) => ({
    name: `${what}, ${kind === 'heap' ? 'heap' : 'memory of the process'} / by hand`,
    value: grown(ours, kind) / grown(theirs, kind),
    unit: 'x',
    bar: 1.3,
    better: 'lower',
  }));
}

export const memoryGoals: readonly Goal[] = [
  {
    id: 'Q15',
    group: 'http',
    title: 'memory after many flows, and of open sessions',
    measure: async ({ quick, progress }) => {
      const servers = quick ? 1 : 3;
      const [firstFlows, lastFlows] = quick ? [2000, 5000] : [10_000, 50_000];
      progress(`${lastFlows} flows after the first ${firstFlows}`);
      const flows: Trial = { era: '2026-07-28', first: firstFlows, count: lastFlows, work: ending };
      const past = await growths('ours', flows, 1);
      const growth = past.map(({ before, after }) => after.heap / before.heap);
      progress('open sessions');
      const sessions = { ...SESSION, count: quick ? 500 : 2000, work: opening };
      const open = await againstHand('open 2025-11-25 session', sessions, servers);
      progress('calls that wait for an answer');
      const calls = { ...SESSION, count: quick ? 200 : 500, work: waiting };
      return [
        {
          name: `heap after ${lastFlows} more flows / before`,
          value: median(growth),
          unit: 'x',
          bar: 1.05,
          better: 'lower',
        },
        ...open,
        ...(await againstHand('2025-11-25 call that waits', calls, servers)),
      ];
    },
  },
];
