/** Q5: the cost of a call that asks nothing, against the same functions in the body of the tool. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { caller, inFlight } from '../cases/modern.js';
import { largeArguments, thirtyValues, type Values } from '../cases/values.js';
import { shareOf, type Figure, type Goal } from '../goal.js';
import { compare, type Effort, type Ratio, type Way } from '../measure/compare.js';

const WIDTH = 16;

async function againstHand({ params, ours, byHand }: Values, effort: Effort): Promise<Ratio> {
  const way = (name: string, factory: McpServerFactory): Way => {
    const call = caller(factory, params);
    return { name, run: (times) => inFlight(times, WIDTH, call) };
  };
  return compare(way('resolvers', ours), way('by hand', byHand), effort);
}

export const valuesGoals: readonly Goal[] = [
  {
    id: 'Q5',
    title: 'a call with 30 resolvers against the same functions in its body',
    measure: async ({ effort, progress }) => {
      progress('30 synchronous resolvers');
      const synchronous = await againstHand(thirtyValues('synchronous'), effort);
      progress('30 asynchronous resolvers');
      const asynchronous = await againstHand(thirtyValues('asynchronous'), effort);
      const name = (kind: string): string => `call with 30 ${kind} resolvers / by hand`;
      return [
        shareOf(name('synchronous'), synchronous, { bar: 1.15, goal: 1.05 }),
        shareOf(name('asynchronous'), asynchronous, { bar: 1.2, goal: 1.05 }),
      ];
    },
  },
  {
    id: 'Q5b',
    title: 'a call with 100 KB of arguments and one resolver, against the same by hand',
    measure: async ({ effort, progress }) => {
      const figures: Figure[] = [];
      for (const kind of ['text', 'records', 'accents'] as const) {
        progress(`100 KB of ${kind}`);
        const ratio = await againstHand(largeArguments(kind), effort);
        const name = `call with 100 KB of ${kind} and one resolver / by hand`;
        figures.push(shareOf(name, ratio, { bar: 1.2, goal: 1.05 }));
      }
      return figures;
    },
  },
];
