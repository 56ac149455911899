/** Forms keep the contract of a question, and are converted once per schema. */
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { type FormData, confirm, elicit } from '../../src/define/question.js';
import type { Schema } from '../../src/define/schema.js';
import { form } from '../../src/question/form.js';
import { kindContract } from './kind.case.js';

const Login = z.object({ username: z.string() });
const isRefused = (action: 'decline' | 'cancel') => ({ action });

kindContract<FormData>('elicit', {
  kind: form,
  method: 'elicitation/create',
  question: () => elicit('Username?', z.object({ username: z.string() })),
  others: [
    elicit('Login?', Login),
    elicit('\u00e9\u{1f600}\ud800\u2028\u007f"\\', Login),
    elicit('Username?', z.object({ username: z.string().describe('\u00e9') })),
  ],
  response: { action: 'accept', content: { username: 'octocat' } },
  value: { username: 'octocat' },
  misfits: [
    {},
    { action: 'accept' },
    { action: 'accept', content: null },
    { action: 'accept', content: [] },
    { action: 'accept', content: 'octocat' },
    { action: 'accept', content: { user: 'octocat' } },
    { action: 'banana', content: { username: 'octocat' } },
    { roots: [] },
  ],
  refusal: isRefused,
});

kindContract<FormData>('confirm', {
  kind: form,
  method: 'elicitation/create',
  question: () => confirm('Sure?'),
  others: [confirm('Really sure?'), elicit('Sure?', Login)],
  response: { action: 'accept', content: { confirm: true } },
  value: true,
  misfits: [
    {},
    { action: 'accept' },
    { action: 'accept', content: {} },
    { action: 'accept', content: { confirm: 'true' } },
    { confirm: true },
  ],
  refusal: isRefused,
});

describe('the schema of a form', () => {
  /** A schema that counts how often it is asked to describe itself. */
  const counting = (): { schema: Schema; described: () => number } => {
    const input = vi.fn(() => ({
      type: 'object',
      properties: { username: { type: 'string' } },
      required: ['username'],
    }));
    const validate = (value: unknown) => ({ value });
    const jsonSchema = { input, output: input };
    return {
      schema: { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } },
      described: () => input.mock.calls.length,
    };
  };

  test('it is converted once, whatever the message', () => {
    const { schema, described } = counting();
    for (const message of ['A?', 'B?', 'C?']) form.render(elicit(message, schema));

    expect(described()).toBe(1);
  });

  test('it is shared and cannot be changed by whoever receives it', () => {
    const { params } = form.render(elicit('A?', Login));
    const shared = params?.requestedSchema as { properties: Record<string, object> };

    expect(form.render(elicit('B?', Login)).params?.requestedSchema).toBe(shared);
    expect(() => {
      shared.properties.extra = {};
    }).toThrow(TypeError);
    expect(() => {
      Object.assign(shared.properties.username!, { type: 'number' });
    }).toThrow(TypeError);
  });

  test('a schema that failed once fails the same way again', () => {
    const bad = elicit('A?', z.object({ bad: z.array(z.string()) }));

    expect(() => form.render(bad)).toThrow(/\bbad\b/);
    expect(() => form.render(bad)).toThrow(/\bbad\b/);
  });

  test('the schema of the author stays as it was', () => {
    const described = {
      type: 'object',
      properties: { n: { type: ['number', 'null'], default: null } },
    };
    const before = structuredClone(described);
    const validate = (value: unknown) => ({ value });
    const jsonSchema = { input: () => described, output: () => described };
    form.render(
      elicit('N?', { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } }),
    );

    expect(described).toEqual(before);
    expect(Object.isFrozen(described)).toBe(false);
  });
});

describe('what the constructors refuse', () => {
  test.each([[undefined], [null], [''], [7], [{}]])('a message %j', (message) => {
    expect(() => elicit(message as never, Login)).toThrow(
      new TypeError('elicit() takes the text of the question first.'),
    );
    expect(() => confirm(message as never)).toThrow(
      new TypeError('confirm() takes the text of the question first.'),
    );
  });

  test.each([[undefined], [null], ['string'], [{ username: 'string' }], [{ '~standard': {} }]])(
    'a schema %j',
    (schema) => {
      expect(() => elicit('A?', schema as never)).toThrow(
        new TypeError('elicit(message, schema) takes a schema, such as z.object({ … }).'),
      );
    },
  );
});
