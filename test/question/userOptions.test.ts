/** The options of forms and links: `declined`, `label`, `initial` and `attempts`. */
import {
  argsOf,
  confirm,
  defineTool,
  elicit,
  elicitUrl,
  memoryStore,
  outcome,
  resolver,
} from 'mcp-resolve';
import { accept, bothEras, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { messagesOf, readState, roundsOf, serving, writeState } from '../support/rounds.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';

describe.each(eras)('declined, on the %s era,', (era) => {
  const declined = 'The user does not want to pay now. Offer to pay later.';
  const questions = {
    elicit: () => elicit('Pay?', z.object({ ok: z.boolean() }), { declined }),
    confirm: () => confirm('Pay?', { declined }),
    elicitUrl: () => elicitUrl('Pay here.', 'https://pay.example', { declined }),
  };

  test.each(Object.entries(questions))('replaces the text for %s', async (_, ask) => {
    const pay = defineTool(
      'pay',
      { resolve: { paid: resolver({}, ask as () => never) } },
      () => '',
    );
    for (const answer of [decline(), cancel()]) {
      const { text, isError } = await run(pay, undefined, { era, answers: { paid: answer } });
      expect({ text, isError }).toEqual({
        text: `Error executing tool pay: ${declined}`,
        isError: true,
      });
    }
  });

  test('is used for an unticked box and for a fallback that declines', async () => {
    const paid = resolver({}, () => confirm('Pay?', { declined, otherwise: false }), {
      asks: 'form',
    });
    const pay = defineTool('pay', { resolve: { paid } }, () => '');
    const unticked = { era, answers: { paid: accept({ confirm: false }) } };
    expect((await run(pay, undefined, unticked)).text).toContain(declined);
    expect((await run(pay, undefined, { era, capabilities: {} })).text).toContain(declined);
  });

  test('is not used by a consumer that takes the outcome', async () => {
    const paid = resolver({}, () => confirm('Pay?', { declined }), { asks: 'form' });
    const pay = defineTool(
      'pay',
      { resolve: { paid: outcome(paid) } },
      ({ paid: { action } }) => action,
    );
    expect((await run(pay, undefined, { era, answers: { paid: decline() } })).text).toBe('decline');
  });
});

test('declined is what a replay of a recorded refusal returns', async () => {
  const declined = 'The user does not want to pay now.';
  const paid = resolver({}, () => confirm('Pay?', { declined }), { asks: 'form' });
  const store = memoryStore({ singleProcess: true });
  const sendRound = roundsOf(defineTool('pay', { resolve: { paid }, once: store }, () => 'paid'));
  const asked = questionsOf(await sendRound());
  for (const answer of [decline(), accept({ confirm: true })]) {
    const end = await sendRound({ ...asked, inputResponses: { paid: answer } });
    expect(errorTextOf(end)).toBe(`Error executing tool pay: ${declined}`);
  }
});

describe('label', () => {
  const paid = resolver({}, () => confirm('Pay 7 euros?', { label: 'Yes, pay\u202E' }), {
    asks: 'form',
  });
  const pay = defineTool('pay', { resolve: { paid } }, () => 'paid');

  test.each(eras)('is the visible title of the box, on the %s era', async (era) => {
    const { call, questions } = await connectClient(era, serving(pay), {
      elicit: [accept({ confirm: true })],
    });

    expect(textOf(await call('pay'))).toBe('paid');
    expect(questions.map(({ params }) => params)).toMatchObject([
      {
        message: 'Pay 7 euros?',
        requestedSchema: {
          properties: { confirm: { type: 'boolean', title: 'Yes, pay\\u{202E}' } },
        },
      },
    ]);
  });

  test('makes another question, so an answer to another label does not count', async () => {
    let label = 'Pay';
    const asked = resolver({}, () => confirm('Pay?', { label }), { asks: 'form' });
    const sendRound = roundsOf(defineTool('pay', { resolve: { asked } }, () => 'paid'));
    const first = questionsOf(await sendRound());
    label = 'Pay twice';
    const again = questionsOf(
      await sendRound({ ...first, inputResponses: { asked: accept({ confirm: true }) } }),
    );

    expect(Object.keys(again.requests)).toEqual(['asked']);
  });

  test.each(['', 7, null])('must be a non-empty string, not %j', (label) => {
    expect(() => confirm('Pay?', { label: label as string })).toThrow(
      new TypeError('confirm(): `label` must be a non-empty string.'),
    );
  });
});

describe('initial', () => {
  const Trip = z.object({
    city: z.string().min(2),
    nights: z.int().min(1),
    class: z.enum(['economy', 'first']),
    breakfast: z.boolean().default(false),
    extras: z.array(z.enum(['wifi', 'parking'])).default([]),
    note: z.string().optional(),
  });
  const Wish = z.object({ city: z.string(), nights: z.number().optional() });
  const args = argsOf(Wish);
  const trip = resolver(
    { city: args.city, nights: args.nights },
    ({ city, nights }) =>
      elicit('Is this right?', Trip, {
        initial: { city, nights, class: 'economy', extras: ['wifi'] },
      }),
    { asks: 'form' },
  );
  const book = defineTool(
    'book',
    { inputSchema: Wish, resolve: { trip } },
    ({ trip: { city, nights } }) => `${nights} nights in ${city}`,
  );

  test.each(eras)('is shown as the defaults of the form, on the %s era', async (era) => {
    const corrected = { city: 'Oslo', nights: 3, class: 'first' };
    const client = await connectClient(era, serving(book), { elicit: () => accept(corrected) });
    expect(await client.text('book', { city: 'Olso', nights: 2 })).toBe('3 nights in Oslo');
    const [question] = client.questions;
    const { requestedSchema } = question?.params as {
      requestedSchema: { properties: Record<string, { default?: unknown }> };
    };
    const defaults = Object.entries(requestedSchema.properties).map(([name, field]) => [
      name,
      field.default,
    ]);
    expect(Object.fromEntries(defaults)).toEqual({
      city: 'Olso',
      nights: 2,
      class: 'economy',
      breakfast: false,
      extras: ['wifi'],
      note: undefined,
    });
  });

  test('shows invisible characters as their codes, except in choices', async () => {
    const Form = z.object({ name: z.string(), size: z.enum(['S\u200b', 'M']) });
    const initial = { name: 'EUR \u202e001', size: 'S\u200b' as const };
    const form = resolver({}, () => elicit('?', Form, { initial }), { asks: 'form' });
    const tool = defineTool('tool', { resolve: { form } }, () => '');
    const { questions } = await run(tool, undefined, { answers: { form: decline() } });
    expect(questions[0]?.schema?.properties).toMatchObject({
      name: { default: 'EUR \\u{202E}001' },
      size: { default: 'S\u200b' },
    });
  });

  test.each(eras)(
    'counts for a field with a default that the client omits, on the %s era',
    async (era) => {
      const Stay = z.object({ city: z.string().default('Oslo'), note: z.string().optional() });
      const stay = resolver(
        {},
        () => elicit('?', Stay, { initial: { city: 'Bergen', note: 'quiet' } }),
        { asks: 'form' },
      );
      const tool = defineTool('tool', { resolve: { stay } }, ({ stay: found }) =>
        JSON.stringify(found),
      );
      const { text } = await run(tool, undefined, { era, answers: { stay: accept({}) } });
      expect(JSON.parse(text)).toEqual({ city: 'Bergen' });
    },
  );

  test('is left out where it is undefined', async () => {
    const result = await run(book, { city: 'Oslo' }, { answers: { trip: decline() } });
    expect(result.questions[0]?.schema?.properties).not.toHaveProperty('nights.default');
  });

  test('is part of the question, so other values make it another question', async () => {
    let city = 'Oslo';
    const asked = resolver(
      {},
      () => elicit('Right?', z.object({ city: z.string() }), { initial: { city } }),
      { asks: 'form' },
    );
    const tool = defineTool('tool', { resolve: { asked } }, () => 'ran');
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    city = 'Bergen';
    const inputResponses = { asked: accept({ city: 'Oslo' }) };
    const again = await sendRound({ ...questionsOf(first), inputResponses });
    expect(messagesOf(again)).toEqual({ asked: 'Right?' });
    expect(textOf(await sendRound({ ...questionsOf(again), inputResponses }))).toBe('ran');
  });

  test.each<[string, object, string]>([
    [
      'an unknown field',
      { town: 'Oslo' },
      "the form has no field 'town'. Its fields: city, size, tags, count, ok.",
    ],
    ['another type', { city: 7 }, "the field 'city' must be a string."],
    ['another choice', { size: 'XL' }, "the field 'size' must be one of: S, M."],
    ['another choice in a list', { tags: ['c'] }, "the field 'tags' must be an array of: a, b."],
    ['a string for a list', { tags: 'a' }, "the field 'tags' must be an array of: a, b."],
    ['NaN', { count: NaN }, "the field 'count' must be a finite number."],
    ['a string for a boolean', { ok: 'true' }, "the field 'ok' must be a boolean."],
    [
      'a key of the prototype',
      JSON.parse('{"__proto__":1}') as object,
      "the form has no field '__proto__'.",
    ],
  ])('ends the call if it has %s', async (_, initial, problem) => {
    const Form = z.object({
      city: z.string(),
      size: z.enum(['S', 'M']),
      tags: z.array(z.enum(['a', 'b'])),
      count: z.number(),
      ok: z.boolean(),
    });
    const form = resolver({}, () => elicit('?', Form, { initial }), { asks: 'form' });
    const tool = defineTool('tool', { resolve: { form } }, () => 'ran');
    const { text, cause } = await run(tool, undefined, {});
    expect(text).toMatch(/^Error executing tool tool/);
    expect(cause!.message).toContain(
      `Resolver 'form' asks with initial values that the form cannot show: ${problem}`,
    );
  });
});

describe('attempts', () => {
  const Size = z.object({ size: z.enum(['S', 'M'], { error: 'choose S or M' }) });
  const size = resolver({}, () => elicit('Which size?', Size), { asks: Size, attempts: 3 });
  const order = defineTool('order', { resolve: { size } }, ({ size: chosen }) => chosen.size);
  const COMPLAINT = 'Which size?\n\nsize: choose S or M';
  const MISFIT =
    "Error executing tool order: Resolver 'size' received an accepted elicitation whose content does not match the requested schema (field 'size')";

  test.each(eras)('ask again with the words of the schema, on the %s era', async (era) => {
    const answers = [accept({ size: 'XL' }), accept({ size: 'L' }), accept({ size: 'M' })];
    const client = await connectClient(era, serving(order), { elicit: answers });
    expect(await client.text('order')).toBe('M');
    expect(client.asked).toEqual(['Which size?', COMPLAINT, COMPLAINT]);
  });

  test.each(eras)('ask again after an answer without content, on the %s era', async (era) => {
    const answers = [{ action: 'accept' as const }, accept({ size: 'S' })];
    const client = await connectClient(era, serving(order), { elicit: answers });
    expect(await client.text('order')).toBe('S');
    expect(client.asked).toEqual(['Which size?', 'Which size?']);
  });

  test.each(eras)('end with the error of a single attempt, on the %s era', async (era) => {
    const answers = ['XL', 'L', 'XS'].map((wrong) => accept({ size: wrong }));
    const client = await connectClient(era, serving(order), { elicit: answers });
    expect(await client.errorText('order')).toBe(MISFIT);
    expect(client.asked).toHaveLength(3);
  });

  test('are one by default', async () => {
    const once = resolver({}, () => elicit('Which size?', Size), { asks: 'form' });
    const tool = defineTool('order', { resolve: { size: once } }, () => '');
    const { text, questions } = await run(tool, undefined, {
      answers: { size: accept({ size: 'XL' }) },
    });
    expect(text).toBe(MISFIT);
    expect(questions).toHaveLength(1);
  });

  test('can be scripted, and read the same on both eras', async () => {
    const answers = { size: [accept({ size: 'XL' }), accept({ size: 'M' })] };
    const { text, questions } = await bothEras((era) => run(order, undefined, { era, answers }));
    expect(text).toBe('M');
    expect(questions.map(({ message }) => message)).toEqual(['Which size?', COMPLAINT]);
  });

  test('let the user decline at any attempt', async () => {
    const answers = { size: [accept({ size: 'XL' }), decline()] };
    const { text } = await bothEras((era) => run(order, undefined, { era, answers }));
    expect(text).toContain('elicitation was decline');
  });

  test('do not repeat a question after a response that no user gave', async () => {
    const sendRound = roundsOf(order);
    const inputResponses = { size: { roots: [] } };
    const end = await sendRound({ ...questionsOf(await sendRound()), inputResponses });
    expect(errorTextOf(end)).toContain("Resolver 'size' received a non-elicitation response");
  });

  test('show the complaint again in a round without an answer', async () => {
    const sendRound = roundsOf(order);
    const inputResponses = { size: accept({ size: 'XL' }) };
    const second = await sendRound({ ...questionsOf(await sendRound()), inputResponses });
    expect(messagesOf(second)).toEqual({ size: COMPLAINT });
    const third = await sendRound(questionsOf(second));
    expect(messagesOf(third)).toEqual({ size: COMPLAINT });
    expect(readState(third)).toEqual(readState(second));
  });

  test('are counted in the sealed record, with the digest of the question itself', async () => {
    const sendRound = roundsOf(order);
    const first = await sendRound();
    const inputResponses = { size: accept({ size: 'XL' }) };
    const second = await sendRound({ ...questionsOf(first), inputResponses });
    expect(readState(second)).toEqual({
      ...readState(first),
      failed: { size: { count: 1, complaint: 'size: choose S or M', typed: {} } },
    });
  });

  test('start over if the question changes', async () => {
    let wording = 'Which size?';
    const moving = resolver({}, () => elicit(wording, Size), { asks: Size, attempts: 2 });
    const sendRound = roundsOf(defineTool('order', { resolve: { size: moving } }, () => 'ran'));
    const inputResponses = { size: accept({ size: 'XL' }) };
    const second = await sendRound({ ...questionsOf(await sendRound()), inputResponses });
    wording = 'Which size, S or M?';
    const third = await sendRound({ ...questionsOf(second), inputResponses });
    expect(messagesOf(third)).toEqual({ size: wording });
    const fourth = await sendRound({ ...questionsOf(third), inputResponses });
    expect(messagesOf(fourth)).toEqual({ size: `${wording}\n\nsize: choose S or M` });
    expect(errorTextOf(await sendRound({ ...questionsOf(fourth), inputResponses }))).toContain(
      "field 'size'",
    );
  });

  test('are given back by a replayed round, and cannot be raised by a client', async () => {
    const sendRound = roundsOf(order);
    const first = await sendRound();
    const inputResponses = { size: accept({ size: 'XL' }) };
    for (let time = 0; time < 4; time += 1) {
      const again = await sendRound({ ...questionsOf(first), inputResponses });
      expect(readState(again)).toHaveProperty('failed.size.count', 1);
    }
    const forged = writeState(first, {
      ...readState(first),
      failed: { size: { count: 2, complaint: '' } },
    });
    expect(errorTextOf(await sendRound({ requestState: forged, inputResponses }))).toContain(
      "field 'size'",
    );
  });

  test('keep other answers and questions', async () => {
    const City = z.object({ city: z.string().min(2) });
    const city = resolver({}, () => elicit('Which city?', City), {
      name: 'city',
      asks: City,
      attempts: 2,
    });
    const both = defineTool(
      'both',
      { resolve: { size, city } },
      ({ size: s, city: c }) => `${s.size} ${c.city}`,
    );
    const answers = {
      size: [accept({ size: 'XL' }), accept({ size: 'L' }), accept({ size: 'S' })],
      city: [accept({ city: 'x' }), accept({ city: 'Oslo' })],
    };
    expect((await bothEras((era) => run(both, undefined, { era, answers }))).text).toBe('S Oslo');
  });

  test('show a long complaint in part, without invisible characters', async () => {
    const Name = z.object({
      name: z.string().refine(() => false, { error: `\u202e${'x'.repeat(2000)}` }),
    });
    const name = resolver({}, () => elicit('Name?', Name), { asks: Name, attempts: 2 });
    const tool = defineTool('tool', { resolve: { name } }, () => '');
    const answers = { name: [accept({ name: 'a' }), decline()] };
    const { questions } = await bothEras((era) => run(tool, undefined, { era, answers }));
    const message = questions[1]?.message ?? '';
    expect(message.startsWith('Name?\n\nname: \\u{202E}xxx')).toBe(true);
    expect(message.length).toBeLessThan(600);
  });

  test('wait for a schema that validates asynchronously', async () => {
    const Free = z.object({
      nick: z.string().refine(async (nick) => nick !== 'taken', { error: 'is taken' }),
    });
    const nick = resolver({}, () => elicit('Nick?', Free), { asks: Free, attempts: 2 });
    const tool = defineTool('tool', { resolve: { nick } }, ({ nick: chosen }) => chosen.nick);
    const answers = { nick: [accept({ nick: 'taken' }), accept({ nick: 'free' })] };
    const { text, questions } = await bothEras((era) => run(tool, undefined, { era, answers }));
    expect(text).toBe('free');
    expect(questions[1]?.message).toBe('Nick?\n\nnick: is taken');
  });
});

describe('wrong options', () => {
  const Form = z.object({ ok: z.boolean() });
  test.each<[string, () => unknown, string]>([
    [
      'declined: 7',
      () => elicit('?', Form, { declined: 7 as never }),
      'elicit(): `declined` must be a non-empty string.',
    ],
    [
      "declined: ''",
      () => confirm('?', { declined: '' }),
      'confirm(): `declined` must be a non-empty string.',
    ],
    [
      'initial: []',
      () => elicit('?', Form, { initial: [] as never }),
      'elicit(): `initial` must be an object with values for fields of the form, such as { city: … }.',
    ],
    [
      'attempts: 0',
      () => resolver({}, () => elicit('?', Form), { asks: Form, attempts: 0 as never }),
      'resolver(): `attempts` must be an integer from 1 to 10. It is the number of times that the form is shown in all.',
    ],
    [
      'attempts: 11',
      () => resolver({}, () => elicit('?', Form), { asks: 'form', attempts: 11 as never }),
      'resolver(): `attempts` must be an integer from 1 to 10. It is the number of times that the form is shown in all.',
    ],
    [
      'attempts: 1.5',
      () => resolver({}, () => elicit('?', Form), { asks: 'form', attempts: 1.5 as never }),
      'resolver(): `attempts` must be an integer from 1 to 10. It is the number of times that the form is shown in all.',
    ],
    [
      "attempts: '3'",
      () => resolver({}, () => elicit('?', Form), { asks: Form, attempts: '3' as never }),
      'resolver(): `attempts` must be an integer from 1 to 10. It is the number of times that the form is shown in all.',
    ],
    [
      'attempts without asks',
      () => resolver({}, () => 1, { attempts: 3 }),
      "resolver(): `attempts` needs a form. Add asks: 'form' or the schema of the form, or remove `attempts`.",
    ],
    [
      'attempts of a link',
      () => resolver({}, () => elicitUrl('?', 'https://a.example'), { asks: 'url', attempts: 3 }),
      "resolver(): `attempts` needs a form. Add asks: 'form' or the schema of the form, or remove `attempts`.",
    ],
    [
      'attempts in elicit()',
      () => elicit('?', Form, { attempts: 3 } as never),
      "elicit() has no option 'attempts'. Add it to the options of the resolver: { asks: 'form', attempts: 3 }.",
    ],
    [
      'attempts in confirm()',
      () => confirm('?', { attempts: 3 } as never),
      "confirm() has no option 'attempts'. Add it to the options of the resolver: { asks: 'form', attempts: 3 }.",
    ],
    [
      'a misspelt option',
      () => elicit('?', Form, { inital: {} } as never),
      "elicit() has no option 'inital'. Known options: otherwise, declined, initial.",
    ],
  ])('are refused: %s', (_, ask, sentence) => {
    expect(ask).toThrow(new TypeError(sentence));
  });
});
