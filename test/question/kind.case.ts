/**
 * The contract of a kind of question, run by every implementation. A kind renders to stable ASCII
 * JSON, names the capability it needs, and reads fresh and recorded answers without throwing.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';

import type { AnswerOutcome, RecordedAnswer, QuestionKind } from '../../src/question/kind.js';

/** A kind of question, with examples of its questions and answers. */
export interface KindCase<Q> {
  readonly kind: QuestionKind<Q>;
  readonly method: string;
  /** Creates the same question each time. */
  readonly question: () => Q;
  /** Questions that differ from it and from each other. Empty if the kind has one question only. */
  readonly others: readonly Q[];
  /** A valid response, and its value. */
  readonly response: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  /** Responses that are objects, but do not answer the question. */
  readonly misfits: readonly Readonly<Record<string, unknown>>[];
  /** Set if an accept has no data. */
  readonly withoutData?: true;
  /** Returns the outcome of a recorded refusal. It is a problem unless this is an elicitation. */
  readonly refusal: (action: 'decline' | 'cancel') => AnswerOutcome;
}

const CAPABILITIES: readonly ClientCapabilities[] = [
  { elicitation: { form: {} } },
  { elicitation: { url: {} } },
  { sampling: {} },
  { sampling: { tools: {} } },
  { roots: {} },
];

/** Table rows of one column each. */
const NOT_OBJECTS: readonly [unknown][] = [
  [undefined],
  [null],
  [true],
  [7],
  ['accept'],
  [[]],
  [[{}]],
];

/** A problem that completes the sentence "Resolver 'x' …". */
const PROBLEM = { problem: expect.stringMatching(/^received an? .*[^.]$/) as string };

/** Runs the contract for a kind of question. */
export function kindContract<Q>(name: string, spec: KindCase<Q>): void {
  describe(`a question of ${name}`, () => {
    describeRendering(spec);
    describeCapability(spec);
    describeAnswers(spec);
    describeRecords(spec);
  });
}

function describeRendering<Q>({ kind, method, question, others }: KindCase<Q>): void {
  test('renders to the same method, params and JSON every time', () => {
    const [one, two] = [kind.render(question()), kind.render(question())];

    expect(one.method).toBe(method);
    expect(two.params).toEqual(one.params);
    expect(two.text).toBe(one.text);
  });

  test('renders to the JSON of its params, in ASCII', () => {
    for (const each of [question(), ...others]) {
      const { params, text } = kind.render(each);
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      expect(JSON.parse(text)).toEqual(params ?? null);
    }
  });

  test('renders to other JSON than every other question', () => {
    const texts = [question(), ...others].map((each) => kind.render(each).text);

    expect(new Set(texts).size).toBe(texts.length);
  });
}

function describeCapability<Q>({ kind, question }: KindCase<Q>): void {
  test('needs a named capability that the client declares', () => {
    const { name, required, isDeclaredIn } = kind.capability(question());

    expect(name).not.toBe('');
    expect(isDeclaredIn({})).toBe(false);
    expect(isDeclaredIn(required)).toBe(true);
  });

  test('is not allowed by the capabilities of other features', () => {
    const { required, isDeclaredIn } = kind.capability(question());
    const [feature] = Object.keys(required);
    const foreign = CAPABILITIES.filter((declared) => !Object.hasOwn(declared, feature!));

    expect(foreign.some(isDeclaredIn)).toBe(false);
  });
}

function describeAnswers<Q>({ kind, question, response, value, misfits }: KindCase<Q>): void {
  test('turns a valid response into an accepted outcome with its value', async () => {
    const answer = receive(kind, question(), response);

    expect(answer.action).toBe('accept');
    expect(await kind.outcomeFor(question(), answer)).toEqual({
      action: 'accept',
      data: value,
      asked: true,
    });
  });

  test('does not change the response', () => {
    const frozen = deepFreeze(structuredClone(response));

    expect(() => kind.receive(question(), frozen)).not.toThrow();
    expect(frozen).toEqual(response);
  });

  test.each(NOT_OBJECTS)('refuses the response %j, with a reason', (given) => {
    expect(kind.receive(question(), given)).toMatchObject(PROBLEM);
  });

  test.each(misfits)('rejects the response %j with a reason, without throwing', async (given) => {
    const answer = kind.receive(question(), given);

    expect('problem' in answer ? answer : await kind.outcomeFor(question(), answer)).toMatchObject(
      PROBLEM,
    );
  });
}

function describeRecords<Q>(spec: KindCase<Q>): void {
  const { kind, question, response, refusal, value, withoutData } = spec;
  const acceptedAlone = withoutData ? { action: 'accept', data: value, asked: true } : PROBLEM;

  test('has an answer that survives JSON twice', async () => {
    const answer = receive(kind, question(), response);
    const once = JSON.parse(JSON.stringify(answer)) as RecordedAnswer;
    const twice = JSON.parse(JSON.stringify(once)) as RecordedAnswer;

    expect(once).toMatchObject(answer);
    expect(await kind.outcomeFor(question(), twice)).toMatchObject(
      await kind.outcomeFor(question(), answer),
    );
  });

  test.each(NOT_OBJECTS)('ignores the recorded data %j', async (data) => {
    expect(await kind.outcomeFor(question(), { action: 'accept', data })).toMatchObject(
      acceptedAlone,
    );
  });

  test('takes a recorded accept without data as an answer only if it needs no data', async () => {
    expect(await kind.outcomeFor(question(), { action: 'accept' })).toMatchObject(acceptedAlone);
  });

  test.each(['decline', 'cancel'] as const)(
    'reads a recorded %s without its data',
    async (action) => {
      expect(await kind.outcomeFor(question(), { action })).toMatchObject(refusal(action));
      expect(await kind.outcomeFor(question(), { action, data: response })).toMatchObject(
        refusal(action),
      );
    },
  );
}

/** Reads the answer from a response, which must be valid. */
export function receive<Q>(kind: QuestionKind<Q>, question: Q, response: unknown): RecordedAnswer {
  const answer = kind.receive(question, response);
  if ('problem' in answer) throw new Error(`expected an answer: ${answer.problem}`);
  return answer;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
