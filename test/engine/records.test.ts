/** Resolvers that return objects: consumers get them as they are, and no question hides in one. */
import { confirm, resolver } from 'mcp-resolve';
import type { AnyResolver } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Plan } from 'mcp-resolve/engine';
import { describe, expect, it } from 'vitest';

import { contextOf } from './play.js';

async function valueOf(plan: Plan): Promise<unknown> {
  const resolution = await resolveArguments(
    plan,
    {},
    {
      ctx: contextOf({}),
      protocolVersion: '2026-07-28',
      clientCapabilities: { elicitation: {} },
    },
  );
  return resolution.done ? resolution.values.it : 'asked';
}

/** A graph whose first resolver gives what it is told to, and whose second hands it on. */
class Graph {
  given: () => unknown = () => undefined;
  readonly plan: Plan;

  constructor(pace: string) {
    const giver: AnyResolver =
      pace === 'sync' ? resolver({}, () => this.given()) : resolver({}, async () => this.given());
    const it = resolver({ giver }, (values) => values.giver);
    this.plan = planResolvers({ name: 'tool', resolve: { it } }, []);
  }

  give(given: unknown): Promise<unknown> {
    return this.run(() => given);
  }

  run(given: () => unknown): Promise<unknown> {
    this.given = given;
    return valueOf(this.plan);
  }
}

const graphs = ['sync', 'async'].map((pace) => ({ pace, graph: new Graph(pace) }));

class Order {
  readonly then = 'later';
}

const boom = new Error('boom');
const fails = (): never => {
  throw boom;
};

describe('a resolver that returns an object', () => {
  it.each(graphs)('hands on whatever it is ($pace)', async ({ graph }) => {
    const objects = [{ id: 1 }, [1, 2], new Order(), new Map(), Object.create(null), null];
    for (const given of objects) expect(await graph.give(given)).toBe(given);
  });

  it.each(graphs)('fails for a resolver in place of a value ($pace)', async ({ graph }) => {
    const returned = graph.give(resolver({}, () => 1));
    await expect(returned).rejects.toThrow('returned a resolver, which does not run');
  });

  it('fails for a question that a call inside the call has made', async () => {
    const graph = new Graph('sync');
    const hiding = graph.run(() => {
      let made: unknown;
      const keeps = resolver({}, () => (made = confirm('Kept?')));
      void valueOf(planResolvers({ name: 'keeps', resolve: { it: keeps } }, []));
      return { made };
    });
    await expect(hiding).rejects.toThrow('return the question itself');
  });

  it.each(graphs)('fails for a question inside it ($pace)', async ({ graph }) => {
    const kept = confirm('Sure?');
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index, index]));
    for (const hiding of [
      { sure: kept },
      [kept],
      { ...many, kept },
      [...Object.values(many), kept],
    ])
      await expect(graph.give(hiding)).rejects.toThrow('return the question itself');
    expect(await graph.give(kept)).toBe('asked');
    const record = { sure: true, lines: [{ sku: 1 }] };
    expect(await graph.give(record)).toBe(record);
  });

  it.each(graphs)('calls no getter of it ($pace)', async ({ graph }) => {
    const lazy = Object.defineProperty({}, 'lazy', { enumerable: true, get: fails });
    expect(await graph.give(lazy)).toBe(lazy);
  });

  it.each(graphs)('fails for one that cannot be looked at ($pace)', async ({ graph }) => {
    confirm('Sure?');
    const onlyThen = new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : fails()) });
    for (const given of [onlyThen, new Proxy({}, { getPrototypeOf: fails })])
      await expect(graph.give(given)).rejects.toBe(boom);
  });
});
