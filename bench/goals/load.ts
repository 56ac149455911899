/** The latency of the slowest of many flows. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { confirmFlow, ours, plain, plainCall } from '../cases/confirm.js';
import { inFlight, sender, type Send } from '../cases/modern.js';
import { shareOf, type Goal } from '../goal.js';
import { compareLatency, stopwatch, type Sampled } from '../measure/latency.js';

const WIDTH = 16;

function sampled(factory: McpServerFactory, flow: (send: Send) => Promise<void>): Sampled {
  const send = sender(factory);
  return async (times) => {
    const { took, lap } = stopwatch(() => flow(send));
    await inFlight(times, WIDTH, lap);
    return took;
  };
}

export const loadGoals: readonly Goal[] = [
  {
    id: 'p99',
    title: 'p99 of the confirm flow, 16 in flight',
    measure: async ({ effort, quick, progress }) => {
      progress('a flow of two rounds against two plain calls, in wall-clock time');
      const twoPlainCalls = sampled(plain, async (send) => {
        await plainCall(send);
        await plainCall(send);
      });
      const slices = { ...effort, times: quick ? 150 : 800, share: 0.99 };
      const ratio = await compareLatency(sampled(ours, confirmFlow), twoPlainCalls, slices);
      return [shareOf('p99 of the flow / two plain SDK calls', ratio, { bar: 1.5, goal: 1.1 })];
    },
  },
];
