/** A further attempt shows the form as the user left it, and stays the same question. */
import { confirm, defineTool, elicit, resolver } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { questionsOf, textOf } from '../support/results.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { readState, roundsOf, serving } from '../support/rounds.js';

const Address = z.object({
  city: z.string().min(2),
  zip: z.string().regex(/^\d{4}$/, 'Four digits, please.'),
  floor: z.int().max(40).optional(),
  door: z.enum(['front', 'back']).optional(),
  days: z.array(z.enum(['mon', 'tue'])).optional(),
  country: z.string().default('Norway'),
});

/** The guesses of the model. */
const initial = { city: 'Olso', zip: '0150', floor: 9, door: 'front', country: 'Sweden' } as const;

const address = resolver({}, () => elicit('Where to?', Address, { initial }), {
  asks: Address,
  attempts: 4,
});
const send = defineTool('send', { resolve: { address } }, ({ address: to }) => JSON.stringify(to));

interface Form {
  readonly message?: string;
  readonly requestedSchema?: { readonly properties: Record<string, { default?: unknown }> };
}

/** Returns what a form shows in its fields. Empty fields are left out. */
function shownIn({ requestedSchema }: Form): Record<string, unknown> {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  const filled = fields.filter(([, field]) => 'default' in field);
  return Object.fromEntries(filled.map(([name, field]) => [name, field.default]));
}

/** Answers the forms of a call in order. Returns what each showed, and the text of the result. */
async function answerAll(era: 'modern' | 'legacy', tool: Tool, answers: readonly unknown[]) {
  const elicitAnswers = answers.map((content) => accept(content as never));
  const client = await connectClient(era, serving(tool), { elicit: elicitAnswers });
  const text = await client.text(tool.name);
  return { text, shown: client.questions.map(({ params }) => shownIn(params as Form)) };
}

describe.each(eras)('a further attempt on the %s era', (era) => {
  test('shows valid and wrong fields as the user left them', async () => {
    const { shown, text } = await answerAll(era, send, [
      { city: 'Oslo', zip: '15O', floor: 99, door: 'back', days: ['tue'], country: 'Denmark' },
      { city: 'Oslo', zip: '0150', country: 'Denmark' },
    ]);
    expect(shown).toEqual([
      initial,
      { city: 'Oslo', zip: '15O', floor: 99, door: 'back', days: ['tue'], country: 'Denmark' },
    ]);
    expect(JSON.parse(text)).toEqual({ city: 'Oslo', zip: '0150', country: 'Denmark' });
  });

  test('shows an optional field that the user emptied as empty', async () => {
    const { shown } = await answerAll(era, send, [
      { city: 'Oslo', zip: '15O', country: 'Norway' },
      { city: 'Oslo', zip: '0150', country: 'Norway' },
    ]);
    expect(shown[1]).toEqual({ city: 'Oslo', zip: '15O', country: 'Norway' });
  });

  test('shows no guess of the model in a field whose answer it cannot show', async () => {
    const { shown } = await answerAll(era, send, [
      { city: 7, zip: ['15O'], floor: '3', door: 'roof', days: ['sun'], country: 47 },
      { city: 'Oslo', zip: '0150' },
    ]);
    expect(shown[1]).toEqual({ country: 'Norway' });
  });

  test('counts what it showed in a field with a default that the client omits', async () => {
    const sure = resolver(
      { address },
      ({ address: { city, country } }) => confirm(`Send to ${city}, ${country}?`),
      { asks: 'form' },
    );
    const tool = defineTool(
      'send',
      { resolve: { sure, address } },
      ({ address: to }) => to.country,
    );
    const { shown, text } = await answerAll(era, tool, [
      { city: 'Aarhus', zip: '8', country: 'Denmark' },
      { city: 'Aarhus', zip: '80' },
      { city: 'Aarhus', zip: '8000' },
      { confirm: true },
    ]);
    expect(shown.map(({ country }) => country)).toEqual([
      'Sweden',
      'Denmark',
      'Denmark',
      undefined,
    ]);
    expect(text).toBe('Denmark');
  });

  test('takes the default of the schema, also in later rounds, if it could not show an answer', async () => {
    const sure = resolver({ address }, ({ address: { country } }) => confirm(`To ${country}?`), {
      asks: 'form',
    });
    const tool = defineTool(
      'send',
      { resolve: { sure, address } },
      ({ address: to }) => to.country,
    );
    const { text } = await answerAll(era, tool, [
      { city: 'Oslo', zip: '0150', country: 47 },
      { city: 'Oslo', zip: '0150' },
      { confirm: true },
    ]);
    expect(text).toBe('Norway');
  });

  test('keeps the fields after an answer without content', async () => {
    const typed = { city: 'Oslo', zip: '15O', country: 'Norway' };
    const answers = [
      { action: 'accept' as const },
      accept(typed),
      { action: 'accept' as const },
      accept({ ...typed, zip: '0150' }),
    ];
    const client = await connectClient(era, serving(send), { elicit: answers });
    await client.text('send');
    const shown = client.questions.map(({ params }) => shownIn(params as Form));
    expect(shown).toEqual([initial, initial, typed, typed]);
  });

  test('starts empty if the form had no initial values', async () => {
    const plain = resolver({}, () => elicit('Where to?', Address), { asks: Address, attempts: 2 });
    const tool = defineTool('plain', { resolve: { plain } }, () => 'sent');
    const typed = { city: 'Oslo', zip: '15O', country: 'Norway' };
    const { shown } = await answerAll(era, tool, [typed, { ...typed, zip: '0150' }]);
    expect(shown).toEqual([{ country: 'Norway' }, typed]);
  });

  test('shows invisible characters as their codes', async () => {
    const { shown } = await answerAll(era, send, [
      { city: 'Os\u202elo', zip: '15O' },
      { city: 'Oslo', zip: '0150' },
    ]);
    expect(shown[1]).toMatchObject({ city: 'Os\\u{202E}lo' });
  });
});

describe('between the rounds of a modern call, a further attempt', () => {
  const inputResponses = { address: accept({ city: 'Oslo', zip: '15O' }) };

  test('keeps the digest of its question, and carries the fields in the state', async () => {
    const sendRound = roundsOf(send);
    const first = await sendRound();
    const second = await sendRound({ ...questionsOf(first), inputResponses });
    expect(readState(second)).toEqual({
      ...readState(first),
      failed: {
        address: {
          count: 1,
          complaint: 'zip: Four digits, please.',
          typed: { city: 'Oslo', zip: '15O', country: 'Sweden' },
        },
      },
    });
  });

  test('is shown again in a round without an answer', async () => {
    const sendRound = roundsOf(send);
    const second = await sendRound({ ...questionsOf(await sendRound()), inputResponses });
    const third = await sendRound(questionsOf(second));
    expect(questionsOf(third).requests).toEqual(questionsOf(second).requests);
  });

  test('carries only fields of the form, and a bounded number of bytes', async () => {
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown;
    const hostile = JSON.parse(
      '{"__proto__":{"city":"x"},"constructor":"x","zip":"15O","country":"Chile"}',
    ) as Record<string, unknown>;
    const content = {
      ...hostile,
      city: 'x'.repeat(200_000),
      days: Array.from({ length: 50_000 }, () => 'mon'),
      floor: deep,
      unknown: deep,
    };
    const sendRound = roundsOf(send);
    const first = await sendRound();
    const second = await sendRound({
      ...questionsOf(first),
      inputResponses: { address: accept(content as never) },
    });
    expect(readState(second)).toHaveProperty('failed.address.typed', {
      zip: '15O',
      country: 'Chile',
    });
    expect(shownIn(questionsOf(second).requests.address?.params as Form)).toEqual({
      zip: '15O',
      country: 'Chile',
    });
    const valid = { address: accept({ city: 'Arica', zip: '1000' }) };
    const end = await sendRound({ ...questionsOf(second), inputResponses: valid });
    expect(JSON.parse(textOf(end))).toMatchObject({ city: 'Arica', country: 'Chile' });
  });
});
