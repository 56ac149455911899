/** Q14: the size and the cold import of the core. */
import type { Goal } from '../goal.js';
import { shareOf } from '../goal.js';
import { ENTRIES, weigh } from '../measure/bundle.js';
import { coldImport } from '../measure/coldImport.js';

const SDK = '@modelcontextprotocol/server';

export const sizeGoals: readonly Goal[] = [
  {
    id: 'Q14',
    title: 'size and cold import of the core',
    measure: async ({ effort, quick, progress }) => {
      progress('size, minified and compressed');
      const core = await weigh(ENTRIES.get('mcp-resolve') ?? '', { peers: false });
      const sdk = await weigh(SDK, { peers: true });
      progress('cold import, on top of the SDK');
      const cold = await coldImport('mcp-resolve', SDK, quick ? 5 : effort.rounds);
      return [
        { name: 'core entry, min + gzip', value: core.gzip / 1000, unit: 'KB', better: 'lower' },
        {
          name: 'core entry / SDK server bundle, min + gzip',
          value: core.gzip / sdk.gzip,
          unit: 'x',
          better: 'lower',
          ...{ bar: 0.28, goal: 0.22 },
        },
        shareOf('cold import beyond the SDK / SDK', cold, { bar: 0.1 }),
      ];
    },
  },
];
