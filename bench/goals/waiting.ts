/** Q10: a resolver waits only for those that it needs. */
import { randomGraph, sideBySide, waitFor, type Waiting } from '../cases/waiting.js';
import { shareOf, type Bench, type Goal } from '../goal.js';
import { compareDurations, repeating, type Ratio } from '../measure/compare.js';

const NODES = 20;

/** Compares a graph with the waits on its critical path, in wall-clock time. */
function againstPath({ run, critical }: Waiting, { effort }: Bench): Promise<Ratio> {
  const ours = repeating('resolvers', run);
  const theirs = repeating('critical path', () => waitFor(critical));
  return compareDurations(ours, theirs, effort);
}

export const waitingGoals: readonly Goal[] = [
  {
    id: 'Q10',
    title: 'independent resolvers wait at the same time',
    measure: async (bench) => {
      const limits = { bar: 1.1, goal: 1.05 };
      bench.progress('10 resolvers of 10 ms against one wait');
      const ten = await againstPath(sideBySide(10, 10), bench);
      const graphs = bench.quick ? 2 : 5;
      const ratios: Ratio[] = [];
      for (let graph = 0; graph < graphs; graph += 1) {
        bench.progress(`random graph ${graph + 1} of ${graphs} against its critical path`);
        ratios.push(await againstPath(randomGraph(NODES, bench.effort.seed + graph), bench));
      }
      const worst = ratios.reduce((a, b) => (a.median > b.median ? a : b));
      return [
        shareOf('10 resolvers of 10 ms / one wait of 10 ms', ten, limits),
        shareOf(`worst of ${graphs} random graphs / its critical path`, worst, limits),
      ];
    },
  },
];
