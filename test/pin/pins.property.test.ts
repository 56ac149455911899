/**
 * Pins against the model: whatever the graph, whatever is pinned in it, whatever people answer,
 * servers deploy and states say, the functions that run in each round, the questions and the end
 * are the model's.
 *
 * The seed is fixed; `FC_SEED=1 npx vitest run test/pin` takes another.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { callShapes, model } from './model.js';
import type { CallShape } from './model.js';
import { playModern, playThrough } from './play.js';

const SEED = Number(process.env.FC_SEED ?? 20_260_728);

const EVERYTHING = ['compute', 'live', 'live', 'ask', 'ask', 'askOrCompute'] as const;
const NOTHING_MOVES = ['compute', 'compute', 'ask', 'askOrCompute'] as const;

beforeEach(() => {
  // Questions that are reworded after every answer are warned about, and there are some here.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function forAll(
  shapes: fc.Arbitrary<CallShape>,
  numRuns: number,
  check: (shape: CallShape) => Promise<void>,
): Promise<void> {
  return fc.assert(fc.asyncProperty(shapes, check), { seed: SEED, numRuns });
}

const agrees = async (shape: CallShape): Promise<void> => {
  const expected = { ...model(shape), breaches: [] };
  expect(await playModern(shape)).toEqual(expected);
};

test(
  'what is live, pinned and asked runs in the rounds that the model says',
  () => forAll(callShapes({ does: EVERYTHING, refusals: false, moves: false }), 250, agrees),
  60_000,
);

test(
  'so it does where answers become others under a pin',
  () => forAll(callShapes({ does: EVERYTHING, refusals: false, moves: true }), 250, agrees),
  60_000,
);

test(
  'so it does where deployments refuse what others pinned',
  () => forAll(callShapes({ does: EVERYTHING, refusals: true, moves: true }), 250, agrees),
  60_000,
);

test('where nothing moves, pins change nothing on either era', () =>
  forAll(callShapes({ does: NOTHING_MOVES, refusals: false, moves: false }), 100, async (shape) => {
    const nodes = shape.nodes.map((node) => ({ ...node, ignored: 0 }));
    const pinned = { ...shape, nodes };
    const plain = { ...shape, nodes: nodes.map((node) => ({ ...node, pinned: false })) };
    // What was a guard stays one, and nothing else becomes one.
    const guards = shape.guards.filter((guard) => !nodes[guard % nodes.length]!.pinned);
    const [modern, legacy, without] = [
      await playThrough('modern', pinned),
      await playThrough('legacy', pinned),
      await playThrough('legacy', { ...plain, guards }),
    ];

    expect(legacy).toEqual(without);
    expect(legacy.times.every((times) => times <= 1)).toBe(true);
    expect(modern.end).toBe(legacy.end);
  }));
