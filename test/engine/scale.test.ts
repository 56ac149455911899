/**
 * Tests deep and wide graphs of 100,000 resolvers. Nothing overflows, and the work grows with the
 * number of resolvers and needs. The tests count work and do not time it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InvalidGraphError, defineTool, elicit, resolver } from 'mcp-resolve';
import type { AnyResolver, Need, Resolver } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Plan, Resolution } from 'mcp-resolve/engine';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { contextOf } from './play.js';

const MANY = 100_000;

type Pace = 'sync' | 'async';
const paces: readonly Pace[] = ['sync', 'async'];

/** A graph whose value is a number that only a complete and correct run returns. */
interface Graph {
  readonly top: Resolver<number>;
  readonly value: number;
  /** Returns the number of runs of all bodies, and of the one that ran most. */
  readonly runs: () => { total: number; most: number };
}

class Counter {
  private readonly counts = new Map<number, number>();

  /** Creates a resolver that combines the values of its needs and counts its runs. */
  node<T extends number | boolean>(
    needs: Record<string, Need>,
    pace: Pace,
    combine: (values: readonly number[]) => T,
  ): Resolver<T> {
    const id = this.counts.size;
    this.counts.set(id, 0);
    const body = (values: Record<string, unknown>): T => {
      this.counts.set(id, this.counts.get(id)! + 1);
      return combine(Object.values(values) as number[]);
    };
    const later = async (values: Record<string, unknown>): Promise<T> => body(values);
    const made: AnyResolver = pace === 'sync' ? resolver(needs, body) : resolver(needs, later);
    // The compiler cannot know the arguments of a graph that is created in a loop.
    return made as Resolver<T>;
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

/** Each resolver needs the previous one. */
function chain(pace: Pace): Graph {
  const counter = new Counter();
  let top = counter.node({}, pace, successor);
  for (let index = 1; index < MANY; index += 1)
    top = counter.node({ before: top }, pace, successor);
  return { top, value: MANY, runs: () => counter.runs() };
}

/** One resolver needs all others. */
function fanIn(pace: Pace): Graph {
  const counter = new Counter();
  const needs: Record<string, Need> = {};
  for (let index = 1; index < MANY; index += 1) {
    needs[`part${index}`] = counter.node({}, pace, () => 1);
  }
  return { top: counter.node(needs, pace, sum), value: MANY - 1, runs: () => counter.runs() };
}

/** All resolvers need the first one, and the last one needs all others. */
function fanOutAndIn(pace: Pace): Graph {
  const counter = new Counter();
  const source = counter.node({}, pace, () => 1);
  const needs: Record<string, Need> = {};
  for (let index = 2; index < MANY; index += 1) {
    needs[`part${index}`] = counter.node({ source }, pace, sum);
  }
  return { top: counter.node(needs, pace, sum), value: MANY - 2, runs: () => counter.runs() };
}

/** A chain of diamonds: without a memo, two to the power of 33,333 runs. */
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

/** Checks that a plan holds each need once at its consumer and once at its source. */
function expectEachNeedOnce({ nodes }: Plan): void {
  const count = (of: (node: Plan['nodes'][number]) => number): number => sum(nodes.map(of));
  const needs = count((node) => Object.keys(node.resolver.needs).length);

  expect(new Set(nodes.map(({ key }) => key)).size).toBe(nodes.length);
  expect(count(({ fills }) => fills.length)).toBe(needs);
  expect(count(({ serves }) => serves.length)).toBe(needs + 1);
}

describe.each(paces)('100,000 %s resolvers', { timeout: 60_000 }, (pace) => {
  it.each(names)('in a %s run once each on both eras', async (name) => {
    const { top, value, runs } = graphs[name](pace);
    const plan = planResolvers({ name: 'tool', resolve: { top } }, []);

    expect(await resolve(plan)).toMatchObject({ done: true, values: { top: value } });
    expect(runs()).toEqual({ total: plan.nodes.length, most: 1 });
    expect(await resolve(plan, '2025-11-25')).toMatchObject({ done: true, values: { top: value } });
    expect(runs()).toEqual({ total: 2 * plan.nodes.length, most: 2 });
    expectEachNeedOnce(plan);
  });

  it.each(names)('in a %s work for a guard and as a parameter of a tool', async (name) => {
    const { top, value, runs } = graphs[name](pace);
    const guard = resolver({ top }, (values) => values.top === value);
    const config = { guards: [guard], resolve: { top } };
    const tool = defineTool('tool', config, ({ top: result }) => String(result));

    expect(await tool.call(undefined)).toEqual({
      content: [{ type: 'text', text: String(value) }],
    });
    expect(runs().most).toBe(1);
  });
});

describe('a plan', { timeout: 60_000 }, () => {
  it('accepts 100,000 parameters and 100,000 guards', async () => {
    const counter = new Counter();
    const guards = Array.from({ length: MANY }, () => counter.node({}, 'sync', () => true));
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

  /** Creates a chain that passes the value of `first` on. */
  function passOn(first: () => unknown): AnyResolver {
    let top: AnyResolver = resolver({}, first);
    for (let index = 1; index < NODES; index += 1)
      top = resolver({ before: top }, ({ before }) => before);
    return top;
  }

  it('keeps concurrent and nested calls apart', async () => {
    const names = ['before', 'first', 'second', 'outer', 'inner'];
    const waiting: ((value: unknown) => void)[] = [];
    // Each call holds a value while it waits.
    const chain = passOn(() => names.shift());
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

  it('holds no value of a call that has ended', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const top = passOn(() => ({ secret: true }));
    const plan = planResolvers({ name: 'tool', resolve: { top } }, []);
    const kept = await (async () => new WeakRef(valuesOf(await resolve(plan)).top as object))();
    // V8 may keep the last values of a loop alive until its next collection.
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
  /** Creates a plan with one resolver that needs many others, which run `body`. */
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
    ['the last one fails first', (index: number, last: number) => index === last],
    ['all fail in reverse order', () => true],
  ])('costs work in proportion to the number of resolvers if %s', async (_, fails) => {
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
    const { result, steps } = await countSteps(async () => {
      const failing = resolve(plan).catch((error: unknown) => error);
      for (const turn of turns.reverse()) turn();
      return failing;
    });

    expect(result).toMatchObject({
      message: fails(1, many) ? 'part 1 failed' : 'part 2000 failed',
    });
    expect(steps).toBeLessThan(10 * many);
  });

  /** Counts the entries of sets and maps that a function iterates over. */
  async function countSteps<T>(act: () => Promise<T>): Promise<{ result: T; steps: number }> {
    let steps = 0;
    const restore = [Set.prototype, Map.prototype].map((prototype) => {
      const original = prototype[Symbol.iterator] as () => IterableIterator<unknown>;
      prototype[Symbol.iterator] = function* (this: unknown) {
        for (const entry of { [Symbol.iterator]: () => original.call(this) }) {
          steps += 1;
          yield entry as never;
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
      needs[`part${index}`] = resolver({}, () => elicit(`Part ${index}?`, Answer), {
        asks: 'form',
      });
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
  /** Creates a chain whose first resolver needs `target(all)`. */
  function chainWithCycle(target: (all: readonly AnyResolver[]) => AnyResolver): Resolver<unknown> {
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
  ])('of a chain of 100,000 back %s is an InvalidGraphError with a short message', (_, target) => {
    const top = chainWithCycle(target);
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
