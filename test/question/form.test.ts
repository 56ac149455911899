/** Forms: the contract of a question, the conversion of schemas, and the checks of the constructors. */
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { type FormData, confirm, elicit } from '../../src/author/question.js';
import type { Schema } from '../../src/author/schema.js';
import { formKind } from '../../src/question/form.js';
import { kindContract } from './kind.case.js';

const Login = z.object({ username: z.string() });
const refusalOf = (action: 'decline' | 'cancel') => ({ action });

kindContract<FormData>('elicit', {
  kind: formKind,
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
  refusal: refusalOf,
});

kindContract<FormData>('confirm', {
  kind: formKind,
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
  refusal: refusalOf,
});

describe('an answer that does not match the schema of a form', () => {
  const MISFIT =
    'received an accepted elicitation whose content does not match the requested schema';
  const outcomeOf = (schema: Schema, data: unknown) =>
    formKind.outcomeFor(elicit('Who?', schema), { action: 'accept', data });

  test('has a problem that names the field', async () => {
    expect(await outcomeOf(Login, { username: 7 })).toEqual({
      problem: `${MISFIT} (field 'username')`,
      complaint: 'username: Invalid input: expected string, received number',
      typed: {},
    });
  });

  test('has a complaint of at most 500 characters, cut between them', async () => {
    const long = (name: string) => outcomeOf(z.strictObject({}), { [name]: true });
    const hidden = await long('\u202e'.repeat(60_000));
    const codes = String.raw`Unrecognized key: "${String.raw`\u{202E}`.repeat(60)}…`;
    expect(hidden).toMatchObject({ complaint: codes });
    const faces = await long('👍'.repeat(60_000));
    expect(faces).toMatchObject({ complaint: `Unrecognized key: "${'👍'.repeat(240)}…` });
  });

  test.each([
    ['it is not an object', Login, 'octocat'],
    ['the field is not in the schema', z.strictObject({}), { username: 'octocat' }],
    ['the whole object is refused', Login.refine(() => false), { username: 'octocat' }],
  ])('names no field if %s', async (_, schema, data) => {
    expect(await outcomeOf(schema, data)).toMatchObject({ problem: MISFIT });
  });
});

describe('the schema of a form', () => {
  /** Creates a schema that counts its conversions to JSON Schema. */
  const countingSchema = (): { schema: Schema; conversions: () => number } => {
    const input = vi.fn(() => ({
      type: 'object',
      properties: { username: { type: 'string' } },
      required: ['username'],
    }));
    const validate = (value: unknown) => ({ value });
    const jsonSchema = { input, output: input };
    return {
      schema: { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } },
      conversions: () => input.mock.calls.length,
    };
  };

  test('is converted once for all messages', () => {
    const { schema, conversions } = countingSchema();
    for (const message of ['A?', 'B?', 'C?']) formKind.render(elicit(message, schema));

    expect(conversions()).toBe(1);
  });

  test('is shared between questions and deeply frozen', () => {
    const { params } = formKind.render(elicit('A?', Login));
    const shared = params?.requestedSchema as { properties: Record<string, object> };

    expect(formKind.render(elicit('B?', Login)).params?.requestedSchema).toBe(shared);
    expect(() => {
      shared.properties.extra = {};
    }).toThrow(TypeError);
    expect(() => {
      Object.assign(shared.properties.username!, { type: 'number' });
    }).toThrow(TypeError);
  });

  test('fails each time if it cannot be converted', () => {
    const bad = elicit('A?', z.object({ bad: z.array(z.string()) }));

    expect(() => formKind.render(bad)).toThrow(/\bbad\b/);
    expect(() => formKind.render(bad)).toThrow(/\bbad\b/);
  });

  test("leaves the author's JSON Schema unchanged and unfrozen", () => {
    const described = {
      type: 'object',
      properties: { n: { type: ['number', 'null'], default: null } },
    };
    const before = structuredClone(described);
    const validate = (value: unknown) => ({ value });
    const jsonSchema = { input: () => described, output: () => described };
    formKind.render(
      elicit('N?', { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } }),
    );

    expect(described).toEqual(before);
    expect(Object.isFrozen(described)).toBe(false);
  });
});

describe('elicit and confirm', () => {
  test.each([[undefined], [null], [''], [7], [{}]])('refuse the message %j', (message) => {
    expect(() => elicit(message as never, Login)).toThrow(
      new TypeError(
        "elicit(): `message` must be a non-empty string. Write elicit('Which size?', z.object({ … })).",
      ),
    );
    expect(() => confirm(message as never)).toThrow(
      new TypeError(
        "confirm(): `message` must be a non-empty string. Write confirm('Refund 48 euros?').",
      ),
    );
  });

  test.each([[undefined], [null], ['string'], [{ username: 'string' }], [{ '~standard': {} }]])(
    'refuse the schema %j',
    (schema) => {
      expect(() => elicit('A?', schema as never)).toThrow(
        new TypeError(
          'elicit(): `schema` must be a schema that provides JSON Schema, such as z.object({ … }).',
        ),
      );
    },
  );
});
