/** Q13: the cost of a large graph for the compiler. */
import { instantiationsOf, programOf, type Layout } from '../cases/compiler.js';
import type { Figure, Goal } from '../goal.js';

/** The more expensive layout is last. Quick runs measure only that one. */
const LAYOUTS = ['chain', 'fan'] as const;

async function figuresOf(layout: Layout): Promise<Figure[]> {
  const programs = [1, 50, 200].map((count) => programOf(layout, count));
  const [one = Number.NaN, fifty = Number.NaN, all = Number.NaN] = await instantiationsOf(programs);
  return [
    {
      name: `instantiations of a ${layout} of 200 resolvers, above 1`,
      value: all - one,
      unit: '',
      better: 'lower',
      ...{ bar: 66_000, goal: 40_000 },
    },
    {
      name: `each of the last 150 of that ${layout} / each of the first 50`,
      value: (all - fifty) / 150 / ((fifty - one) / 49),
      unit: 'x',
      better: 'lower',
      ...{ bar: 1.1, goal: 1.02 },
    },
  ];
}

export const compilerGoals: readonly Goal[] = [
  {
    id: 'Q13',
    title: 'type-checking a tool over 200 resolvers',
    measure: async ({ quick, progress }) => {
      const figures: Figure[] = [];
      for (const layout of quick ? LAYOUTS.slice(1) : LAYOUTS) {
        progress(`a ${layout} of 1, 50 and 200 resolvers`);
        figures.push(...(await figuresOf(layout)));
      }
      return figures;
    },
  },
];
