/**
 * Resolvers that give objects: they are passed on as they are, and no question hides in one. Plans
 * that have run often look at values by compiled code, and a process that has never made a question
 * does not look for one: so the plans of these tests begin in such a process.
 */
import { confirm, resolver } from 'mcp-resolve';
import type { AnyResolver } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Plan } from 'mcp-resolve/engine';
import { expect, it } from 'vitest';

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
  given: unknown;
  readonly plan: Plan;

  constructor(
    pace: string,
    readonly rounds: number,
  ) {
    const giver: AnyResolver =
      pace === 'sync' ? resolver({}, () => this.given) : resolver({}, async () => this.given);
    const it = resolver({ giver }, (values) => values.giver);
    this.plan = planResolvers({ name: 'tool', resolve: { it } }, []);
  }

  give(given: unknown): Promise<unknown> {
    this.given = given;
    return valueOf(this.plan);
  }
}

const graphs = ['sync', 'async'].flatMap((pace) => [
  { pace, kind: 'new', graph: new Graph(pace, 1) },
  { pace, kind: 'compiled', graph: new Graph(pace, 150) },
]);

class Order {
  readonly then = 'later';
}

it.each(graphs)('a $kind plan, $pace, hands on whatever it is given', async ({ graph }) => {
  const objects = [{ id: 1 }, [1, 2], new Order(), new Map(), Object.create(null), null];
  for (let round = 0; round < graph.rounds; round += 1) {
    const given: unknown = objects[round % objects.length];
    expect(await graph.give(given)).toBe(given);
  }
});

it.each(graphs)('a $kind plan, $pace, takes no resolver for a value', async ({ graph }) => {
  const returned = graph.give(resolver({}, () => 1));
  await expect(returned).rejects.toThrow('returned a resolver, which does not run');
});

// From here on there are questions in this process.
it.each(graphs)('a $kind plan, $pace, finds the question inside a value', async ({ graph }) => {
  const kept = confirm('Sure?');
  for (const hiding of [{ sure: kept }, [kept]]) {
    await expect(graph.give(hiding)).rejects.toThrow('return the question itself');
  }
  expect(await graph.give(kept)).toBe('asked');
  const record = { sure: true };
  expect(await graph.give(record)).toBe(record);
});
