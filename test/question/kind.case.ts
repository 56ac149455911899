/**
 * The contract of a kind of question, run by every implementation: it renders to stable ASCII JSON,
 * gates itself by a capability, and reads answers without ever throwing, fresh or recorded.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';

import type { Outcome } from '../../src/define/model.js';
import type { RecordedAnswer, QuestionKind } from '../../src/question/kind.js';

/** What a kind brings to its contract. */
export interface KindCase<Q> {
  readonly kind: QuestionKind<Q>;
  readonly method: string;
  /** Makes the same question anew. */
  readonly question: () => Q;
  /** Questions that differ from it and from each other; none where a kind has one question only. */
  readonly others: readonly Q[];
  /** A good response, and the value it stands for. */
  readonly response: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  /** Responses that are objects, but do not answer the question. */
  readonly misfits: readonly Readonly<Record<string, unknown>>[];
  /** Set where an accept is the whole answer, and no data belongs to it. */
  readonly withoutData?: true;
  /** What a recorded refusal comes to: refusals of forms stand, others mean nothing. */
  readonly refusal: (action: 'decline' | 'cancel') => Outcome<unknown> | undefined;
}

const CAPABILITIES: readonly ClientCapabilities[] = [
  { elicitation: { form: {} } },
  { elicitation: { url: {} } },
  { sampling: {} },
  { sampling: { tools: {} } },
  { roots: {} },
];

const NOT_OBJECTS: readonly unknown[] = [undefined, null, true, 7, 'accept', [], [{}]];

/** Holds a kind of question to the contract. */
export function kindContract<Q>(name: string, spec: KindCase<Q>): void {
  describe(`the contract of a kind of question, kept by ${name}`, () => {
    describeRendering(spec);
    describeCapability(spec);
    describeAnswers(spec);
    describeRecords(spec);
  });
}

function describeRendering<Q>({ kind, method, question, others }: KindCase<Q>): void {
  test('it renders to its method, and to the same text every time', () => {
    const [one, two] = [kind.render(question()), kind.render(question())];

    expect(one.method).toBe(method);
    expect(two.params).toEqual(one.params);
    expect(two.text).toBe(one.text);
  });

  test('the text is the JSON of its params, in ASCII', () => {
    for (const one of [question(), ...others]) {
      const { params, text } = kind.render(one);
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      expect(JSON.parse(text)).toEqual(params ?? null);
    }
  });

  test('other questions have other texts', () => {
    const texts = [question(), ...others].map((one) => kind.render(one).text);

    expect(new Set(texts).size).toBe(texts.length);
  });
}

function describeCapability<Q>({ kind, question }: KindCase<Q>): void {
  test('it needs a capability, which has a name and is met by what it requires', () => {
    const { name, required, isDeclaredIn } = kind.capability(question());

    expect(name).not.toBe('');
    expect(isDeclaredIn({})).toBe(false);
    expect(isDeclaredIn(required)).toBe(true);
  });

  test('the capabilities of other features do not meet it', () => {
    const { required, isDeclaredIn } = kind.capability(question());
    const [feature] = Object.keys(required);
    const foreign = CAPABILITIES.filter((declared) => !Object.hasOwn(declared, feature!));

    expect(foreign.some(isDeclaredIn)).toBe(false);
  });
}

function describeAnswers<Q>({ kind, question, response, value, misfits }: KindCase<Q>): void {
  test('a good response is received, and settles as asked for', async () => {
    const answer = received(kind, response);

    expect(answer.action).toBe('accept');
    expect(await kind.outcomeFor(question(), answer)).toEqual({
      action: 'accept',
      data: value,
      asked: true,
    });
  });

  test('a response is read, not changed', () => {
    const frozen = deepFreeze(structuredClone(response));

    expect(() => kind.receive(frozen)).not.toThrow();
    expect(frozen).toEqual(response);
  });

  test.each(NOT_OBJECTS)('%j is no response, and the sentence says so', (given) => {
    expect(kind.receive(given)).toEqual({
      problem: expect.stringMatching(/^received a .*[^.]$/) as string,
    });
  });

  test.each(misfits)('%j does not answer it, and nothing is thrown', async (given) => {
    const answer = kind.receive(given);
    if ('problem' in answer) {
      expect(answer.problem).toMatch(/^received an? /);
    } else {
      expect(await kind.outcomeFor(question(), answer)).toBeUndefined();
    }
  });

  test('what it says of a misfit ends the sentence "Resolver \'x\' …"', () => {
    expect(kind.misfit).toMatch(/^received an? .*[^.]$/);
  });
}

function describeRecords<Q>(spec: KindCase<Q>): void {
  const { kind, question, response, refusal, value, withoutData } = spec;
  const alone = withoutData && { action: 'accept', data: value, asked: true };

  test('a recorded answer is the same after any number of trips through JSON', async () => {
    const answer = received(kind, response);
    const once = JSON.parse(JSON.stringify(answer)) as RecordedAnswer;
    const twice = JSON.parse(JSON.stringify(once)) as RecordedAnswer;

    expect(once).toEqual(answer);
    expect(await kind.outcomeFor(question(), twice)).toEqual(
      await kind.outcomeFor(question(), answer),
    );
  });

  test.each(NOT_OBJECTS)('recorded data %j is none', async (data) => {
    expect(await kind.outcomeFor(question(), { action: 'accept', data })).toEqual(alone);
  });

  test('an accept alone is an answer only where no data belongs to it', async () => {
    expect(await kind.outcomeFor(question(), { action: 'accept' })).toEqual(alone);
  });

  test.each(['decline', 'cancel'] as const)('a recorded %s is what it is', async (action) => {
    expect(await kind.outcomeFor(question(), { action })).toEqual(refusal(action));
    expect(await kind.outcomeFor(question(), { action, data: response })).toEqual(refusal(action));
  });
}

function received<Q>(kind: QuestionKind<Q>, response: unknown): RecordedAnswer {
  const answer = kind.receive(response);
  if ('problem' in answer) throw new Error(`expected an answer: ${answer.problem}`);
  return answer;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
