/** The cost of a listener that does nothing. Without one, no event is created (test/counts). */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { confirmFlow } from '../cases/confirm.js';
import { inFlight, sender, type Send } from '../cases/modern.js';
import { callMany, confirming, resolvingMany, type Listening } from '../cases/traces.js';
import { shareOf, type Goal } from '../goal.js';
import { compare, type Way } from '../measure/compare.js';

const WIDTH = 16;
const idle: Listening = { onEvent: () => undefined };

function way(name: string, factory: McpServerFactory, use: (send: Send) => Promise<void>): Way {
  const send = sender(factory);
  return { name, run: (times) => inFlight(times, WIDTH, () => use(send)) };
}

export const tracesGoals: readonly Goal[] = [
  {
    id: 'traces',
    title: 'a listener that does nothing',
    measure: async ({ effort, progress }) => {
      progress('the confirm flow with a listener against the same without one');
      const flow = await compare(
        way('listener', confirming(idle), confirmFlow),
        way('no listener', confirming({}), confirmFlow),
        effort,
      );
      progress('a call of 30 resolvers with a listener against the same without one');
      const call = await compare(
        way('listener', resolvingMany(idle), callMany),
        way('no listener', resolvingMany({}), callMany),
        effort,
      );
      return [
        shareOf('confirm flow with an idle listener / without one', flow),
        shareOf('call of 30 resolvers with an idle listener / without one', call),
      ];
    },
  },
];
