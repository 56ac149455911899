/** The cost of `once` on each store, against the same call without it. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { confirmFlow } from '../cases/confirm.js';
import { inFlight, sender } from '../cases/modern.js';
import { confirmingOnce, countingSteps, openStores } from '../cases/once.js';
import { shareOf, type Figure, type Goal } from '../goal.js';
import { compare, type Way } from '../measure/compare.js';

const WIDTH = 16;

function way(name: string, factory: McpServerFactory): Way {
  const send = sender(factory);
  return { name, run: (times) => inFlight(times, WIDTH, () => confirmFlow(send)) };
}

export const onceGoals: readonly Goal[] = [
  {
    id: 'once',
    title: 'a confirm flow with `once`, on each store over loopback',
    measure: async ({ effort, progress }) => {
      const figures: Figure[] = [];
      for (const [name, open] of Object.entries(openStores)) {
        progress(`the confirm flow with a store on ${name} against the same without \`once\``);
        const { store, close } = await open();
        const { store: counting, steps } = countingSteps(store);
        await confirmFlow(sender(confirmingOnce(counting)));
        const added = steps();
        const ours = way(name, confirmingOnce(store));
        const ratio = await compare(ours, way('without', confirmingOnce()), effort);
        await close();
        figures.push(shareOf(`confirm flow with once on ${name} / without once`, ratio), {
          name: `requests of that flow to ${name}`,
          value: added,
          unit: '',
          better: 'lower',
        });
      }
      return figures;
    },
  },
];
