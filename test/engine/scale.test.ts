/**
 * Graphs of 100,000 resolvers, deep and wide: nothing overflows, and the work grows with the number
 * of resolvers and of needs between them; and what large plans keep between calls. Work is counted,
 * never timed.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InvalidGraphError, defineTool, elicit, resolver } from 'mcp-resolve';
import type { AnyResolver, Need, Resolver } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Plan, PlanNode, Resolution } from 'mcp-resolve/engine';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { contextOf } from './play.js';

const MANY = 100_000;

type Pace = 'sync' | 'async';
const paces: readonly Pace[] = ['sync', 'async'];

/** Graphs whose value is a number that only a complete and correct run gives. */
interface Graph {
  readonly top: Resolver<number>;
  readonly value: number;
  /** How often each body ran. */
  readonly runs: () => { total: number; most: number };
}

class Counter {
  private readonly counts = new Map<number, number>();

  /** A resolver that adds one to the sum, or another combination, of its needs. */
  node(
    needs: Record<string, Need>,
    pace: Pace,
    combine: (values: readonly number[]) => number,
  ): Resolver<number> {
    const id = this.counts.size;
    this.counts.set(id, 0);
    const body = (values: Record<string, unknown>): number => {
      this.counts.set(id, this.counts.get(id)! + 1);
      return combine(Object.values(values) as number[]);
    };
    const later = async (values: Record<string, unknown>): Promise<number> => body(values);
    const made: AnyResolver = pace === 'sync' ? resolver(needs, body) : resolver(needs, later);
    // What a graph that is made in a loop requires of the tool, the compiler cannot know.
    return made as Resolver<number>;
  }

  runs(): { total: number; most: number } {
    const counts = [...this.counts.values()];
    return {
      total: counts.reduce((sum, count) => sum + count, 0),
      most: counts.reduce((most, count) => Math.max(most, count), 0),
    };
  }
}

const successor = (values: readonly number[]): number => (values[0] ?? 0) + 1;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Each needs the one before. */
function chain(pace: Pace): Graph {
  const counter = new Counter();
  let top = counter.node({}, pace, successor);
  for (let index = 1; index < MANY; index += 1)
    top = counter.node({ before: top }, pace, successor);
  return { top, value: MANY, runs: () => counter.runs() };
}

/** One needs all the others. */
function fanIn(pace: Pace): Graph {
  const counter = new Counter();
  const needs: Record<string, Need> = {};
  for (let index = 1; index < MANY; index += 1) {
    needs[`part${index}`] = counter.node({}, pace, () => 1);
  }
  return { top: counter.node(needs, pace, sum), value: MANY - 1, runs: () => counter.runs() };
}

/** One is needed by all the others, which one more collects. */
function fanOutAndIn(pace: Pace): Graph {
  const counter = new Counter();
  const source = counter.node({}, pace, () => 1);
  const needs: Record<string, Need> = {};
  for (let index = 2; index < MANY; index += 1) {
    needs[`part${index}`] = counter.node({ source }, pace, sum);
  }
  return { top: counter.node(needs, pace, sum), value: MANY - 2, runs: () => counter.runs() };
}

/** Diamonds on top of each other: without a memo, two to the power of 33,333 runs. */
function ladder(pace: Pace): Graph {
  const counter = new Counter();
  const larger = (values: readonly number[]): number => Math.max(...values) + 1;
  let top = counter.node({}, pace, successor);
  let made = 1;
  for (; made + 3 <= MANY; made += 3) {
    const left = counter.node({ below: top }, pace, successor);
    const right = counter.node({ below: top }, pace, successor);
    top = counter.node({ left, right, below: top }, pace, larger);
  }
  return { top, value: 1 + 2 * ((made - 1) / 3), runs: () => counter.runs() };
}

const graphs = { chain, fanIn, fanOutAndIn, ladder };
const names = Object.keys(graphs) as (keyof typeof graphs)[];

function resolve(plan: Plan, protocolVersion = '2026-07-28') {
  return resolveArguments(
    plan,
    {},
    { ctx: contextOf(), protocolVersion, clientCapabilities: { elicitation: {} } },
  );
}

/** Each need is written down once at its consumer and once at its source. */
function expectEachNeedOnce({ nodes }: Plan): void {
  const count = (of: (node: PlanNode) => number): number => sum(nodes.map(of));
  const needs = count((node) => Object.keys(node.resolver.needs).length);

  expect(new Set(nodes.map(({ key }) => key)).size).toBe(nodes.length);
  expect(count(({ fills }) => fills.length)).toBe(needs);
  expect(count(({ serves }) => serves.length)).toBe(needs + 1);
}

describe.each(paces)('100,000 %s resolvers', { timeout: 60_000 }, (pace) => {
  it.each(names)('in a %s run once each, on either era', async (name) => {
    const { top, value, runs } = graphs[name](pace);
    const plan = planResolvers({ name: 'tool', resolve: { top } }, []);

    expect(await resolve(plan)).toMatchObject({ done: true, values: { top: value } });
    expect(runs()).toEqual({ total: plan.nodes.length, most: 1 });
    expect(await resolve(plan, '2025-11-25')).toMatchObject({ done: true, values: { top: value } });
    expect(runs()).toEqual({ total: 2 * plan.nodes.length, most: 2 });
    expectEachNeedOnce(plan);
  });

  it.each(names)('in a %s guard and fill a tool that can be called', async (name) => {
    const { top, value, runs } = graphs[name](pace);
    const config = { guards: [top], resolve: { top } };
    const tool = defineTool('tool', config, ({ top: result }) => String(result));

    expect(await tool.call(undefined)).toEqual({
      content: [{ type: 'text', text: String(value) }],
    });
    expect(runs().most).toBe(1);
  });
});

describe('a plan', { timeout: 60_000 }, () => {
  it('takes 100,000 parameters and 100,000 guards', async () => {
    const counter = new Counter();
    const guards = Array.from({ length: MANY }, () => counter.node({}, 'sync', () => 1));
    const params = Array.from({ length: MANY }, (_, index): [string, AnyResolver] => [
      `param${index}`,
      counter.node({}, 'sync', () => index),
    ]);
    const plan = planResolvers({ name: 'tool', guards, resolve: Object.fromEntries(params) }, []);

    expect(await resolve(plan)).toHaveProperty('values.param99999', 99_999);
    expect(counter.runs()).toEqual({ total: 2 * MANY, most: 1 });
  });
});

describe('a large plan', () => {
  const NODES = 2000;

  /** A chain that begins with what `first` gives, and goes on with what each was given. */
  function passing(first: () => unknown): AnyResolver {
    let top: AnyResolver = resolver({}, first);
    for (let index = 1; index < NODES; index += 1)
      top = resolver({ before: top }, ({ before }) => before);
    return top;
  }

  it('mixes no two calls, at the same time or inside each other', async () => {
    const names = ['before', 'first', 'second', 'outer', 'inner'];
    const waiting: ((value: unknown) => void)[] = [];
    // Each call has a value in hand while it waits.
    const chain = passing(() => names.shift());
    const answer = resolver({ chain }, () => new Promise((fulfil) => void waiting.push(fulfil)));
    const plan = planResolvers({ name: 'tool', resolve: { chain, answer } }, []);
    const before = resolve(plan);
    waiting.shift()?.(0);
    expect(valuesOf(await before)).toEqual({ chain: 'before', answer: 0 });

    const both = [resolve(plan), resolve(plan)];
    waiting.pop()?.(2);
    waiting.pop()?.(1);
    expect((await Promise.all(both)).map(valuesOf)).toEqual([
      { chain: 'first', answer: 1 },
      { chain: 'second', answer: 2 },
    ]);

    const outer = resolve(plan);
    waiting.shift()?.(resolve(plan).then(valuesOf));
    waiting.shift()?.(3);
    expect(valuesOf(await outer)).toEqual({
      chain: 'outer',
      answer: { chain: 'inner', answer: 3 },
    });
  });

  it('keeps nothing of a call that has ended', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const top = passing(() => ({ secret: true }));
    const plan = planResolvers({ name: 'tool', resolve: { top } }, []);
    const kept = await (async () => new WeakRef(valuesOf(await resolve(plan)).top as object))();
    // The engine of JavaScript may hold on to the last values of a loop until its next collection.
    for (let turn = 0; turn < 10 && kept.deref() !== undefined; turn += 1) {
      await new Promise(setImmediate);
      collectGarbage();
    }
    expect(kept.deref()).toBeUndefined();
    expect(valuesOf(await resolve(plan))).toEqual({ top: { secret: true } });
  });

  const valuesOf = (resolution: Resolution): Record<string, unknown> =>
    resolution.done ? resolution.values : {};
});

describe('a failure among many', { timeout: 60_000 }, () => {
  /** One that needs many others, which do as they are told. */
  function manyParts(many: number, body: (index: number) => unknown): Plan {
    const needs: Record<string, Need> = {};
    for (let index = 1; index <= many; index += 1) {
      needs[`part${index}`] = resolver({}, () => body(index));
    }
    return planResolvers({ name: 'tool', resolve: { top: resolver(needs, () => 0) } }, []);
  }

  it('is the first of 100,000', async () => {
    const plan = manyParts(MANY, async (index) => {
      throw new Error(`part ${index} failed`);
    });
    await expect(resolve(plan)).rejects.toThrow('part 1 failed');
  });

  it.each([
    ['the last one fails at once', (index: number, last: number) => index === last],
    ['all of them fail, the last one first', () => true],
  ])('costs work in proportion where %s', async (_, fails) => {
    const many = 2000;
    const turns: (() => void)[] = [];
    const plan = manyParts(many, (index) => {
      const act = (): number => {
        if (fails(index, many)) throw new Error(`part ${index} failed`);
        return index;
      };
      if (index === many) return act();
      return new Promise<void>((resolve) => turns.push(resolve)).then(act);
    });
    const { result, steps } = await countingSteps(async () => {
      const failing = resolve(plan).catch((error: unknown) => error);
      for (const turn of turns.reverse()) turn();
      return failing;
    });

    expect(result).toMatchObject({
      message: fails(1, many) ? 'part 1 failed' : 'part 2000 failed',
    });
    expect(steps).toBeLessThan(10 * many);
  });

  /** Counts how many members of sets and maps are looked at, one after the other. */
  async function countingSteps<T>(act: () => Promise<T>): Promise<{ result: T; steps: number }> {
    let steps = 0;
    const restore = [Set.prototype, Map.prototype].map((prototype) => {
      const original = prototype[Symbol.iterator] as () => IterableIterator<unknown>;
      prototype[Symbol.iterator] = function* (this: unknown) {
        for (const member of { [Symbol.iterator]: () => original.call(this) }) {
          steps += 1;
          yield member as never;
        }
        return undefined;
      };
      return () => {
        prototype[Symbol.iterator] = original as never;
      };
    });
    try {
      const result = await act();
      return { result, steps };
    } finally {
      for (const undo of restore) undo();
    }
  }
});

describe('100,000 questions', { timeout: 60_000 }, () => {
  it('go out in one round, in walk order', async () => {
    const Answer = z.object({ number: z.number() });
    const needs: Record<string, Need> = {};
    for (let index = 1; index < MANY; index += 1) {
      needs[`part${index}`] = resolver({}, () => elicit(`Part ${index}?`, Answer));
    }
    const plan = planResolvers({ name: 'tool', resolve: { top: resolver(needs, () => 0) } }, []);
    const resolution = await resolve(plan);

    const keys = resolution.done ? [] : Object.keys(resolution.result.inputRequests ?? {});
    expect(keys).toHaveLength(MANY - 1);
    expect(keys[0]).toBe('part1');
    expect(keys.at(-1)).toBe('part99999');
  });
});

describe('a cycle', { timeout: 60_000 }, () => {
  /** A chain whose first resolver needs `target(all)`. */
  function looped(target: (all: readonly AnyResolver[]) => AnyResolver): Resolver<unknown> {
    const needsOfFirst: Record<string, Need> = {};
    const all: AnyResolver[] = [resolver(needsOfFirst, () => 0)];
    for (let index = 1; index < MANY; index += 1) {
      all.push(resolver({ before: all[index - 1]! }, () => 0));
    }
    needsOfFirst.back = target(all);
    return all.at(-1) as Resolver<unknown>;
  }

  it.each([
    ['to the top', (all: readonly AnyResolver[]) => all.at(-1)!],
    ['to the middle', (all: readonly AnyResolver[]) => all[MANY / 2]!],
    ['to itself', (all: readonly AnyResolver[]) => all[0]!],
  ])('at depth 100,000 back %s is an InvalidGraphError with a short message', (_, target) => {
    const top = looped(target);
    const attempts = [
      () => planResolvers({ name: 'tool', guards: [top] }, []),
      () => defineTool('tool', { resolve: { top } }, () => ''),
    ];
    for (const attempt of attempts) {
      const error = thrownBy(attempt);
      expect(error).toBeInstanceOf(InvalidGraphError);
      expect(error).toMatchObject({ code: 'ERR_GRAPH_CYCLE' });
      expect((error as Error).message).toMatch(/^Resolver '.+' has a cyclic dependency/);
      expect((error as Error).message.length).toBeLessThan(1000);
    }
  });
});

function thrownBy(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    return error;
  }
  return undefined;
}
