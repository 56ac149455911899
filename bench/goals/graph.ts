/** P7 and P8: what a graph costs, against containers and against code that injects nothing. */
import { loadAwilix, loadTypedInject } from '../cases/containers.js';
import {
  byHand,
  expectedOf,
  functionsOf,
  shapeOf,
  withResolvers,
  type Serve,
  type Shape,
} from '../cases/graph.js';
import { shareOf, timesAsFast, type Bench, type Figure, type Goal, type Limits } from '../goal.js';
import { compare, repeating, type Ratio, type Way } from '../measure/compare.js';

const SIZES = [6, 30];

/** A way that has shown once that it gives the right value. */
async function way(name: string, shape: Shape, serve: Serve): Promise<Way> {
  const [given, expected] = [await serve(7), expectedOf(shape, 7)];
  if (given !== expected) throw new Error(`${name} gives ${String(given)}, not ${expected}`);
  return repeating(name, serve);
}

async function againstContainers(size: number, { effort, progress }: Bench): Promise<Figure[]> {
  const shape = shapeOf(size);
  const promises = { pace: 'async', promised: true } as const;
  const ours = await way('resolvers', shape, await withResolvers(shape, 'async', 'disposed'));
  const against = async (name: string, serve: Serve): Promise<Ratio> => {
    progress(`${size} resolvers against ${name}`);
    return compare(ours, await way(name, shape, serve), effort);
  };
  const { withAwilix } = await loadAwilix();
  const { withTypedInject } = await loadTypedInject();
  const named = await functionsOf(shape, { ...promises, named: true });
  const listed = await functionsOf(shape, { ...promises, named: false });
  const proxy = await against('awilix, PROXY', withAwilix(shape, named, 'PROXY'));
  const classic = await against('awilix, CLASSIC', withAwilix(shape, listed, 'CLASSIC'));
  const typed = await against('typed-inject', withTypedInject(shape, listed, 'disposed'));
  const left = await against('typed-inject, not disposed', withTypedInject(shape, listed, 'left'));
  const [mode, better] = proxy.median > classic.median ? ['PROXY', proxy] : ['CLASSIC', classic];
  return [
    timesAsFast(`${size} resolvers against awilix (${mode})`, better, { bar: 4, goal: 10 }),
    timesAsFast(`${size} resolvers against typed-inject`, typed, { bar: 3, goal: 7 }),
    timesAsFast(`${size} resolvers against typed-inject whose scopes are not disposed of`, left),
  ];
}

async function againstHand(size: number, { effort, progress }: Bench): Promise<Figure[]> {
  const shape = shapeOf(size);
  const measured = async (pace: 'sync' | 'async', wait: 'await ' | '', limits?: Limits) => {
    const name = `${size} ${pace} resolvers / ${wait === '' ? 'calls without await' : 'awaits'}`;
    progress(name);
    const ours = await way('resolvers', shape, await withResolvers(shape, pace));
    const theirs = await way('by hand', shape, await byHand(shape, pace, wait));
    return shareOf(name, await compare(ours, theirs, effort), limits);
  };
  return [
    await measured('async', 'await ', { bar: 3, goal: 1.5 }),
    await measured('sync', 'await ', { bar: 1.1, goal: 0.5 }),
    await measured('sync', ''),
  ];
}

const forSizes =
  (figures: (size: number, bench: Bench) => Promise<Figure[]>): Goal['measure'] =>
  async (bench) => {
    const all: Figure[] = [];
    for (const size of SIZES) all.push(...(await figures(size, bench)));
    return all;
  };

export const graphGoals: readonly Goal[] = [
  { id: 'P7', title: 'graphs against containers', measure: forSizes(againstContainers) },
  { id: 'P8', title: 'graphs against code by hand', measure: forSizes(againstHand) },
];
