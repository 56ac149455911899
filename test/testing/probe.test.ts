/** Tests `probe`: each probe misuses a token in one known way and reports whether it was refused. */
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  elicitUrl,
  listRoots,
  memoryStore,
  requestStateSeal,
  resolver,
  sample,
} from 'mcp-resolve';
import { accept, probe } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { askAll, pay, payConfig, payInvoice, yes } from './payments.js';

const large = { invoice: 'INV-2' };
const options = { answers: yes };

const invalidState = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};

describe('a probe reports a refusal', () => {
  test.each([
    ['of a changed token', () => probe.tampered(payInvoice, large, options)],
    ['of an expired token', () => probe.expired(payInvoice, large, options)],
    ["of another user's token", () => probe.otherUser(payInvoice, large, options)],
    [
      'of a token that is sent with other arguments',
      () =>
        probe.swappedArguments(payInvoice, large, { ...options, otherArgs: { invoice: 'INV-3' } }),
    ],
  ])('%s', async (_, misuse) => {
    expect(await misuse()).toEqual({
      refused: true,
      error: invalidState,
      result: undefined,
      asks: [],
      text: 'Invalid or expired requestState',
    });
  });

  test('and the repeated question if the retry has no answer', async () => {
    expect(await probe.unanswered(payInvoice, large)).toEqual({
      refused: true,
      error: undefined,
      result: undefined,
      asks: ['approved'],
      text: '',
    });
  });

  test('and the tool error if the answers have the wrong shape', async () => {
    const { refused, result, text } = await probe.wrongShape(payInvoice, large);

    expect([refused, result?.isError]).toEqual([true, true]);
    expect(text).toContain('does not match the requested schema');
  });
});

describe('a probe reports', () => {
  test('that a replayed last round runs the body again', async () => {
    const { refused, text } = await probe.replayed(payInvoice, large, options);

    expect({ refused, text }).toEqual({ refused: false, text: 'Paid 900 euros for INV-2.' });
  });

  test('that a tool with `once` returns the recorded result instead', async () => {
    let paid = 0;
    const once = defineTool('pay_once', { ...payConfig, once: memoryStore() }, (values) => {
      paid += 1;
      return pay(values);
    });

    const { refused, text } = await probe.replayed(once, large, options);
    expect({ refused, text, paid }).toEqual({
      refused: true,
      text: 'Paid 900 euros for INV-2.',
      paid: 1,
    });
  });

  test('that a principal shared by all users accepts the token of another user', async () => {
    const seal = requestStateSeal.ephemeral({ principal: () => 'everybody' });
    const { refused } = await probe.otherUser(payInvoice, large, { ...options, install: { seal } });

    expect(refused).toBe(false);
  });

  test('that a form which coerces its answer accepts the wrong shape', async () => {
    const note = resolver({}, () => elicit('A note?', z.object({ note: z.coerce.string() })), {
      asks: 'form',
    });
    const tool = defineTool('t', { resolve: { note } }, (values) => values.note.note);

    expect(await probe.wrongShape(tool)).toMatchObject({ refused: false, text: 'an array' });
  });
});

describe('the other user of a probe', () => {
  const logger = { warn: () => undefined };
  const sealed = (seal: ReturnType<typeof requestStateSeal.ephemeral>) => ({
    ...options,
    install: { seal },
  });

  test('differs from the first only in the subject', async () => {
    const seen: unknown[] = [];
    const who = resolver(
      {},
      (_, { http }) => {
        seen.push(http?.authInfo);
        return confirm('Sure?');
      },
      { asks: 'form' },
    );
    const tool = defineTool('t', { resolve: { who } }, () => 'done');
    const principal = vi.fn(({ http }: { http?: { authInfo?: { extra?: { sub?: unknown } } } }) => {
      return String(http?.authInfo?.extra?.sub);
    });
    const authInfo = { scopes: ['pay'], extra: { iss: 'https://login.example', sub: 'ann' } };

    await probe.otherUser(
      tool,
      {},
      {
        answers: { who: accept({ confirm: true }) },
        authInfo,
        install: { seal: requestStateSeal.ephemeral({ principal, logger }) },
      },
    );
    expect(seen).toEqual([{ token: 'token', clientId: 'client', ...authInfo }]);
    expect(principal.mock.results.map(({ value }) => value as string)).toEqual([
      'ann',
      'another user',
    ]);
  });

  test('can differ in a header', async () => {
    const byTenant = requestStateSeal.ephemeral({
      logger,
      principal: ({ http }) => http?.req?.headers.get('x-tenant') ?? undefined,
    });
    const acme = { ...sealed(byTenant), headers: { 'x-tenant': 'acme' } };

    const other = { headers: { 'x-tenant': 'other' } };
    expect((await probe.otherUser(payInvoice, large, { ...acme, otherUser: other })).refused).toBe(
      true,
    );
    const same = { headers: { 'x-tenant': 'acme' } };
    expect((await probe.otherUser(payInvoice, large, { ...acme, otherUser: same })).refused).toBe(
      false,
    );
  });
});

describe('a probe of a later round', () => {
  const a = resolver({}, () => confirm('A?'), { asks: 'form' });
  const b = resolver({ a }, () => confirm('B?'), { asks: 'form' });
  const chain = defineTool('chain', { resolve: { a, b } }, () => 'done');
  const answers = () => accept({ confirm: true });

  const second = { answers, round: 2 };

  test.each([
    ['changed', () => probe.tampered(chain, {}, second)],
    ['expired', () => probe.expired(chain, {}, second)],
    ['sent by another user', () => probe.otherUser(chain, {}, second)],
    ['not answered', () => probe.unanswered(chain, {}, second)],
    ['answered with the wrong shape', () => probe.wrongShape(chain, {}, second)],
  ])('answers the rounds before it and is refused if %s', async (_, misuse) => {
    expect((await misuse()).refused).toBe(true);
  });

  test('finishes the call before it replays the last round', async () => {
    expect(await probe.replayed(chain, {}, { answers })).toMatchObject({
      refused: false,
      text: 'done',
    });
  });
});

describe('a probe calls', () => {
  const word = resolver({}, () => elicit('Which word?', z.object({ word: z.string() })), {
    asks: 'form',
  });
  const answers = { word: accept({ word: 'fog' }) };
  const prompt = definePrompt('p', { resolve: { word } }, (values) => values.word.word);
  const resource = defineResource('r', 'words://one', { resolve: { word } }, (values) => {
    return values.word.word;
  });

  test('a prompt', async () => {
    expect((await probe.tampered(prompt, {}, { answers })).refused).toBe(true);
    expect((await probe.replayed(prompt, {}, { answers })).result?.messages).toHaveLength(1);
  });

  test('a resource, whose token is bound to its URI', async () => {
    expect((await probe.expired(resource, 'words://one', { answers })).refused).toBe(true);
    const otherArgs = 'words://two';
    expect(
      (await probe.swappedArguments(resource, 'words://one', { answers, otherArgs })).refused,
    ).toBe(true);
  });

  test('a tool with any kind of question, and answers in the wrong shape', async () => {
    const { refused, text } = await probe.wrongShape(askAll);
    expect([refused, text]).toEqual([true, expect.stringContaining("Resolver 'form' received")]);

    const alone = {
      link: resolver({}, () => elicitUrl('Sign in', 'https://desk.example/'), { asks: 'url' }),
      model: resolver({}, () => sample({ messages: [], maxTokens: 1 }), { asks: 'sample' }),
      folders: resolver({}, () => listRoots(), { asks: 'roots' }),
      list: resolver({}, () => elicit('Which?', z.object({ all: z.array(z.enum(['a', 'b'])) })), {
        asks: 'form',
      }),
    };
    for (const one of Object.values(alone)) {
      const tool = defineTool('t', { resolve: { one } }, () => 'done');
      expect((await probe.wrongShape(tool)).refused).toBe(true);
    }
  });

  test('a tool with the wrong answer that the test chose', async () => {
    const wrong = { approved: { action: 'maybe' } };

    expect((await probe.wrongShape(payInvoice, large, { wrong })).text).toContain(
      "Resolver 'approved' received a non-elicitation response",
    );
  });
});

test('a probe logs nothing unless the author passes a seal with a logger', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await probe.tampered(payInvoice, large, options);
  expect(warn).not.toHaveBeenCalled();

  const logged: string[] = [];
  const logger = { warn: (text: string) => void logged.push(text) };
  const seal = requestStateSeal.ephemeral({ logger });
  await probe.expired(payInvoice, large, { ...options, install: { seal } });
  expect(logged).toEqual(['requestState rejected on tools/call: expired']);
  warn.mockRestore();
});
