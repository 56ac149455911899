/**
 * Compares the library with the model for random graphs, pins, answers, deployments and states. The
 * functions that run in each round, the questions and the end must be those of the model.
 *
 * The seed is fixed. Set another with `FC_SEED=1 npx vitest run test/pin`.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { callShapes, model } from './model.js';
import type { CallShape } from './model.js';
import { playModern, playThrough } from './play.js';

const SEED = Number(process.env.FC_SEED ?? 20_260_728);

const EVERYTHING = ['compute', 'live', 'live', 'ask', 'ask', 'askOrCompute'] as const;
const DETERMINISTIC = ['compute', 'compute', 'ask', 'askOrCompute'] as const;

beforeEach(() => {
  // The library warns about questions that are reworded after every answer, and some are here.
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

/** Expects the library to agree with the model. */
const agrees = async (shape: CallShape): Promise<void> => {
  const expected = { ...model(shape), violations: [] };
  expect(await playModern(shape)).toEqual(expected);
};

test(
  'the library agrees with the model on random calls with pinned values',
  () => forAll(callShapes({ does: EVERYTHING, refusals: false, changes: false }), 250, agrees),
  60_000,
);

test(
  'the library agrees with the model if recorded answers change',
  () => forAll(callShapes({ does: EVERYTHING, refusals: false, changes: true }), 250, agrees),
  60_000,
);

test(
  'the library agrees with the model if deployments reject pinned values',
  () => forAll(callShapes({ does: EVERYTHING, refusals: true, changes: true }), 250, agrees),
  60_000,
);

test('pins make no difference on either era if every function is deterministic', () =>
  forAll(
    callShapes({ does: DETERMINISTIC, refusals: false, changes: false }),
    100,
    async (shape) => {
      const nodes = shape.nodes.map((node) => ({ ...node, ignored: 0 }));
      const pinned = { ...shape, nodes };
      const plain = { ...shape, nodes: nodes.map((node) => ({ ...node, pinned: false })) };
      const [modern, legacy, without] = [
        await playThrough('modern', pinned),
        await playThrough('legacy', pinned),
        await playThrough('legacy', plain),
      ];

      expect(legacy).toEqual(without);
      expect(legacy.times.every((times) => times <= 1)).toBe(true);
      expect(modern.end).toBe(legacy.end);
    },
  ));
