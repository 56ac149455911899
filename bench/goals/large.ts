/** P12: graphs of 100,000 resolvers, and how cost grows to there. */
import { largeByHand, largeWithResolvers, type Layout } from '../cases/large.js';
import type { Pace, Serve } from '../cases/graph.js';
import { shareOf, type Bench, type Figure, type Goal } from '../goal.js';
import { compare, repeating, type Way } from '../measure/compare.js';

const MANY = 100_000;
const QUICK = 10_000;
const MILLION = 1_000_000;
const PACES = ['sync', 'async'] as const;

async function assertSize(serve: Serve, size: number): Promise<void> {
  const given = await serve(0);
  if (given !== size) throw new Error(`counted ${String(given)} of ${size}`);
}

async function way(name: string, serve: Serve, size: number): Promise<Way> {
  await assertSize(serve, size);
  return repeating(name, serve);
}

const ours = (layout: Layout, size: number, pace: Pace): Promise<Way> =>
  way('resolvers', largeWithResolvers(layout, size, pace), size);

async function against(layout: Layout, pace: Pace, bench: Bench): Promise<Figure[]> {
  const { effort, quick, progress } = bench;
  const size = quick ? QUICK : MANY;
  const title = `${layout} of ${size} ${pace} resolvers`;
  // What is judged is what needs no promise; what an author's own promises cost is told beside it.
  const limits = pace === 'sync' ? { bar: 0.1, goal: 0.02 } : undefined;
  const growth = pace === 'sync' ? { bar: 12, goal: 10.5 } : undefined;
  const few = { ...effort, rounds: Math.ceil(effort.rounds / 3) };
  progress(`${title} against recursion`);
  const large = await ours(layout, size, pace);
  const theirs = await way('recursion', largeByHand(layout, size, pace), size);
  const ratio = await compare(large, theirs, few);
  progress(`${title} against a tenth of them`);
  const itself = await compare(large, await ours(layout, size / 10, pace), few);
  return [
    shareOf(`${title} / recursion with await null`, ratio, limits),
    shareOf(`${title} / ${size / 10} of them`, itself, growth),
  ];
}

/** What a fan cannot do without: an object with so many members. */
const filling = (size: number): Way => {
  const names = Array.from({ length: size }, (_, index) => `part${index}`);
  return repeating(`${size} members`, () => {
    const values: Record<string, number> = {};
    for (const name of names) values[name] = 1;
    return values;
  });
};

async function growthOfObjects({ effort, quick, progress }: Bench): Promise<Figure> {
  const size = quick ? QUICK : MANY;
  const name = `object of ${size} members by hand / ${size / 10} of them`;
  progress(name);
  const few = { ...effort, rounds: Math.ceil(effort.rounds / 3) };
  return shareOf(name, await compare(filling(size), filling(size / 10), few));
}

/**
 * V8's table of names has room in powers of two: that of 100,000 members is sixteen times as large
 * as that of 10,000. From 8,000 to 80,000 it is eight times.
 */
const FEWER = 80_000;

async function growthBelowTheStep({ effort, progress }: Bench): Promise<Figure> {
  const name = `fan of ${FEWER} sync resolvers / ${FEWER / 10} of them`;
  progress(name);
  const few = { ...effort, rounds: Math.ceil(effort.rounds / 3) };
  const [large, small] = [await ours('fan', FEWER, 'sync'), await ours('fan', FEWER / 10, 'sync')];
  return shareOf(name, await compare(large, small, few));
}

/** Resolves a chain once: it is there to show that nothing overflows. */
async function depth({ quick, progress }: Bench): Promise<Figure> {
  const size = quick ? MANY : MILLION;
  progress(`a chain of ${size}`);
  for (const pace of PACES) {
    await assertSize(largeWithResolvers('chain', size, pace), size);
  }
  const limits = { bar: MANY, goal: MILLION };
  return { name: 'depth without overflow', value: size, unit: '', better: 'higher', ...limits };
}

export const largeGoals: readonly Goal[] = [
  {
    id: 'P12',
    title: 'graphs of 100,000 resolvers',
    measure: async (bench) => {
      const figures: Figure[] = [];
      for (const pace of bench.quick ? PACES.slice(0, 1) : PACES) {
        for (const layout of ['chain', 'fan'] as const) {
          figures.push(...(await against(layout, pace, bench)));
        }
      }
      if (!bench.quick) figures.push(await growthBelowTheStep(bench));
      return [...figures, await growthOfObjects(bench), await depth(bench)];
    },
  },
];
