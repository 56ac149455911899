/** `bothEras`: one test, two eras, and a difference that can be read. */
import { confirm, defineTool, resolver } from 'mcp-resolve';
import { accept, bothEras, decline, run } from 'mcp-resolve/testing';
import type { Era } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { askAll, payInvoice, yes } from './payments.js';

const large = { invoice: 'INV-2' };

/** The message of the error that a comparison must end with. */
async function difference(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => Promise.reject(new Error('expected a difference')),
    (error: unknown) => (error as Error).message,
  );
}

test('eras that agree give the modern run', async () => {
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

test('tool errors and protocol errors can agree too', async () => {
  const declined = await bothEras((era) =>
    run(payInvoice, large, { era, answers: { approved: decline() } }),
  );
  const unable = await bothEras((era) => run(askAll, {}, { era, capabilities: {} }));

  expect(declined.text).toContain('elicitation was decline');
  expect(unable.error?.code).toBe(-32021);
});

test('after a refusal a 2025 client may have been asked less', async () => {
  const a = resolver({}, () => confirm('A?'));
  const b = resolver({}, () => confirm('B?'));
  const tool = defineTool('t', { resolve: { a, b } }, () => 'done');

  const { questions } = await bothEras((era) => run(tool, {}, { era, answers: () => decline() }));
  expect(questions.map(({ key }) => key)).toEqual(['a', 'b']);
});

describe('a difference is shown', () => {
  test('in structured content, whatever its fields are called', async () => {
    const tool = defineTool(
      't',
      { outputSchema: z.object({ ttlMs: z.number() }) },
      (_, { protocolVersion }) => ({ ttlMs: Number(protocolVersion?.slice(0, 4)) }),
    );

    expect(await difference(bothEras((era) => run(tool, {}, { era })))).toContain(
      '  structured  modern       {"ttlMs":2026}\n              legacy       {"ttlMs":2025}',
    );
  });

  test('in the text', async () => {
    let calls = 0;
    const tool = defineTool('count', {}, () => `Call ${++calls}`);

    expect(await difference(bothEras((era) => run(tool, {}, { era })))).toBe(
      `The two eras do not agree on 'count'.

  text        modern       Call 1
              legacy       Call 2`,
    );
  });

  test('in the questions, and in what only one of the eras gives', async () => {
    const word = resolver({}, (_, ctx) => confirm(`Speak ${String(ctx.protocolVersion)}?`));
    const tool = defineTool('t', { resolve: { word } }, (_, ctx) => ({
      content: [{ type: 'text', text: 'Done.' }],
      _meta: { version: ctx.protocolVersion },
    }));
    const answers = { word: accept({ confirm: true }) };

    expect(await difference(bothEras((era) => run(tool, {}, { era, answers })))).toBe(
      `The two eras do not agree on 't'.

  result      modern       {"_meta":{"version":"2026-07-28"},"content":[{"text":"Done.","type":"text"}]}
              legacy       {"_meta":{"version":"2025-11-25"},"content":[{"text":"Done.","type":"text"}]}
  asked       only modern  word (form): Speak 2026-07-28?
  asked       only legacy  word (form): Speak 2025-11-25?`,
    );
  });

  test('in how the call ended', async () => {
    const tool = defineTool('t', {}, (_, ctx) => {
      if (ctx.protocolVersion === '2025-11-25') throw new Error('too old');
      return 'Done.';
    });

    expect(await difference(bothEras((era) => run(tool, {}, { era })))).toBe(
      `The two eras do not agree on 't'.

  isError     modern       false
              legacy       true
  text        modern       Done.
              legacy       Error executing tool t: too old`,
    );
  });
});

test('what fails on one era says which, and stays the same error', async () => {
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

test('a function that forgets the era, or the run, is told so', async () => {
  const example = 'bothEras((era) => run(payInvoice, args, { era, answers }))';

  expect(await difference(bothEras(() => run(payInvoice, { invoice: 'INV-1' })))).toBe(
    `bothEras(): its function was called for the legacy era and ran the modern one: ${example}.`,
  );
  expect(await difference(bothEras((async () => undefined) as never))).toBe(
    `bothEras(): its function returns the run that is compared: ${example}.`,
  );
  expect(await difference(bothEras((() => undefined) as never))).toBe(
    `bothEras(): its function returns the run that is compared: ${example}.`,
  );
  expect(await difference(bothEras({} as never))).toBe(`bothEras() takes a function: ${example}.`);
});
