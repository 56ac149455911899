/** Resolvers, outcomes and questions inside a returned value, where they would have no effect. */
import {
  arg,
  confirm,
  defineTool,
  elicit,
  elicitUrl,
  listRoots,
  outcome,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import { run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';

const approval = resolver({}, () => confirm('Really?'), { asks: 'form' });
const NO = new ToolError('no such order');

const MISPLACED: readonly [string, () => unknown, string][] = [
  ['a question', () => confirm('Pay?'), 'a question'],
  ['a resolver', () => approval, 'a resolver'],
  ['an outcome', () => outcome(approval), 'outcome()'],
  ['an argument', () => arg('id'), 'arg()'],
];

const PLACES: readonly [string, (value: unknown) => unknown][] = [
  ['in an array', (value) => [value]],
  ['in an object', (value) => ({ value })],
  ['as the 64th element', (value) => [...Array.from({ length: 63 }, () => 0), value]],
  ['two levels deep', (value) => ({ rows: [value] })],
  ['three levels deep', (value) => ({ page: { rows: [value] } })],
];

describe.each(eras)('on the %s era', (era) => {
  describe.each(MISPLACED)('%s', (_, make, label) => {
    describe.each(PLACES)('%s', (_place, wrap) => {
      test('ends the call if a resolver returns it', async () => {
        const tool = defineTool(
          'pay',
          { resolve: { ok: resolver({}, () => wrap(make())) } },
          () => 'paid',
        );

        expect(await run(tool, {}, { era })).toMatchObject({
          isError: true,
          text: 'Error executing tool pay',
          cause: {
            message: expect.stringContaining(
              `'ok' returned ${label} inside another value`,
            ) as string,
          },
        });
      });

      test('ends the call if a body returns it', async () => {
        const tool = defineTool('pay', { outputSchema: z.unknown() }, () => wrap(make()));
        const { text, cause } = await run(tool, {}, { era });

        expect(text).toBe('Error executing tool pay');
        expect(cause?.message).toMatch(/^The body of 'pay' (returned|asked)/);
      });
    });
  });

  test('a fallback may not return a resolver either', async () => {
    const ok = resolver({}, () => confirm('Pay?', { otherwise: () => approval as never }), {
      asks: 'form',
    });
    const tool = defineTool('pay', { resolve: { ok } }, () => 'paid');
    const { cause, text } = await run(tool, {}, { era, capabilities: {} });

    expect(text).toBe('Error executing tool pay');
    expect(cause?.message).toBe(
      "Resolver 'ok' falls back to a resolver, where it has no effect. Return a value from `otherwise`.",
    );
  });

  test.each([
    ['a resolver', defineTool('pay', { resolve: { ok: resolver({}, () => NO) } }, () => 'paid')],
    ['a body', defineTool('pay', { outputSchema: z.unknown() }, () => NO)],
  ])('a ToolError that %s returns instead of throwing it ends the call', async (_, tool) => {
    const { text, cause } = await run(tool, {}, { era });

    expect(text).toBe('Error executing tool pay');
    expect(cause?.message).toMatch(
      / returned a ToolError, where it has no effect\. Throw it instead\.$/,
    );
  });

  test('a value that only looks like a question passes', async () => {
    const tool = defineTool(
      'pay',
      { resolve: { rows: resolver({}, () => [{ kind: 'form', message: 'Pay?' }]) } },
      ({ rows }) => `${rows.length} row`,
    );

    expect((await run(tool, {}, { era })).text).toBe('1 row');
  });

  test('getters of a returned value are not called', async () => {
    let reads = 0;
    const row = Object.defineProperty({}, 'total', { enumerable: true, get: () => (reads += 1) });
    const tool = defineTool('pay', { resolve: { row: resolver({}, () => [row]) } }, () => 'paid');

    expect((await run(tool, {}, { era })).text).toBe('paid');
    expect(reads).toBe(0);
  });
});

describe.each(eras)(
  'a question function that a resolver returns without calling it, on the %s era,',
  (era) => {
    test.each(Object.entries({ confirm, elicit, elicitUrl, sample, listRoots }))(
      'ends the call: %s',
      async (_, ask) => {
        const ok = resolver({}, () => ask as unknown);
        const { text, cause } = await run(
          defineTool('pay', { resolve: { ok } }, () => 'paid'),
          {},
          { era },
        );
        expect(text).toBe('Error executing tool pay');
        expect(cause!.message).toBe(
          "Resolver 'ok' returned a function that asks, without calling it, where it has no effect. Call it and return the question.",
        );
      },
    );
  },
);
