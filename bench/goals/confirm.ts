/** Q1 to Q4: the cost of a confirm flow, against the same flow by hand and calls that ask nothing. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import {
  confirmFlow,
  idiomatic,
  ours,
  plain,
  plainCall,
  tuned,
  tunedHmac,
} from '../cases/confirm.js';
import { inFlight, sender, type Send } from '../cases/modern.js';
import { tinyOurs, tinyPlain } from '../cases/tiny.js';
import { shareOf, type Goal } from '../goal.js';
import { compare, type Way } from '../measure/compare.js';

const WIDTH = 16;

function way(name: string, factory: McpServerFactory, flow: (send: Send) => Promise<void>): Way {
  const send = sender(factory);
  return { name, run: (times) => inFlight(times, WIDTH, () => flow(send)) };
}

async function twoPlainCalls(send: Send): Promise<void> {
  await plainCall(send);
  await plainCall(send);
}

const resolvers = way('resolvers', ours, confirmFlow);

export const confirmGoals: readonly Goal[] = [
  {
    id: 'Q1',
    title: 'confirm flow, sealed and bound, 16 in flight',
    measure: async ({ effort, progress }) => {
      progress('resolvers against the idiom of the SDK');
      const theirs = way('idiomatic', idiomatic, confirmFlow);
      const ratio = await compare(resolvers, theirs, effort);
      return [shareOf('confirm flow / the same in the SDK idiom', ratio, { bar: 0.6, goal: 0.45 })];
    },
  },
  {
    id: 'Q2',
    title: 'confirm flow against hand-tuned code',
    measure: async ({ effort, progress }) => {
      progress('resolvers against hand-tuned code with the codec of the SDK');
      const ratio = await compare(resolvers, way('tuned', tuned, confirmFlow), effort);
      return [shareOf('confirm flow / hand-tuned', ratio, { bar: 0.8, goal: 0.65 })];
    },
  },
  {
    id: 'Q3',
    title: 'confirm flow against hand-tuned code that signs by hand',
    measure: async ({ effort, progress }) => {
      progress('resolvers against hand-tuned code with a signature of its own');
      const ratio = await compare(resolvers, way('own HMAC', tunedHmac, confirmFlow), effort);
      return [
        shareOf('confirm flow / hand-tuned, signing by hand', ratio, { bar: 1.5, goal: 1.2 }),
      ];
    },
  },
  {
    id: 'Q4',
    title: 'confirm flow against calls that ask nothing',
    measure: async ({ effort, quick, progress }) => {
      progress('a flow of two rounds against two plain calls');
      const ratio = await compare(resolvers, way('plain', plain, twoPlainCalls), effort);
      const judged = shareOf('confirm flow / two plain SDK calls', ratio, { bar: 1.2, goal: 1 });
      if (quick) return [judged];
      progress('the same for a tool with one argument');
      const tiny = way('tiny', tinyOurs, confirmFlow);
      const small = await compare(tiny, way('tiny plain', tinyPlain, twoPlainCalls), effort);
      return [
        judged,
        shareOf('the same, if the schema is one string', small, { bar: 1.5, goal: 1.2 }),
      ];
    },
  },
];
