/**
 * Tests the answers that a pinned value depends on. If one of them changes, the value is computed
 * again, and the questions that depend on the value are asked again.
 */
import {
  confirm,
  defineTool,
  elicit,
  listRoots,
  outcome,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { Filler, Resolver } from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { questionsOf, textOf } from '../support/results.js';
import { answering, roundsOf, messagesOf, summaryOf, type RoundResult } from '../support/rounds.js';
import { changeAnswer, roundsFrom, pinnedIn, recordOf, rewriteState, yes } from './rounds.js';

const Account = z.object({ account: z.string() });
const Quote = z.object({ fee: z.number(), to: z.string() });
type Quote = z.output<typeof Quote>;

/**
 * Creates a transfer: it asks for the account, pins a quote for that account, and asks for an
 * approval that depends on the quote. The wording of the questions never changes. The memo is
 * unrelated. `connect` decides how the approval depends on the quote.
 */
function transfer(connect: (quote: Resolver<Quote>) => Filler) {
  const ran: string[] = [];
  const account = resolver({}, () => elicit('Which account?', Account), {
    asks: 'form',
    name: 'account',
  });
  const memo = resolver({}, () => elicit('Any memo?', z.object({ memo: z.string() })), {
    asks: 'form',
    name: 'memo',
  });
  const quote = resolver(
    { account },
    (values) => {
      ran.push('quote');
      return { fee: ran.length, to: values.account.account };
    },
    { pin: Quote, name: 'quote' },
  );
  const approve = resolver(
    { shown: connect(quote) as Resolver<unknown> },
    () => confirm('Go ahead?'),
    { asks: 'form', name: 'approve' },
  );
  const sign = resolver({ approve }, () => confirm('Sign?'), { asks: 'form', name: 'sign' });
  const tool = defineTool('transfer', { resolve: { quote, memo, sign } }, (values) =>
    JSON.stringify([values.quote, values.memo]),
  );
  return { sendRound: roundsOf(tool), ran };
}

/** Sends the rounds of a transfer up to the one that asks for the signature. */
async function untilSignature(sendRound: ReturnType<typeof roundsOf>): Promise<RoundResult[]> {
  const first = await sendRound();
  const second = await sendRound(
    answering(first, { account: accept({ account: 'A' }), memo: accept({ memo: 'rent' }) }),
  );
  const third = await sendRound(answering(second, { approve: yes }));
  return [first, second, third];
}

/** Creates a resolver that returns the value of another one. */
const pass = (name: string, source: Filler): Resolver<unknown> =>
  resolver({ source: source as Resolver<unknown> }, (values) => values.source, { name });

const connections: [string, (quote: Resolver<Quote>) => Filler][] = [
  ['directly', (quote) => quote],
  ['through its outcome', (quote) => outcome(quote)],
  ['through three resolvers', (quote) => pass('c', pass('b', pass('a', quote)))],
  ['through outcomes of resolvers', (quote) => outcome(pass('b', outcome(pass('a', quote))))],
  [
    'through another pinned value',
    (quote) =>
      resolver({ quote }, (values) => values.quote.fee * 2, { pin: z.number(), name: 'a' }),
  ],
  [
    'through pinned and other values in turn',
    (quote) => {
      const pin = (name: string, source: Filler): Resolver<unknown> =>
        resolver({ source: source as Resolver<unknown> }, (values) => values.source, {
          pin: z.unknown(),
          name,
        });
      return pin('c', pass('b', pin('a', quote)));
    },
  ],
];

describe.each(connections)('a question that depends on a pinned value %s', (_, connect) => {
  test('keeps its answer while the earlier answers stay the same', async () => {
    const { sendRound, ran } = transfer(connect);
    const [, , third] = await untilSignature(sendRound);

    expect(messagesOf(third!)).toEqual({ sign: 'Sign?' });
    expect(summaryOf(await sendRound(answering(third!, { sign: yes })))).toBe(
      '[{"fee":1,"to":"A"},{"memo":"rent"}]',
    );
    expect(ran).toEqual(['quote']);
  });

  test('is asked again if an earlier answer changes, even though its wording does not', async () => {
    const { sendRound, ran } = transfer(connect);
    const [, second] = await untilSignature(sendRound);
    expect(messagesOf(second!)).toEqual({ approve: 'Go ahead?' });

    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: changeAnswer(second!, 'account', { data: { account: 'B' } }),
    });
    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(ran).toEqual(['quote', 'quote']);
    expect(pinnedIn(third)).toMatchObject({ quote: { fee: 2, to: 'B' } });

    const fourth = await sendRound(answering(third, { approve: yes }));
    expect(messagesOf(fourth)).toEqual({ sign: 'Sign?' });
    expect(summaryOf(await sendRound(answering(fourth, { sign: yes })))).toBe(
      '[{"fee":2,"to":"B"},{"memo":"rent"}]',
    );
    expect(ran).toEqual(['quote', 'quote']);
  });

  test('is asked again if an earlier answer changes after its own was recorded', async () => {
    const { sendRound, ran } = transfer(connect);
    const [, , third] = await untilSignature(sendRound);
    expect(recordOf(third!).outcomes).toHaveProperty('approve');

    const fourth = await sendRound({
      inputResponses: { sign: yes },
      requestState: changeAnswer(third!, 'account', { data: { account: 'B' } }),
    });
    expect(messagesOf(fourth)).toEqual({ approve: 'Go ahead?' });
    expect(recordOf(fourth).outcomes).not.toHaveProperty('approve');
    expect(ran).toEqual(['quote', 'quote']);

    // The signature belongs to an approval that was dropped, so it does not count.
    const fifth = await sendRound(answering(fourth, { approve: yes, sign: yes }));
    expect(messagesOf(fifth)).toEqual({ sign: 'Sign?' });
    expect(summaryOf(await sendRound(answering(fifth, { sign: yes })))).toBe(
      '[{"fee":2,"to":"B"},{"memo":"rent"}]',
    );
  });

  test('is asked again without any unrelated question', async () => {
    const { sendRound } = transfer(connect);
    const [, second] = await untilSignature(sendRound);

    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: changeAnswer(second!, 'account', { data: { account: 'B' } }),
    });
    expect(questionsOf(third).keys).toEqual(['approve']);
    expect(recordOf(third).outcomes).toMatchObject({ memo: { data: { memo: 'rent' } } });
  });
});

test('a pinned value is kept if the answer to an unrelated question changes', async () => {
  const { sendRound, ran } = transfer((quote) => quote);
  const [, second] = await untilSignature(sendRound);

  const third = await sendRound({
    inputResponses: { approve: yes },
    requestState: changeAnswer(second!, 'memo', { data: { memo: 'food' } }),
  });
  expect(messagesOf(third)).toEqual({ sign: 'Sign?' });
  expect(summaryOf(await sendRound(answering(third, { sign: yes })))).toBe(
    '[{"fee":1,"to":"A"},{"memo":"food"}]',
  );
  expect(ran).toEqual(['quote']);
});

test.each<[string, (account: Resolver<unknown>) => Filler]>([
  ['one resolver', (account) => pass('a', account)],
  ['three resolvers', (account) => pass('c', pass('b', pass('a', account)))],
  ['outcomes', (account) => outcome(pass('b', outcome(pass('a', outcome(account)))))],
  [
    'another question',
    (account) =>
      resolver({ account }, () => elicit('How fast?', z.object({ days: z.number() })), {
        asks: 'form',
        name: 'speed',
      }),
  ],
])(
  'a pinned value is computed again if an answer changes that it needs through %s',
  async (_, connect) => {
    let runs = 0;
    const account = resolver({}, () => elicit('Which account?', Account), {
      asks: 'form',
      name: 'account',
    });
    const quote = resolver({ source: connect(account) as Resolver<unknown> }, () => (runs += 1), {
      pin: z.number(),
      name: 'quote',
    });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const sendRound = roundsOf(
      defineTool('transfer', { resolve: { quote, approve } }, (values) => `${values.quote}`),
    );
    let result = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    if (questionsOf(result).keys.includes('speed')) {
      result = await sendRound(answering(result, { speed: accept({ days: 2 }) }));
    }
    expect(pinnedIn(result)).toEqual({ quote: 1 });
    const changed = await sendRound({
      inputResponses: { approve: yes },
      requestState: changeAnswer(result, 'account', { data: { account: 'B' } }),
    });

    expect(messagesOf(changed)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(changed, { approve: yes })))).toBe('2');
  },
);

/** A question for the account, or the account itself. */
type AccountOrQuestion = ReturnType<typeof elicit<typeof Account>> | { account: string };

/**
 * Creates a tool that pins a quote, such as `A1` for the first computation with account `A`, and
 * asks for an approval. Returns a function that sends its rounds.
 */
function quoteFor(findAccount: () => AccountOrQuestion) {
  let runs = 0;
  const account = resolver({}, findAccount, { asks: 'form', name: 'account' });
  const quote = resolver({ account }, (values) => `${values.account.account}${(runs += 1)}`, {
    pin: z.string(),
    name: 'quote',
  });
  const approve = resolver({ quote }, () => confirm('Go ahead?'), {
    asks: 'form',
    name: 'approve',
  });
  return roundsOf(
    defineTool('transfer', { resolve: { quote, approve } }, (values) => values.quote),
  );
}

describe('a pinned value', () => {
  /** Creates a tool whose quote accepts a refusal to name the account. */
  function lenient() {
    let runs = 0;
    const account = resolver({}, () => elicit('Which account?', Account), {
      asks: 'form',
      name: 'account',
    });
    const quote = resolver(
      { account: outcome(account) },
      (values) => `${values.account.action} ${(runs += 1)}`,
      { pin: z.string(), name: 'quote' },
    );
    const approve = resolver({ quote }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const tool = defineTool('transfer', { resolve: { quote, approve } }, (values) => values.quote);
    return roundsOf(tool);
  }

  test('is kept if the answer that it depends on is the same', async () => {
    const sendRound = lenient();
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    const requestState = changeAnswer(second, 'account', {});

    expect(textOf(await sendRound({ inputResponses: { approve: yes }, requestState }))).toBe(
      'accept 1',
    );
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['differs in one letter', { data: { account: 'a' } }, 'accept 2'],
    ['has another property', { data: { account: 'A', more: 1 } }, 'accept 2'],
    ['becomes a refusal', { action: 'decline', data: undefined }, 'decline 2'],
  ])('is computed again if the answer %s', async (_, answer, text) => {
    const sendRound = lenient();
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: changeAnswer(second, 'account', answer),
    });

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe(text);
  });

  test('is computed again if the answer belongs to another wording of the question', async () => {
    let day = 'Monday';
    const sendRound = quoteFor(() => elicit(`Which account on ${day}?`, Account));
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    day = 'Tuesday';
    // The same answer, recorded for the question of Tuesday.
    const q = recordOf(await sendRound()).asked.account;
    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: changeAnswer(second, 'account', { q }),
    });

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('A2');
  });

  test('is computed again if the answer changes from a decline to a cancel', async () => {
    const sendRound = lenient();
    const second = await sendRound(answering(await sendRound(), { account: decline() }));
    expect(pinnedIn(second)).toEqual({ quote: 'decline 1' });
    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: changeAnswer(second, 'account', { action: 'cancel' }),
    });

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(pinnedIn(third)).toEqual({ quote: 'cancel 2' });
  });

  test('is computed again if the answer of the model or the client changes', async () => {
    let runs = 0;
    const guess = resolver(
      {},
      () =>
        sample({
          messages: [{ role: 'user', content: { type: 'text', text: 'Guess' } }],
          maxTokens: 9,
        }),
      { asks: 'sample', name: 'guess' },
    );
    const folders = resolver({}, () => listRoots(), { asks: 'roots', name: 'folders' });
    const index = resolver({ guess, folders }, () => (runs += 1), {
      pin: z.number(),
      name: 'index',
    });
    const approve = resolver({ index }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const tool = defineTool('scan', { resolve: { index, approve } }, (values) => `${values.index}`);
    const sendRound = roundsOf(tool);
    const said = (text: string) => ({
      role: 'assistant',
      content: { type: 'text', text },
      model: 'm',
    });
    const answers = { guess: said('left'), folders: { roots: [{ uri: 'file:///a' }] } };
    const second = await sendRound(answering(await sendRound(), answers));
    expect(textOf(await sendRound(answering(second, { approve: yes })))).toBe('1');

    for (const [key, data] of [
      ['guess', said('right')],
      ['folders', { roots: [] }],
    ] as const) {
      const requestState = changeAnswer(second, key, { data });
      const third = await sendRound({ inputResponses: { approve: yes }, requestState });
      expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    }
    expect(runs).toBe(3);
  });
});

describe('a pinned value is computed again', () => {
  test('if a reworded question gets a new answer', async () => {
    let day = 'Monday';
    const sendRound = quoteFor(() => elicit(`Which account on ${day}?`, Account));
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    expect(pinnedIn(second)).toEqual({ quote: 'A1' });

    day = 'Tuesday';
    const third = await sendRound(answering(second, { approve: yes }));
    expect(messagesOf(third)).toEqual({ account: 'Which account on Tuesday?' });
    expect(recordOf(third)).not.toHaveProperty('pins');
    const fourth = await sendRound(
      answering(third, { account: accept({ account: 'B' }), approve: yes }),
    );
    expect(messagesOf(fourth)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(fourth, { approve: yes })))).toBe('B2');
  });

  test('if a reworded question gets the same answer', async () => {
    let day = 'Monday';
    const sendRound = quoteFor(() => elicit(`Which account on ${day}?`, Account));
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    day = 'Tuesday';
    const third = await sendRound(answering(second, {}));
    const fourth = await sendRound(answering(third, { account: accept({ account: 'A' }) }));

    expect(messagesOf(fourth)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(fourth, { approve: yes })))).toBe('A2');
  });

  test('if a question is no longer needed', async () => {
    let known = undefined as { account: string } | undefined;
    const sendRound = quoteFor(() => known ?? elicit('Which account?', Account));
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    known = { account: 'B' };
    const third = await sendRound(answering(second, { approve: yes }));

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('B2');
  });

  test('if a question becomes necessary', async () => {
    let known: { account: string } | undefined = { account: 'A' };
    const sendRound = quoteFor(() => known ?? elicit('Which account?', Account));
    const first = await sendRound();
    known = undefined;
    const second = await sendRound(answering(first, { approve: yes }));
    expect(messagesOf(second)).toEqual({ account: 'Which account?' });

    const third = await sendRound(answering(second, { account: accept({ account: 'B' }) }));
    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('B2');
  });

  test('if a guard asks for the first time in a later round', async () => {
    let suspicious = false;
    let runs = 0;
    const guard = resolver({}, () => (suspicious ? confirm('Is that you?') : true), {
      asks: 'form',
    });
    const quote = resolver({}, () => (runs += 1), { pin: z.number(), name: 'quote' });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const sendRound = roundsOf(
      defineTool(
        'transfer',
        { guards: [guard], resolve: { quote, approve } },
        (values) => `${values.quote}`,
      ),
    );
    const first = await sendRound();
    suspicious = true;
    const second = await sendRound(answering(first, { approve: yes }));
    expect(messagesOf(second)).toEqual({ guard: 'Is that you?' });
    const third = await sendRound(answering(second, { guard: yes, approve: yes }));

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('2');
  });
});

describe('with a fallback', () => {
  const FORMS = { elicitation: {} };
  const ALL = { elicitation: {}, sampling: {} };
  const askModel = (text: string) =>
    sample(
      { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 9 },
      { otherwise: () => said('fallback') },
    );
  const said = (text: string) => ({
    role: 'assistant' as const,
    content: { type: 'text' as const, text },
    model: 'none',
  });

  test('a pinned value is computed again if an answer replaces the fallback', async () => {
    let runs = 0;
    const rating = resolver({}, () => askModel('Rate it'), { asks: 'sample', name: 'rating' });
    const quote = resolver({ rating }, (values) => `${values.rating.model} ${(runs += 1)}`, {
      pin: z.string(),
      name: 'quote',
    });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const tool = defineTool('buy', { resolve: { quote, approve } }, (values) => values.quote);
    const first = await roundsFrom(tool, FORMS)();
    expect(pinnedIn(first)).toEqual({ quote: 'none 1' });

    // The same client gets the pinned value.
    const retry = answering(first, { approve: yes });
    expect(textOf(await roundsFrom(tool, FORMS)(retry))).toBe('none 1');

    const second = await roundsFrom(tool, ALL)(retry);
    expect(questionsOf(second).keys).toEqual(['rating']);
    const rated = { ...said('good'), model: 'm' };
    const third = await roundsFrom(tool, ALL)(answering(second, { rating: rated, approve: yes }));
    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await roundsFrom(tool, ALL)(answering(third, { approve: yes })))).toBe('m 2');
  });

  test('a question that depends on a pinned value through the fallback is asked again', async () => {
    let runs = 0;
    const account = resolver({}, () => elicit('Which account?', Account), {
      asks: 'form',
      name: 'account',
    });
    const quote = resolver({ account }, () => (runs += 1), { pin: z.number(), name: 'quote' });
    const rating = resolver({ quote }, (values) => askModel(`Rate ${values.quote}`), {
      asks: 'sample',
      name: 'rating',
    });
    const approve = resolver({ rating }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const tool = defineTool('buy', { resolve: { quote, approve } }, (values) => `${values.quote}`);
    const sendRound = roundsFrom(tool, FORMS);
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });

    const requestState = changeAnswer(second, 'account', { data: { account: 'B' } });
    const third = await sendRound({ inputResponses: { approve: yes }, requestState });
    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('2');
  });
});

test('a pinned value is computed again if its digest is wrong', async () => {
  const { sendRound, ran } = transfer((quote) => quote);
  const [, second] = await untilSignature(sendRound);
  const requestState = rewriteState(second!, ({ pins = {}, ...record }) => ({
    ...record,
    pins: { quote: { ...pins.quote, on: 'AAAAAAAAAAAAAAAAAAAAAA' } },
  }));
  const third = await sendRound({ inputResponses: { approve: yes }, requestState });

  expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
  expect(ran).toEqual(['quote', 'quote']);
});

test('a call fails if its pinned value cannot be computed again', async () => {
  let closed = false;
  const account = resolver({}, () => elicit('Which account?', Account), {
    asks: 'form',
    name: 'account',
  });
  const quote = resolver(
    { account },
    () => {
      if (closed) throw new ToolError('the account was closed');
      return 1;
    },
    { pin: z.number(), name: 'quote' },
  );
  const approve = resolver({ quote }, () => confirm('Go ahead?'), {
    asks: 'form',
    name: 'approve',
  });
  const sendRound = roundsOf(defineTool('transfer', { resolve: { approve } }, () => 'done'));
  const second = await sendRound(
    answering(await sendRound(), { account: accept({ account: 'A' }) }),
  );
  closed = true;
  const requestState = changeAnswer(second, 'account', { data: { account: 'B' } });

  expect(summaryOf(await sendRound({ inputResponses: { approve: yes }, requestState }))).toBe(
    'Error executing tool transfer: the account was closed',
  );
});
