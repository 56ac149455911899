/** P7 and P8: what a graph costs, against containers and against code that injects nothing. */
import { confirm } from 'mcp-resolve';

import { loadAwilix, loadTypedInject } from '../cases/containers.js';
import {
  byHand,
  expectedOf,
  functionsOf,
  shapeOf,
  totalOf,
  withResolvers,
  type Nodes,
  type Pace,
  type Serve,
} from '../cases/graph.js';
import { shareOf, timesAsFast, type Bench, type Figure, type Goal, type Limits } from '../goal.js';
import { compare, repeating, type Ratio, type Way } from '../measure/compare.js';

const SIZES = [6, 30];

/** A way that has shown once that it gives the right value. */
async function way(name: string, { shape }: Nodes, serve: Serve): Promise<Way> {
  const [given, expected] = [totalOf(await serve(7)), expectedOf(shape, 7)];
  if (given !== expected) throw new Error(`${name} gives ${String(given)}, not ${expected}`);
  return repeating(name, serve);
}

/** How a figure calls its graph: what gives numbers is what the goals are about. */
const calledBy = ({ shape, gives }: Nodes, pace = ''): string =>
  `${shape.length} ${pace}resolvers${gives === 'records' ? ' of records' : ''}`;

async function againstContainers(nodes: Nodes, { effort, progress }: Bench): Promise<Figure[]> {
  const { shape, gives } = nodes;
  const called = calledBy(nodes);
  const promises = { pace: 'async', gives, promised: true } as const;
  const ours = await way('resolvers', nodes, await withResolvers(nodes, 'disposed'));
  const against = async (name: string, serve: Serve): Promise<Ratio> => {
    progress(`${called} against ${name}`);
    return compare(ours, await way(name, nodes, serve), effort);
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
    timesAsFast(`${called} against awilix (${mode})`, better, { bar: 4, goal: 10 }),
    timesAsFast(`${called} against typed-inject`, typed, { bar: 3, goal: 7 }),
    timesAsFast(`${called} against typed-inject whose scopes are not disposed of`, left),
  ];
}

async function againstHand(nodes: Nodes, { effort, progress }: Bench): Promise<Figure[]> {
  const measured = async (pace: Pace, wait: 'await ' | '', limits?: Limits) => {
    const called = calledBy(nodes, `${pace} `);
    const name = `${called} / ${wait === '' ? 'calls without await' : 'awaits'}`;
    progress(name);
    const paced = { ...nodes, pace };
    const ours = await way('resolvers', paced, await withResolvers(paced));
    const theirs = await way('by hand', paced, await byHand(paced, wait));
    return shareOf(name, await compare(ours, theirs, effort), limits);
  };
  return [
    await measured('async', 'await ', { bar: 3, goal: 1.5 }),
    await measured('sync', 'await ', { bar: 1.1, goal: 0.5 }),
    await measured('sync', ''),
  ];
}

/** The same where values are looked into, because there has been a question that one could hide. */
async function whereSomebodyAsks(bench: Bench): Promise<Figure[]> {
  confirm('Is there a question?');
  const all: Figure[] = [];
  for (const size of bench.quick ? [] : SIZES) {
    const nodes = { shape: shapeOf(size), pace: 'async', gives: 'records' } as const;
    const figures = await againstHand(nodes, bench);
    for (const { bar: _, goal: __, ...told } of figures)
      all.push({ ...told, name: `${told.name}, in a server that asks` });
  }
  return all;
}

const forGraphs =
  (figures: (nodes: Nodes, bench: Bench) => Promise<Figure[]>): Goal['measure'] =>
  async (bench) => {
    const all: Figure[] = [];
    for (const gives of bench.quick ? (['numbers'] as const) : (['numbers', 'records'] as const)) {
      for (const size of SIZES) {
        all.push(...(await figures({ shape: shapeOf(size), pace: 'async', gives }, bench)));
      }
    }
    return all;
  };

export const graphGoals: readonly Goal[] = [
  { id: 'P7', title: 'graphs against containers', measure: forGraphs(againstContainers) },
  {
    id: 'P8',
    title: 'graphs against code by hand',
    measure: async (bench) => [
      ...(await forGraphs(againstHand)(bench)),
      ...(await whereSomebodyAsks(bench)),
    ],
  },
];
