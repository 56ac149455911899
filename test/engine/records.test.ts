/** Tests resolvers that return objects: consumers receive them unchanged, without questions inside. */
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

/** A graph whose first resolver returns a chosen value, and whose second passes it on. */
class Graph {
  value: () => unknown = () => undefined;
  readonly plan: Plan;

  constructor(pace: string) {
    const source: AnyResolver =
      pace === 'sync' ? resolver({}, () => this.value()) : resolver({}, async () => this.value());
    const it = resolver({ source }, (values) => values.source);
    this.plan = planResolvers({ name: 'tool', resolve: { it } }, []);
  }

  pass(value: unknown): Promise<unknown> {
    return this.run(() => value);
  }

  run(value: () => unknown): Promise<unknown> {
    this.value = value;
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
  it.each(graphs)('passes on the same object ($pace)', async ({ graph }) => {
    const objects = [{ id: 1 }, [1, 2], new Order(), new Map(), Object.create(null), null];
    for (const given of objects) expect(await graph.pass(given)).toBe(given);
  });

  it.each(graphs)('fails if the object is a resolver ($pace)', async ({ graph }) => {
    const returned = graph.pass(resolver({}, () => 1));
    await expect(returned).rejects.toThrow('returned a resolver, where it has no effect');
  });

  it('fails if the object contains a question of a nested call', async () => {
    const graph = new Graph('sync');
    const hiding = graph.run(() => {
      let made: unknown;
      const keeps = resolver({}, () => (made = confirm('Kept?')), { asks: 'form' });
      void valueOf(planResolvers({ name: 'keeps', resolve: { it: keeps } }, []));
      return { made };
    });
    await expect(hiding).rejects.toThrow('returned a question inside another value');
  });

  it.each(graphs)('fails if the object contains a question ($pace)', async ({ graph }) => {
    const kept = confirm('Sure?');
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index, index]));
    for (const hiding of [
      { sure: kept },
      [kept],
      { ...many, kept },
      [...Object.values(many), kept],
    ])
      await expect(graph.pass(hiding)).rejects.toThrow('returned a question inside another value');
    expect(await graph.pass(kept)).toBe('asked');
    const record = { sure: true, lines: [{ sku: 1 }] };
    expect(await graph.pass(record)).toBe(record);
  });

  it.each(graphs)('calls no getter of the object ($pace)', async ({ graph }) => {
    const lazy = Object.defineProperty({}, 'lazy', { enumerable: true, get: fails });
    expect(await graph.pass(lazy)).toBe(lazy);
  });

  it.each(graphs)('fails if the object throws when it is inspected ($pace)', async ({ graph }) => {
    confirm('Sure?');
    const onlyThen = new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : fails()) });
    for (const given of [onlyThen, new Proxy({}, { getPrototypeOf: fails })])
      await expect(graph.pass(given)).rejects.toBe(boom);
  });
});
