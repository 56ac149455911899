/**
 * Compares the engine with the oracle on random calls. For any graph, any behaviour of resolvers
 * and users, and any order of results, the values, questions, rounds and the first error are those
 * of a sequential walk.
 *
 * The seed is fixed and part of the titles. `FC_SEED=1 npx vitest run test/engine` uses another.
 */
import fc from 'fast-check';
import { defineTool } from 'mcp-resolve';
import type { Resolver } from 'mcp-resolve';
import type { Era } from 'mcp-resolve/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';
import { actOf, callShapes, realGraph, realise, responseOf, specOf } from './calls.js';
import type { Behaviour, CallShape, NodeShape, Odds } from './calls.js';
import { answerTo, legacy, modern } from './oracle.js';
import type { AskKind, Reply, Transcript } from './oracle.js';
import { expected, playLegacy, playModern } from './play.js';

const SEED = Number(process.env.FC_SEED ?? 20_260_728);

const FINE: Odds = { throws: 0, refusals: 0, slips: 0, invalid: 0, incapable: 0, maxNodes: 15 };
const MOSTLY_FINE: Odds = { ...FINE, throws: 1, refusals: 2, slips: 2, maxNodes: 25 };
const HOSTILE: Odds = {
  throws: 6,
  refusals: 12,
  slips: 25,
  invalid: 6,
  incapable: 4,
  maxNodes: 12,
};

type Check = (shape: CallShape, scheduler: fc.Scheduler) => Promise<void>;

function forAll(odds: Odds, numRuns: number, check: Check): Promise<void> {
  const property = fc.asyncProperty(callShapes(odds), fc.scheduler(), check);
  return fc.assert(property, { seed: SEED, numRuns });
}

const modernAgrees: Check = async (shape, scheduler) => {
  const oracle = modern(specOf(shape));
  expect(await playModern(shape, oracle, scheduler)).toEqual(expected(oracle, 'keys'));
};

const legacyAgrees: Check = async (shape, scheduler) => {
  const oracle = legacy(specOf(shape));
  expect(await playLegacy(shape, oracle, scheduler)).toEqual(expected(oracle, 'no keys'));
};

beforeEach(() => {
  // Some random calls change a question after every answer, which the engine warns about.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe(`the engine agrees with a sequential walk (seed ${SEED})`, { timeout: 60_000 }, () => {
  it('over several rounds with few failures', () => forAll(MOSTLY_FINE, 1000, modernAgrees));

  it('over several rounds with many failures', () => forAll(HOSTILE, 1200, modernAgrees));

  it('within one legacy call with few failures', () => forAll(MOSTLY_FINE, 1000, legacyAgrees));

  it('within one legacy call with many failures', () => forAll(HOSTILE, 1200, legacyAgrees));

  it('on samples that include long calls, failing calls and every kind of end', () => {
    const count = (odds: Odds, matches: (call: Transcript) => boolean): number =>
      fc
        .sample(callShapes(odds), { seed: SEED, numRuns: 300 })
        .filter((shape) => matches(modern(specOf(shape)))).length;
    const endsWith = (text: string) => (call: Transcript) =>
      'error' in call.end && call.end.error.includes(text);

    expect(count(MOSTLY_FINE, ({ rounds }) => rounds.length >= 4)).toBeGreaterThan(30);
    expect(count(MOSTLY_FINE, ({ end }) => 'values' in end)).toBeGreaterThan(100);
    expect(count(MOSTLY_FINE, ({ rounds }) => rounds[0]!.questions.length >= 3)).toBeGreaterThan(
      30,
    );
    expect(count(HOSTILE, ({ end }) => 'values' in end)).toBeGreaterThan(50);
    expect(count(HOSTILE, endsWith('elicitation was decline'))).toBeGreaterThan(5);
    expect(count(HOSTILE, endsWith('elicitation was cancel'))).toBeGreaterThan(5);
    expect(count(HOSTILE, endsWith('failed on'))).toBeGreaterThan(30);
    expect(count(HOSTILE, endsWith('received'))).toBeGreaterThan(5);
    expect(count(HOSTILE, endsWith('refused'))).toBeGreaterThan(5);
    expect(count(HOSTILE, endsWith('did not declare'))).toBeGreaterThan(5);
  });
});

describe(`an SDK client (seed ${SEED})`, { timeout: 60_000 }, () => {
  it('receives the result of the sequential walk, the same on both eras', () => {
    const calls = fc
      .tuple(callShapes(FINE), fc.option(aborts, { nil: undefined }))
      .map(([shape, abort]) => withOneFailure(shape, abort));
    const property = fc.asyncProperty(calls, async (shape) => {
      const spec = specOf(shape);
      const ends = { modern: modern(spec).end, legacy: legacy(spec).end };
      expect(ends.legacy).toEqual(ends.modern);
      for (const era of eras) {
        const { isError, text } = await callOn(era, shape);
        const end = ends[era];
        if ('error' in end) {
          expect({ isError, text }).toEqual({
            isError: true,
            text: `Error executing tool graph: ${end.error}`,
          });
        } else {
          expect({ isError, values: JSON.parse(text) as unknown }).toEqual({
            isError: false,
            values: end.values,
          });
        }
      }
    });
    return fc.assert(property, { seed: SEED, numRuns: 200 });
  });
});

/** The single failure of a call. */
interface AbortShape {
  readonly at: number;
  readonly how: 'throw' | 'decline' | 'cancel' | 'untick';
}

const aborts: fc.Arbitrary<AbortShape> = fc.record({
  at: fc.nat(24),
  how: fc.constantFrom('throw', 'decline', 'cancel', 'untick'),
});

/** Changes a call so that no value changes between rounds and at most one failure happens. */
function withOneFailure(shape: CallShape, abort: AbortShape | undefined): CallShape {
  const nodes = shape.nodes.map((node, index): NodeShape => {
    const behaviour: Behaviour =
      node.behaviour.does === 'drift' ? { does: 'compute' } : node.behaviour;
    const asksRoots = 'kind' in behaviour && behaviour.kind === 'roots';
    if (index !== (abort && abort.at % shape.nodes.length)) {
      return { ...node, behaviour, reply: asksRoots ? ROOTS : node.reply };
    }
    if (abort?.how === 'throw') return { ...node, behaviour: { does: 'throw' } };
    return {
      ...node,
      behaviour: { does: 'ask', kind: 'confirm' },
      reply: { how: abort?.how ?? 'decline' },
    };
  });
  return { ...shape, nodes };
}

/** Calls the tool of a graph through the SDK, with a scripted user. */
async function callOn(era: Era, shape: CallShape): Promise<{ isError: boolean; text: string }> {
  const spec = specOf(shape);
  const graph = realGraph(spec, (index, inputs) => {
    const node = shape.nodes[index]!;
    const act = actOf(node, index, { inputs, round: 0 });
    return node.later ? Promise.resolve().then(() => realise(act)) : realise(act);
  });
  const tool = defineTool(
    'graph',
    {
      inputSchema: z.object({ city: z.string(), count: z.number() }),
      resolve: graph.resolve,
      // The compiler cannot know the arguments that a random graph needs.
      guards: graph.guards as readonly Resolver<unknown>[],
    },
    ({ city: _, count: __, ...values }: Record<string, unknown>) => JSON.stringify(values),
  );

  const reply = (kind: AskKind, message: string): never => {
    const node = Number(/^question (\d+):/.exec(message)![1]);
    return responseOf(kind, shape.nodes[node]!.reply) as never;
  };
  const { call, client } = await connectClient(era, serving([tool]), {
    elicit: ({ message, requestedSchema }) =>
      reply('confirm' in requestedSchema.properties ? 'confirm' : 'elicit', message),
    sample: ({ messages }) => reply('sample', (messages[0]!.content as { text: string }).text),
    roots: () => answerTo('roots', ROOTS.number) as never,
    maxRounds: 60,
  });
  const { content, isError = false } = await call('graph', spec.args);
  await client.close();
  return { isError, text: (content[0] as { text: string }).text };
}

/** The answer to every request for roots, because such requests cannot be told apart. */
const ROOTS: Reply & { how: 'accept' } = { how: 'accept', number: 0 };
