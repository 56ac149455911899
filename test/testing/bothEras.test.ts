/** Tests `bothEras`: it runs a call on both eras and reports their differences. */
import { confirm, definePrompt, defineTool, resolver } from 'mcp-resolve';
import { accept, bothEras, decline, run } from 'mcp-resolve/testing';
import type { Era } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { askAll, payInvoice, yes } from './payments.js';

const large = { invoice: 'INV-2' };

/** Returns the message of the error that a comparison must throw. */
async function differenceOf(comparison: Promise<unknown>): Promise<string> {
  return comparison.then(
    () => Promise.reject(new Error('expected a difference')),
    (error: unknown) => (error as Error).message,
  );
}

test('bothEras returns the modern run if the eras agree', async () => {
  const seen: Era[] = [];
  const { era, text, rounds } = await bothEras((one) => {
    seen.push(one);
    return run(payInvoice, large, { era: one, answers: yes });
  });

  expect({ era, text, rounds }).toEqual({
    era: 'modern',
    text: 'Paid 900 euros for INV-2.',
    rounds: 2,
  });
  expect(seen).toEqual(['modern', 'legacy']);
});

test('bothEras compares tool errors and protocol errors', async () => {
  const declined = await bothEras((era) =>
    run(payInvoice, large, { era, answers: { approved: decline() } }),
  );
  const unable = await bothEras((era) => run(askAll, {}, { era, capabilities: {} }));

  expect(declined.text).toContain('elicitation was decline');
  expect(unable.error?.code).toBe(-32021);
});

test('bothEras does not compare the ids that unexpected errors add to results and errors', async () => {
  const fail = (): string => {
    throw new Error('no connection');
  };
  const tool = await bothEras((era) => run(defineTool('t', {}, fail), {}, { era }));
  const prompt = await bothEras((era) => run(definePrompt('p', {}, fail), {}, { era }));

  expect(tool.text).toBe('Error executing tool t');
  expect(tool.cause?.message).toBe('no connection');
  expect(prompt.text).toBe('Error getting prompt p');
});

test('bothEras allows fewer questions on legacy after a refusal', async () => {
  const a = resolver({}, () => confirm('A?'), { asks: 'form' });
  const b = resolver({}, () => confirm('B?'), { asks: 'form' });
  const tool = defineTool('t', { resolve: { a, b } }, () => 'done');

  const { questions } = await bothEras((era) => run(tool, {}, { era, answers: () => decline() }));
  expect(questions.map(({ key }) => key)).toEqual(['a', 'b']);
});

describe('bothEras reports a difference', () => {
  test('in any field of structured content', async () => {
    const tool = defineTool(
      't',
      { outputSchema: z.object({ ttlMs: z.number() }) },
      (_, { protocolVersion }) => ({ ttlMs: Number(protocolVersion?.slice(0, 4)) }),
    );

    expect(await differenceOf(bothEras((era) => run(tool, {}, { era })))).toContain(
      '  structured  modern       {"ttlMs":2026}\n              legacy       {"ttlMs":2025}',
    );
  });

  test('in the text', async () => {
    let calls = 0;
    const tool = defineTool('count', {}, () => `Call ${++calls}`);

    expect(await differenceOf(bothEras((era) => run(tool, {}, { era })))).toBe(
      `'count' behaves differently on the two eras.

  text        modern       Call 1
              legacy       Call 2`,
    );
  });

  test('in the questions and in the result', async () => {
    const word = resolver({}, (_, ctx) => confirm(`Speak ${String(ctx.protocolVersion)}?`), {
      asks: 'form',
    });
    const tool = defineTool('t', { resolve: { word } }, (_, ctx) => ({
      content: [{ type: 'text', text: 'Done.' }],
      _meta: { version: ctx.protocolVersion },
    }));
    const answers = { word: accept({ confirm: true }) };

    expect(await differenceOf(bothEras((era) => run(tool, {}, { era, answers })))).toBe(
      `'t' behaves differently on the two eras.

  result      modern       {"_meta":{"version":"2026-07-28"},"content":[{"text":"Done.","type":"text"}]}
              legacy       {"_meta":{"version":"2025-11-25"},"content":[{"text":"Done.","type":"text"}]}
  asked       only modern  word (form): Speak 2026-07-28?
  asked       only legacy  word (form): Speak 2025-11-25?`,
    );
  });

  test('in the end of the call', async () => {
    const tool = defineTool('t', {}, (_, ctx) => {
      if (ctx.protocolVersion === '2025-11-25') throw new Error('too old');
      return 'Done.';
    });

    expect(await differenceOf(bothEras((era) => run(tool, {}, { era })))).toBe(
      `'t' behaves differently on the two eras.

  isError     modern       false
              legacy       true
  text        modern       Done.
              legacy       Error executing tool t
  cause       modern       none
              legacy       Error: too old`,
    );
  });

  test('in the unexpected error of the call', async () => {
    const tool = defineTool('t', {}, (_, ctx): string => {
      throw new Error(`no rate for ${String(ctx.protocolVersion)}`);
    });

    expect(await differenceOf(bothEras((era) => run(tool, {}, { era })))).toBe(
      `'t' behaves differently on the two eras.

  cause       modern       Error: no rate for 2026-07-28
              legacy       Error: no rate for 2025-11-25`,
    );
  });
});

test('bothEras rethrows an error and adds the era to its message', async () => {
  const failure = new RangeError('expected 1');
  const failing = bothEras(async (era) => {
    const ran = await run(payInvoice, { invoice: 'INV-1' }, { era });
    if (era === 'legacy') throw failure;
    return ran;
  });

  await expect(failing).rejects.toBe(failure);
  expect(failure.message).toBe('On the legacy era: expected 1');

  const atOnce = (): never => {
    throw new Error('expected 2');
  };
  await expect(bothEras(atOnce)).rejects.toThrow('On the modern era: expected 2');
});

test('bothEras refuses a function that ignores the era or returns no run', async () => {
  const example = 'bothEras((era) => run(payInvoice, args, { era, answers }))';

  expect(await differenceOf(bothEras(() => run(payInvoice, { invoice: 'INV-1' })))).toBe(
    `bothEras(): the function was called for the legacy era, but it ran on the modern era. Pass \`era\` on, as in ${example}.`,
  );
  expect(await differenceOf(bothEras((async () => undefined) as never))).toBe(
    `bothEras(): the function must return a run, as in ${example}.`,
  );
  expect(await differenceOf(bothEras((() => undefined) as never))).toBe(
    `bothEras(): the function must return a run, as in ${example}.`,
  );
  expect(await differenceOf(bothEras({} as never))).toBe(
    `bothEras(): the argument must be a function, as in ${example}.`,
  );
});
