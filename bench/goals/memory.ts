/** Q15: the memory of a server after many flows, and of open sessions. */
import type { Figure, Goal } from '../goal.js';
import {
  runFlows,
  medianGrowth,
  measureGrowths,
  openSessions,
  openWaitingCalls,
  type Trial,
} from '../http/memory.js';
import { median } from '../measure/statistics.js';

const SESSION: Omit<Trial, 'count' | 'work'> = { era: '2025-11-25', first: 100 };

/** The servers of each kind. */
const SERVERS = 2;

/** Compares the memory of our server with that of one by hand. */
async function againstHand(what: string, trial: Trial): Promise<Figure[]> {
  const [ours, theirs] = await Promise.all([
    measureGrowths('ours', trial, SERVERS),
    measureGrowths('byHand', trial, SERVERS),
  ]);
  return (['heap', 'rss'] as const).map((kind) => ({
    name: `${what}, ${kind === 'heap' ? 'heap' : 'memory of the process'} / by hand`,
    value: medianGrowth(ours, kind) / medianGrowth(theirs, kind),
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
      const [first, count] = quick ? [2000, 5000] : [5000, 50_000];
      progress(`${count} flows after the first ${first}, and open sessions`);
      // Time does not matter, so all run at once.
      const [past, sessions, calls] = await Promise.all([
        measureGrowths('ours', { era: '2026-07-28', first, count, work: runFlows }, 1),
        againstHand('open 2025-11-25 session', {
          ...SESSION,
          count: quick ? 500 : 2000,
          work: openSessions,
        }),
        againstHand('2025-11-25 call that waits', {
          ...SESSION,
          count: quick ? 200 : 500,
          work: openWaitingCalls,
        }),
      ]);
      const growth = past.map(({ before, after }) => after.heap / before.heap);
      return [
        {
          name: `heap after ${count} more flows / before`,
          value: median(growth),
          unit: 'x',
          bar: 1.05,
          better: 'lower',
        },
        ...sessions,
        ...calls,
      ];
    },
  },
];
