/**
 * A pinned value stands on the answers that it was computed on. Where they are no longer the same
 * it is computed anew, and whatever was asked on top of it is asked again.
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
import { decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { questionsOf, textOf } from '../support/results.js';
import { answering, roundsOf, messagesOf, summaryOf, type RoundResult } from '../support/rounds.js';
import {
  accept,
  answeredOtherwise,
  roundsFrom,
  pinnedIn,
  recordOf,
  rewritten,
  yes,
} from './rounds.js';

const Account = z.object({ account: z.string() });
const Quote = z.object({ fee: z.number(), to: z.string() });
type Quote = z.output<typeof Quote>;

/**
 * A transfer: the account is asked for, the quote pinned on top of the answer, and the approval
 * asked on top of the quote, in words that are always the same. A memo is asked beside them.
 */
function transfer(between: (quote: Resolver<Quote>) => Filler) {
  const ran: string[] = [];
  const account = resolver({}, () => elicit('Which account?', Account), { name: 'account' });
  const memo = resolver({}, () => elicit('Any memo?', z.object({ memo: z.string() })), {
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
    { shown: between(quote) as Resolver<unknown> },
    () => confirm('Go ahead?'),
    {
      name: 'approve',
    },
  );
  const sign = resolver({ approve }, () => confirm('Sign?'), { name: 'sign' });
  const tool = defineTool('transfer', { resolve: { quote, memo, sign } }, (values) =>
    JSON.stringify([values.quote, values.memo]),
  );
  return { sendRound: roundsOf(tool), ran };
}

/** The rounds of a transfer up to the one that asks for the signature. */
async function untilSignature(sendRound: ReturnType<typeof roundsOf>): Promise<RoundResult[]> {
  const first = await sendRound();
  const second = await sendRound(
    answering(first, { account: accept({ account: 'A' }), memo: accept({ memo: 'rent' }) }),
  );
  const third = await sendRound(answering(second, { approve: yes }));
  return [first, second, third];
}

const pass = (name: string, source: Filler): Resolver<unknown> =>
  resolver({ source: source as Resolver<unknown> }, (values) => values.source, { name });

const between: [string, (quote: Resolver<Quote>) => Filler][] = [
  ['directly', (quote) => quote],
  ['as an outcome', (quote) => outcome(quote)],
  ['several steps away', (quote) => pass('c', pass('b', pass('a', quote)))],
  ['behind the outcome of a step', (quote) => outcome(pass('b', outcome(pass('a', quote))))],
  [
    'behind a pin that stands on it',
    (quote) =>
      resolver({ quote }, (values) => values.quote.fee * 2, { pin: z.number(), name: 'a' }),
  ],
  [
    'behind a chain of pins and steps',
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

describe.each(between)('a question that stands on it %s', (_, put) => {
  test('counts as long as the answers are the same', async () => {
    const { sendRound, ran } = transfer(put);
    const [, , third] = await untilSignature(sendRound);

    expect(messagesOf(third!)).toEqual({ sign: 'Sign?' });
    expect(summaryOf(await sendRound(answering(third!, { sign: yes })))).toBe(
      '[{"fee":1,"to":"A"},{"memo":"rent"}]',
    );
    expect(ran).toEqual(['quote']);
  });

  test('is asked again when they are not, although it reads the same and its answer came', async () => {
    const { sendRound, ran } = transfer(put);
    const [, second] = await untilSignature(sendRound);
    expect(messagesOf(second!)).toEqual({ approve: 'Go ahead?' });

    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: answeredOtherwise(second!, 'account', { data: { account: 'B' } }),
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

  test('is asked again when they are not, although its answer was recorded rounds ago', async () => {
    const { sendRound, ran } = transfer(put);
    const [, , third] = await untilSignature(sendRound);
    expect(recordOf(third!).outcomes).toHaveProperty('approve');

    const fourth = await sendRound({
      inputResponses: { sign: yes },
      requestState: answeredOtherwise(third!, 'account', { data: { account: 'B' } }),
    });
    expect(messagesOf(fourth)).toEqual({ approve: 'Go ahead?' });
    expect(recordOf(fourth).outcomes).not.toHaveProperty('approve');
    expect(ran).toEqual(['quote', 'quote']);

    // The signature was given on top of an approval that is gone, and it had not been recorded.
    const fifth = await sendRound(answering(fourth, { approve: yes, sign: yes }));
    expect(messagesOf(fifth)).toEqual({ sign: 'Sign?' });
    expect(summaryOf(await sendRound(answering(fifth, { sign: yes })))).toBe(
      '[{"fee":2,"to":"B"},{"memo":"rent"}]',
    );
  });

  test('leaves what stands beside it alone', async () => {
    const { sendRound } = transfer(put);
    const [, second] = await untilSignature(sendRound);

    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: answeredOtherwise(second!, 'account', { data: { account: 'B' } }),
    });
    expect(questionsOf(third).keys).toEqual(['approve']);
    expect(recordOf(third).outcomes).toMatchObject({ memo: { data: { memo: 'rent' } } });
  });
});

test('another answer beside it moves nothing', async () => {
  const { sendRound, ran } = transfer((quote) => quote);
  const [, second] = await untilSignature(sendRound);

  const third = await sendRound({
    inputResponses: { approve: yes },
    requestState: answeredOtherwise(second!, 'memo', { data: { memo: 'food' } }),
  });
  expect(messagesOf(third)).toEqual({ sign: 'Sign?' });
  expect(summaryOf(await sendRound(answering(third, { sign: yes })))).toBe(
    '[{"fee":1,"to":"A"},{"memo":"food"}]',
  );
  expect(ran).toEqual(['quote']);
});

describe.each<[string, (account: Resolver<unknown>) => Filler]>([
  ['one step', (account) => pass('a', account)],
  ['three steps', (account) => pass('c', pass('b', pass('a', account)))],
  ['outcomes', (account) => outcome(pass('b', outcome(pass('a', outcome(account)))))],
  [
    'another question',
    (account) =>
      resolver({ account }, () => elicit('How fast?', z.object({ days: z.number() })), {
        name: 'speed',
      }),
  ],
])('an answer that the pin stands on over %s', (_, put) => {
  test('moves it', async () => {
    let runs = 0;
    const account = resolver({}, () => elicit('Which account?', Account), { name: 'account' });
    const quote = resolver({ under: put(account) as Resolver<unknown> }, () => (runs += 1), {
      pin: z.number(),
      name: 'quote',
    });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
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
    const moved = await sendRound({
      inputResponses: { approve: yes },
      requestState: answeredOtherwise(result, 'account', { data: { account: 'B' } }),
    });

    expect(messagesOf(moved)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(moved, { approve: yes })))).toBe('2');
  });
});

describe('answers that differ in', () => {
  /** A quote that can live with a no, in front of an approval. */
  function lenient() {
    let runs = 0;
    const account = resolver({}, () => elicit('Which account?', Account), { name: 'account' });
    const quote = resolver(
      { account: outcome(account) },
      (values) => `${values.account.action} ${(runs += 1)}`,
      { pin: z.string(), name: 'quote' },
    );
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
    const tool = defineTool('transfer', { resolve: { quote, approve } }, (values) => values.quote);
    return roundsOf(tool);
  }

  const differences: [string, Record<string, unknown>, string][] = [
    ['nothing', {}, 'accept 1'],
    ['a letter', { data: { account: 'a' } }, 'accept 2'],
    ['a member that the form does not have', { data: { account: 'A', more: 1 } }, 'accept 2'],
    ['whether it is a yes', { action: 'decline', data: undefined }, 'decline 2'],
  ];

  test.each(differences)('%s', async (what, answer, text) => {
    const sendRound = lenient();
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: answeredOtherwise(second, 'account', answer),
    });
    if (what === 'nothing') {
      expect(textOf(third)).toBe(text);
      return;
    }

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe(text);
  });

  test('what was asked', async () => {
    let day = 'Monday';
    let runs = 0;
    const account = resolver({}, () => elicit(`Which account on ${day}?`, Account), {
      name: 'account',
    });
    const quote = resolver({ account }, () => (runs += 1), { pin: z.number(), name: 'quote' });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
    const sendRound = roundsOf(
      defineTool('transfer', { resolve: { quote, approve } }, (values) => `${values.quote}`),
    );
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    day = 'Tuesday';
    // The same words of the person, as if they had been the answer to Tuesday's question.
    const q = recordOf(await sendRound()).asked.account;
    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: answeredOtherwise(second, 'account', { q }),
    });

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('2');
  });

  test('how it was refused', async () => {
    const sendRound = lenient();
    const second = await sendRound(answering(await sendRound(), { account: decline() }));
    expect(pinnedIn(second)).toEqual({ quote: 'decline 1' });
    const third = await sendRound({
      inputResponses: { approve: yes },
      requestState: answeredOtherwise(second, 'account', { action: 'cancel' }),
    });

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(pinnedIn(third)).toEqual({ quote: 'cancel 2' });
  });

  test('what the client or its model said', async () => {
    let runs = 0;
    const guess = resolver(
      {},
      () =>
        sample({
          messages: [{ role: 'user', content: { type: 'text', text: 'Guess' } }],
          maxTokens: 9,
        }),
      { name: 'guess' },
    );
    const folders = resolver({}, () => listRoots(), { name: 'folders' });
    const index = resolver({ guess, folders }, () => (runs += 1), {
      pin: z.number(),
      name: 'index',
    });
    const approve = resolver({ index }, () => confirm('Go ahead?'), { name: 'approve' });
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
      const requestState = answeredOtherwise(second, key, { data });
      const third = await sendRound({ inputResponses: { approve: yes }, requestState });
      expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    }
    expect(runs).toBe(3);
  });
});

describe('without anybody touching the state', () => {
  test('a question that was reworded is asked again, and its new answer moves the pin', async () => {
    const ran: string[] = [];
    let day = 'Monday';
    const account = resolver({}, () => elicit(`Which account on ${day}?`, Account), {
      name: 'account',
    });
    const quote = resolver(
      { account },
      (values) => {
        ran.push(values.account.account);
        return values.account.account;
      },
      { pin: z.string(), name: 'quote' },
    );
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
    const tool = defineTool('transfer', { resolve: { quote, approve } }, (values) => values.quote);
    const sendRound = roundsOf(tool);
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );

    day = 'Tuesday';
    const third = await sendRound(answering(second, { approve: yes }));
    expect(messagesOf(third)).toEqual({ account: 'Which account on Tuesday?' });
    expect(recordOf(third)).not.toHaveProperty('pins');
    const fourth = await sendRound(
      answering(third, { account: accept({ account: 'B' }), approve: yes }),
    );
    expect(messagesOf(fourth)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(fourth, { approve: yes })))).toBe('B');
    expect(ran).toEqual(['A', 'B']);
  });

  test('the same answer to a reworded question moves it as well', async () => {
    let day = 'Monday';
    let runs = 0;
    const account = resolver({}, () => elicit(`Which account on ${day}?`, Account), {
      name: 'account',
    });
    const quote = resolver({ account }, () => (runs += 1), { pin: z.number(), name: 'quote' });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
    const sendRound = roundsOf(
      defineTool('transfer', { resolve: { quote, approve } }, (values) => `${values.quote}`),
    );
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    day = 'Tuesday';
    const third = await sendRound(answering(second, {}));
    const fourth = await sendRound(answering(third, { account: accept({ account: 'A' }) }));

    expect(messagesOf(fourth)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(fourth, { approve: yes })))).toBe('2');
  });

  test('a question that need not be asked any more moves it', async () => {
    let known = undefined as { account: string } | undefined;
    let runs = 0;
    const account = resolver({}, () => known ?? elicit('Which account?', Account), {
      name: 'account',
    });
    const quote = resolver({ account }, (values) => `${values.account.account}${(runs += 1)}`, {
      pin: z.string(),
      name: 'quote',
    });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
    const sendRound = roundsOf(
      defineTool('transfer', { resolve: { quote, approve } }, (values) => values.quote),
    );
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    known = { account: 'B' };
    const third = await sendRound(answering(second, { approve: yes }));

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('B2');
  });

  test('a question that has to be asked after all moves it', async () => {
    let known: { account: string } | undefined = { account: 'A' };
    let runs = 0;
    const account = resolver({}, () => known ?? elicit('Which account?', Account), {
      name: 'account',
    });
    const quote = resolver({ account }, (values) => `${values.account.account}${(runs += 1)}`, {
      pin: z.string(),
      name: 'quote',
    });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
    const sendRound = roundsOf(
      defineTool('transfer', { resolve: { quote, approve } }, (values) => values.quote),
    );
    const first = await sendRound();
    known = undefined;
    const second = await sendRound(answering(first, { approve: yes }));
    expect(messagesOf(second)).toEqual({ account: 'Which account?' });

    const third = await sendRound(answering(second, { account: accept({ account: 'B' }) }));
    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('B2');
  });

  test('a guard that asks in the middle of a call lets what comes behind it start over', async () => {
    let suspicious = false;
    let runs = 0;
    const guard = resolver({}, () => (suspicious ? confirm('Is that you?') : true));
    const quote = resolver({}, () => (runs += 1), { pin: z.number(), name: 'quote' });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
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

describe('fallbacks', () => {
  const FORMS = { elicitation: {} };
  const ALL = { elicitation: {}, sampling: {} };
  const ask = (text: string) =>
    sample(
      { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 9 },
      { otherwise: () => said('fallback') },
    );
  const said = (text: string) => ({
    role: 'assistant' as const,
    content: { type: 'text' as const, text },
    model: 'none',
  });

  test('a fallback upstream is no answer, and an answer in its place moves the pin', async () => {
    let runs = 0;
    const rating = resolver({}, () => ask('Rate it'), { name: 'rating' });
    const quote = resolver({ rating }, (values) => `${values.rating.model} ${(runs += 1)}`, {
      pin: z.string(),
      name: 'quote',
    });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
    const tool = defineTool('buy', { resolve: { quote, approve } }, (values) => values.quote);
    const first = await roundsFrom(tool, FORMS)();
    expect(pinnedIn(first)).toEqual({ quote: 'none 1' });

    // From the same client, nothing has moved.
    const retry = answering(first, { approve: yes });
    expect(textOf(await roundsFrom(tool, FORMS)(retry))).toBe('none 1');

    const second = await roundsFrom(tool, ALL)(retry);
    expect(questionsOf(second).keys).toEqual(['rating']);
    const rated = { ...said('good'), model: 'm' };
    const third = await roundsFrom(tool, ALL)(answering(second, { rating: rated, approve: yes }));
    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await roundsFrom(tool, ALL)(answering(third, { approve: yes })))).toBe('m 2');
  });

  test('a question is asked again that stands on the pin behind a fallback', async () => {
    let runs = 0;
    const account = resolver({}, () => elicit('Which account?', Account), { name: 'account' });
    const quote = resolver({ account }, () => (runs += 1), { pin: z.number(), name: 'quote' });
    const rating = resolver({ quote }, (values) => ask(`Rate ${values.quote}`), { name: 'rating' });
    const approve = resolver({ rating }, () => confirm('Go ahead?'), { name: 'approve' });
    const tool = defineTool('buy', { resolve: { quote, approve } }, (values) => `${values.quote}`);
    const sendRound = roundsFrom(tool, FORMS);
    const second = await sendRound(
      answering(await sendRound(), { account: accept({ account: 'A' }) }),
    );
    expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });

    const requestState = answeredOtherwise(second, 'account', { data: { account: 'B' } });
    const third = await sendRound({ inputResponses: { approve: yes }, requestState });
    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await sendRound(answering(third, { approve: yes })))).toBe('2');
  });
});

test('what was computed on the wrong answers is never restored, whatever the digest says', async () => {
  const { sendRound, ran } = transfer((quote) => quote);
  const [, second] = await untilSignature(sendRound);
  const requestState = rewritten(second!, ({ pins = {}, ...record }) => ({
    ...record,
    pins: { quote: { ...pins.quote, on: 'AAAAAAAAAAAAAAAAAAAAAA' } },
  }));
  const third = await sendRound({ inputResponses: { approve: yes }, requestState });

  expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
  expect(ran).toEqual(['quote', 'quote']);
});

test('a call can end where the pin is computed anew', async () => {
  let closed = false;
  const account = resolver({}, () => elicit('Which account?', Account), { name: 'account' });
  const quote = resolver(
    { account },
    () => {
      if (closed) throw new ToolError('the account was closed');
      return 1;
    },
    { pin: z.number(), name: 'quote' },
  );
  const approve = resolver({ quote }, () => confirm('Go ahead?'), { name: 'approve' });
  const sendRound = roundsOf(defineTool('transfer', { resolve: { approve } }, () => 'done'));
  const second = await sendRound(
    answering(await sendRound(), { account: accept({ account: 'A' }) }),
  );
  closed = true;
  const requestState = answeredOtherwise(second, 'account', { data: { account: 'B' } });

  expect(summaryOf(await sendRound({ inputResponses: { approve: yes }, requestState }))).toBe(
    'Error executing tool transfer: the account was closed',
  );
});
