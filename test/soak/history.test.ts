/**
 * The checker of histories: it explains every history of a store and of calls that a sequential
 * order explains, and no other. The brute force of this file tries every order of small histories.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type CallAnswer, type CallAsk, onceCall } from '../../bench/soak/history/onceCall.js';
import { register, type StoreAnswer, type StoreAsk } from '../../bench/soak/history/register.js';
import { explain, type Machine, type Operation } from '../../bench/soak/history/sequential.js';

type StoreStep = Operation<StoreAsk, StoreAnswer>;
type CallStep = Operation<CallAsk, CallAnswer>;

/** The times of an operation: its begin and its end, or its begin alone. */
type Times = readonly [from: number, to?: number];

const HOUR = 3_600_000;

const get = ([from, to = Infinity]: Times, value?: string): StoreStep => ({
  ask: { step: 'get' },
  answer: { ...(value !== undefined && { value }) },
  from,
  to,
});

const put = (
  [from, to = Infinity]: Times,
  [was, value]: readonly [was: string | undefined, value: string],
  answer: boolean | undefined = to === Infinity ? undefined : true,
  ttlMs = HOUR,
): StoreStep => ({ ask: { step: 'put', value, was, ttlMs }, answer, from, to });

const NEW = undefined;

describe('a history of a store is explained if', () => {
  test.each<[string, StoreStep[]]>([
    ['nothing happened', []],
    ['nothing was written', [get([0, 1]), get([0, 2]), put([3, 4], ['a', 'b'], false)]],
    ['a value is replaced', [put([0, 1], [NEW, 'a']), put([2, 3], ['a', 'b']), get([4, 5], 'b')]],
    ['a read overlaps the write', [put([0, 9], [NEW, 'a']), get([1, 2]), get([3, 4], 'a')]],
    ['a write without an answer took effect', [put([0], [NEW, 'a']), get([5, 6], 'a')]],
    ['a write without an answer had no effect', [put([0], [NEW, 'a']), get([5, 6])]],
    [
      'a write without an answer takes effect late',
      [put([0], [NEW, 'a']), get([5, 6]), get([7, 8], 'a')],
    ],
    ['a repeated put answers true', [put([0, 1], [NEW, 'a']), put([2, 3], [NEW, 'a'])]],
    [
      'concurrent writers succeed in turn',
      [
        put([0, 9], ['a', 'b']),
        put([0, 9], [NEW, 'a']),
        put([0, 9], ['b', 'c']),
        get([10, 11], 'c'),
      ],
    ],
    ['a record has expired', [put([0, 1], [NEW, 'a'], true, 100), get([150, 151])]],
    ['a record has not expired yet', [put([0, 1], [NEW, 'a'], true, 100), get([150, 151], 'a')]],
  ])('%s', (_, history) => {
    expect(explain(register, history)).toBe('explained');
  });
});

describe('a history of a store is not explained if', () => {
  test.each<[string, StoreStep[]]>([
    ['a written value is lost', [put([0, 1], [NEW, 'a']), get([2, 3])]],
    ['a value comes from nowhere', [get([0, 1], 'a')]],
    ['an old value returns', [put([0, 1], [NEW, 'a']), put([2, 3], ['a', 'b']), get([4, 5], 'a')]],
    ['reads go backwards', [put([0, 99], [NEW, 'a']), get([1, 2], 'a'), get([3, 4])]],
    ['two writers replace the same value', [put([0, 9], [NEW, 'a']), put([0, 9], [NEW, 'b'])]],
    ['a put without its `was` succeeds', [put([0, 1], ['x', 'a'])]],
    ['a put that fits is refused', [put([0, 1], [NEW, 'a'], false)]],
    ['a repeated put is refused', [put([0, 1], [NEW, 'a']), put([2, 3], [NEW, 'a'], false)]],
    ['a refused put is read', [put([0, 1], ['x', 'a'], false), get([2, 3], 'a')]],
    [
      'a write without an answer takes effect twice',
      [put([0], [NEW, 'a']), put([5, 6], ['a', 'b']), get([7, 8], 'a')],
    ],
    ['a write takes effect before it began', [get([0, 1], 'a'), put([2, 3], [NEW, 'a'])]],
    ['a record expires early', [put([0, 1], [NEW, 'a'], true, 1000), get([500, 501])]],
    [
      'a refused put shortens a lifetime',
      [put([0, 1], [NEW, 'a']), put([2, 3], ['x', 'b'], false, 1), get([500, 501])],
    ],
  ])('%s', (_, history) => {
    expect(explain(register, history)).toBe('unexplained');
  });
});

const ask = ([from, to = Infinity]: Times, answer?: CallAnswer): CallStep => ({
  ask: 'request',
  answer,
  from,
  to,
});
const run = (at: number, id: string): CallStep => ({
  ask: 'run',
  answer: { said: 'ran', run: id },
  from: at,
  to: at,
});
const ASKED = { said: 'asked' } as const;
const CLAIMED = { said: 'claimed' } as const;
const NOTHING = { said: 'nothing' } as const;
const paid = (id: string, text = `paid ${id}`) => ({ said: 'ended', text, run: id }) as const;
const REFUSED = { said: 'ended', text: 'refused' } as const;

describe('a history of a call is explained if', () => {
  test.each<[string, CallStep[]]>([
    [
      'it runs and repeats its answer',
      [run(1, 'x'), ask([0, 2], paid('x')), ask([3, 4], paid('x'))],
    ],
    ['a request meets a run', [run(1, 'x'), ask([2, 3], CLAIMED), ask([0, 4], paid('x'))]],
    ['its process is killed', [ask([0, 1], ASKED), ask([2]), run(3, 'x'), ask([4, 5], CLAIMED)]],
    [
      'it ends after an unknown outcome',
      [run(1, 'x'), ask([2, 3], CLAIMED), ask([4, 5], paid('x'))],
    ],
    ['it is refused', [ask([0, 1], REFUSED), ask([2, 3], REFUSED)]],
    [
      'the store does not keep its end',
      [run(1, 'x'), ask([0, 2], paid('x')), ask([3, 4], CLAIMED), ask([5, 6], paid('x'))],
    ],
    ['a claim is released', [ask([0, 1], CLAIMED), ask([2, 3], ASKED), run(4, 'x')]],
    [
      'it overlaps with another question',
      [run(1, 'x'), ask([0, 9], ASKED), ask([0, 2], paid('x'))],
    ],
    ['the store fails at any time', [ask([0, 1], NOTHING), run(3, 'x'), ask([4, 5], NOTHING)]],
    ['nothing ran, although it is claimed', [ask([0]), ask([2, 3], CLAIMED), ask([4, 5], CLAIMED)]],
  ])('%s', (_, history) => {
    expect(explain(onceCall, history)).toBe('explained');
  });
});

describe('a history of a call is not explained if', () => {
  test.each<[string, CallStep[]]>([
    ['it runs twice', [run(1, 'x'), run(2, 'y')]],
    ['it runs again after its end', [run(1, 'x'), ask([0, 2], paid('x')), run(3, 'y')]],
    ['it runs after a refusal', [ask([0, 1], REFUSED), run(2, 'x')]],
    ['it is refused after a run', [run(1, 'x'), ask([2, 3], REFUSED)]],
    ['it asks after a run', [run(1, 'x'), ask([2, 3], ASKED)]],
    ['it asks after its end', [ask([0, 1], REFUSED), ask([2, 3], ASKED)]],
    ['it is answered without a run', [ask([0, 1], paid('x'))]],
    ['its answer shows another run', [run(1, 'x'), ask([0, 2], paid('y'))]],
    [
      'its answer changes',
      [run(1, 'x'), ask([0, 2], paid('x')), ask([3, 4], paid('x', 'paid  x'))],
    ],
    [
      'its outcome is unknown after its end was read',
      [ask([0, 1], REFUSED), ask([2, 3], REFUSED), ask([4, 5], CLAIMED)],
    ],
    [
      'it runs after a refusal that was not kept',
      [ask([0, 1], REFUSED), ask([2, 3], CLAIMED), run(4, 'x')],
    ],
  ])('%s', (_, history) => {
    expect(explain(onceCall, history)).toBe('unexplained');
  });
});

test('a search that takes too long is undecided', () => {
  const writers = Array.from({ length: 12 }, (_, at) => put([0, 99], [NEW, `${at}`]));
  expect(explain(register, [...writers, get([100, 101], 'x')], 5)).toBe('undecided');
});

/** Tries every order, and every choice of the operations without an answer that had an effect. */
function explainByForce<State, Ask, Answer>(
  machine: Machine<State, Ask, Answer>,
  history: readonly Operation<Ask, Answer>[],
  state: State = machine.start,
): boolean {
  if (history.every(({ to }) => to === Infinity)) return true;
  return history.some((next) => {
    const others = history.filter((other) => other !== next);
    if (others.some(({ to }) => to < next.from)) return false;
    return machine.step(state, next).some((then) => explainByForce(machine, others, then));
  });
}

const SEED = Number(process.env.FC_SEED ?? 20_260_728);

describe(`the checker agrees with brute force (seed ${SEED})`, () => {
  const values = fc.constantFrom('a', 'b', 'c');
  const times = fc
    .tuple(fc.nat(20), fc.nat(8))
    .map(([from, length]) => [from, from + length] as const);
  const steps: fc.Arbitrary<StoreStep> = fc.oneof(
    fc.tuple(times, fc.option(values, { nil: undefined })).map(([at, value]) => get(at, value)),
    fc
      .tuple(
        times,
        fc.option(values, { nil: undefined }),
        values,
        fc.constantFrom(true, true, false),
      )
      .map(([at, was, value, answer]) => put(at, [was, value], answer)),
    fc
      .tuple(fc.nat(20), fc.option(values, { nil: undefined }), values)
      .map(([from, was, value]) => put([from], [was, value])),
  );
  const histories = fc.array(steps, { maxLength: 6 });

  test('on histories of a store', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const expected = explainByForce(register, history) ? 'explained' : 'unexplained';
        expect(explain(register, history)).toBe(expected);
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  test('on histories of calls', () => {
    const answers = fc.constantFrom<CallAnswer>(ASKED, CLAIMED, NOTHING, paid('x'), REFUSED);
    const calls: fc.Arbitrary<CallStep> = fc.oneof(
      fc.tuple(times, answers).map(([at, answer]) => ask(at, answer)),
      fc.nat(20).map((from) => ask([from])),
      fc.tuple(fc.nat(20), fc.constantFrom('x', 'y')).map(([at, id]) => run(at, id)),
    );
    fc.assert(
      fc.property(fc.array(calls, { maxLength: 6 }), (history) => {
        const expected = explainByForce(onceCall, history) ? 'explained' : 'unexplained';
        expect(explain(onceCall, history)).toBe(expected);
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  test('on samples of which some are explained and some are not', () => {
    const verdicts = fc
      .sample(histories, { seed: SEED, numRuns: 1000 })
      .filter(({ length }) => length > 2)
      .map((history) => explain(register, history));
    for (const verdict of ['explained', 'unexplained'])
      expect(verdicts.filter((other) => other === verdict).length).toBeGreaterThan(50);
  });
});
