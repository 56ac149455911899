/**
 * A call is claimed when all is answered, just before its body: what goes wrong earlier leaves it
 * unclaimed, and what never asked has no token that could be sent again.
 */
import { Server } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, install, resolver, ToolError } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { memoryOnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { caller, expectFrozen, FROZEN, tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import { eras } from '../../support/eras.js';
import { connectClient } from '../../support/plainClient.js';
import {
  accept,
  answerOf,
  bank,
  countOf,
  decline,
  heard,
  ownSeal,
  payTool,
  roundsAt,
  roundsOf,
  sharedSeal,
  yes,
} from './support.js';

describe('a store is asked', () => {
  test('nothing in the first round, once in one that asks, three times in the last', async () => {
    const { store, since } = heard();
    const name = resolver({}, () => elicit('Name?', z.object({ name: z.string() })));
    const approved = resolver({ name }, (values) => confirm(`Pay ${values.name.name}?`));
    const tool = defineTool('pay', { resolve: { approved }, once: store }, () => 'paid');
    const rounds = roundsOf(tool);

    const first = tokenOf(await rounds());
    expect(since()).toEqual([]);
    const second = tokenOf(
      await rounds({ token: first, answers: { name: accept({ name: 'A' }) } }),
    );
    expect(since()).toEqual(['read']);
    const third = tokenOf(await rounds({ token: second }));
    expect(since()).toEqual(['read']);
    const end = await rounds({ token: third, answers: { approved: yes } });
    expect(answerOf(end)).toEqual({ text: 'paid' });
    expect(since()).toEqual(['read', 'claim', 'finish']);
    await rounds({ token: third, answers: { approved: yes } });
    expect(since()).toEqual(['read']);
  });

  test('as often for a decline as for a result', async () => {
    const { store, since } = heard();
    const rounds = roundsOf(payTool(store).tool);
    const token = tokenOf(await rounds());
    await rounds({ token, answers: { approved: decline } });
    expect(since()).toEqual(['read', 'claim', 'finish']);
    await rounds({ token, answers: { approved: decline } });
    expect(since()).toEqual(['read']);
  });

  test('about the call by the id that resolvers and body have as ctx.callId, in every round', async () => {
    const { store, taken } = heard();
    const ids: string[] = [];
    const name = resolver({}, (_, ctx) => {
      ids.push(ctx.callId);
      return elicit('Name?', z.object({ name: z.string() }));
    });
    const approved = resolver({ name }, (_, ctx) => {
      ids.push(ctx.callId);
      return confirm('Pay?');
    });
    const tool = defineTool('pay', { resolve: { approved }, once: store }, (_, ctx) => {
      ids.push(ctx.callId);
      return 'paid';
    });
    const rounds = roundsOf(tool);
    const first = tokenOf(await rounds());
    const second = tokenOf(
      await rounds({ token: first, answers: { name: accept({ name: 'A' }) } }),
    );
    await rounds({ token: second, answers: { approved: yes } });
    await rounds({ token: second, answers: { approved: yes } });

    // name in three rounds, approved in two, the body.
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[\w-]{22}$/);
    expect(new Set(taken.map(({ id }) => id))).toEqual(new Set(ids));
  });

  test('by every attempt under an owner of its own', async () => {
    const { store, taken } = heard();
    const rounds = roundsOf(payTool(store).tool);
    for (let call = 0; call < 3; call += 1) {
      const token = tokenOf(await rounds());
      await rounds({ token, answers: { approved: yes } });
    }
    const claims = taken.filter(({ step }) => step === 'claim');
    const ends = taken.filter(({ step }) => step === 'finish');
    expect(new Set(claims.map(({ details }) => details?.owner)).size).toBe(3);
    expect(ends.map(({ details }) => details?.owner)).toEqual(
      claims.map(({ details }) => details?.owner),
    );
  });
});

describe('what goes wrong before the body claims nothing, and the call can still be completed', () => {
  test('a resolver that fails once', async () => {
    const { store, since } = heard();
    let failures = 1;
    const approved = resolver({}, () => confirm('Pay?'));
    const account = resolver({ approved }, () => {
      if (failures-- > 0) throw new ToolError('the bank does not answer');
      return 'account 7';
    });
    const tool = defineTool(
      'pay',
      { resolve: { account }, once: store },
      (values) => values.account,
    );
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual({
      text: 'Error executing tool pay: the bank does not answer',
      isError: true,
    });
    expect(since()).toEqual(['read']);
    expect(answerOf(await rounds(last))).toEqual({ text: 'account 7' });
    expect(since()).toEqual(['read', 'claim', 'finish']);
  });

  test.each([
    ['an accept without content', { action: 'accept' }, 'accepted elicitation with no content'],
    ['content of the wrong shape', accept({ confirm: 'yes' }), 'does not match'],
    ['no kind of answer', { action: 'banana' }, 'non-elicitation response'],
  ])('E9, E10, E11: %s', async (_, answer, sentence) => {
    const { store, since } = heard();
    const { tool, runs } = payTool(store);
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const wrong = answerOf(await rounds({ token, answers: { approved: answer } }));
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.text).toContain(sentence);
    expect(since()).toEqual(['read']);

    const right = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(right)).toEqual({ text: 'Paid 48 euros.' });
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a guard that refuses', async () => {
    const { store, since } = heard();
    let allowed = true;
    const mayPay = resolver({}, () => {
      if (!allowed) throw new ToolError('you may not pay');
    });
    const approved = resolver({}, () => confirm('Pay?'));
    const tool = defineTool(
      'pay',
      { guards: [mayPay], resolve: { approved }, once: store },
      () => 'paid',
    );
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    allowed = false;
    expect(answerOf(await rounds(last)).text).toBe('Error executing tool pay: you may not pay');
    expect(since()).toEqual(['read']);
    allowed = true;
    expect(answerOf(await rounds(last))).toEqual({ text: 'paid' });
  });

  test('a client that can no longer be asked', async () => {
    const { store, since } = heard();
    const { tool } = payTool(store);
    const rounds = roundsOf(tool);
    const token = tokenOf(await rounds());
    const { error } = await rounds({ token }, { capabilities: {} });
    expect(error).toMatchObject({ code: -32021 });
    expect(since()).toEqual(['read']);
    expect(answerOf(await rounds({ token, answers: { approved: yes } }))).toEqual({
      text: 'Paid 48 euros.',
    });
  });

  test('a request that its client cancels while a resolver runs', async () => {
    const { store, since } = heard();
    const started = deferred();
    const aborted = deferred();
    let holds = true;
    const approved = resolver({}, () => confirm('Pay?'));
    const account = resolver({ approved }, async (_, ctx) => {
      if (!holds) return 'account 7';
      started.resolve();
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      aborted.resolve();
      return 'too late';
    });
    const tool = defineTool(
      'pay',
      { resolve: { account }, once: store },
      (values) => values.account,
    );
    const factory = bank([tool]);
    const rounds = roundsAt(factory, 'pay');
    const chat = await connectClient('modern', factory, { elicit: [] });
    const user = new AbortController();
    const token = tokenOf(await rounds());
    const request = {
      method: 'tools/call' as const,
      params: {
        name: 'pay',
        arguments: {},
        requestState: token,
        inputResponses: { approved: yes },
      },
    };
    const ended = expect(chat.client.request(request, { signal: user.signal })).rejects.toThrow();
    await started.promise;
    user.abort();
    await aborted.promise;
    await ended;
    expect(since()).toEqual(['read']);

    holds = false;
    const again = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(again)).toEqual({ text: 'account 7' });
    expect(since()).toEqual(['read', 'claim', 'finish']);
  });
});

describe('what has no token claims nothing', () => {
  test('a call that never asks runs as often as it is made', async () => {
    const { store, taken } = heard();
    let runs = 0;
    const due = resolver({}, () => 48);
    const tool = defineTool('pay', { resolve: { due }, once: store }, () => `run ${++runs}`);
    const rounds = roundsOf(tool);
    expect(answerOf(await rounds())).toEqual({ text: 'run 1' });
    expect(answerOf(await rounds())).toEqual({ text: 'run 2' });
    expect(taken).toEqual([]);
  });

  test('a call of the 2025 era is asked in its middle, and has an id for a payment provider', async () => {
    const { store, taken } = heard();
    const ids: string[] = [];
    const { tool, runs } = payTool(store, ({ callId }) => {
      ids.push(callId);
      return 'Paid 48 euros.';
    });
    const chat = await connectClient('legacy', bank([tool]), {
      elicit: [{ action: 'accept', content: { confirm: true } }, { action: 'decline' }],
    });
    expect(await chat.text('pay')).toBe('Paid 48 euros.');
    expect(await chat.errorText('pay')).toBe(
      "Error executing tool pay: Resolver for parameter 'approved' could not resolve: elicitation was decline",
    );
    expect(countOf(runs, 'body')).toBe(1);
    expect(ids[0]).toMatch(/^[\w-]{22}$/);
    expect(taken).toEqual([]);
  });

  test('a direct call', async () => {
    const { store, taken } = heard();
    let runs = 0;
    const tool = defineTool('count', { once: store }, () => `run ${++runs}`);
    expect(await tool.call(undefined)).toEqual({ content: [{ type: 'text', text: 'run 1' }] });
    expect(await tool.call(undefined)).toEqual({ content: [{ type: 'text', text: 'run 2' }] });
    expect(taken).toEqual([]);
  });

  test('a direct call from the body of a call that runs once, which is recorded with it', async () => {
    const inner = heard();
    const outer = heard();
    let runs = 0;
    const count = defineTool('count', { once: inner.store }, () => `run ${++runs}`);
    const { tool } = payTool(outer.store, async (ctx) => count.call(undefined, ctx));
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({ text: 'run 1' });
    expect((await rounds(last)).text).toBe(first.text);
    expect(inner.taken).toEqual([]);
    expect(runs).toBe(1);
  });
});

test.each(eras)('a client of the SDK does not notice it: %s', async (era) => {
  const { tool, runs } = payTool(memoryOnceStore());
  const chat = await connectClient(era, bank([tool]), {
    elicit: () => ({ action: 'accept', content: { confirm: true } }),
  });
  expect(await chat.text('pay')).toBe('Paid 48 euros.');
  expect(await chat.text('pay')).toBe('Paid 48 euros.');
  expect(countOf(runs, 'body')).toBe(2);
  expect(chat.asked).toEqual(['Pay 48 euros?', 'Pay 48 euros?']);
});

test('two tools can share a store', async () => {
  const { store, taken } = heard();
  const tools = ['pay', 'refund'].map((name) => {
    const approved = resolver({}, () => confirm(`${name}?`));
    let runs = 0;
    return defineTool(name, { resolve: { approved }, once: store }, () => `${name} ${++runs}`);
  });
  const factory = bank(tools);
  for (const { name } of tools) {
    const rounds = roundsAt(factory, name);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({ text: `${name} 1` });
    expect((await rounds(last)).text).toBe(first.text);
  }
  expect(new Set(taken.map(({ id }) => id)).size).toBe(2);
});

test('a low-level Server runs a call once too', async () => {
  const { tool, runs } = payTool(memoryOnceStore());
  const seal = ownSeal();
  const rounds = roundsAt(() => {
    const server = new Server({ name: 'bank', version: '1.0.0' }, { capabilities: { tools: {} } });
    install(server, [tool], { seal });
    return server;
  }, 'pay');
  const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
  const first = await rounds(last);
  expect(answerOf(first)).toEqual({ text: 'Paid 48 euros.' });
  expect((await rounds(last)).text).toBe(first.text);
  expect(countOf(runs, 'body')).toBe(1);
});

describe('a token that is not for this request is refused before the store is asked', () => {
  const Input = z.object({ to: z.string() });
  const args = argsOf(Input);

  /** A tool whose first round is over, and its token for Ada. */
  async function askedByAda() {
    const { store, taken } = heard(memoryOnceStore({ singleProcess: true }));
    const approved = resolver({ to: args.to }, ({ to }) => confirm(`Pay ${to}?`));
    const config = { inputSchema: Input, resolve: { approved }, once: store };
    const tools: Tool[] = ['pay', 'other'].map((name) => defineTool(name, config, () => 'paid'));
    const factory = bank(tools, { seal: sharedSeal() });
    const pay = roundsAt(factory, 'pay');
    const round = { args: { to: 'Bob' }, answers: { approved: yes } };
    const ada = { authInfo: caller('ada') };
    const token = tokenOf(await pay({ args: round.args }, ada));
    return { pay, other: roundsAt(factory, 'other'), last: { ...round, token }, ada, taken };
  }

  test('another user', async () => {
    const { pay, last, ada, taken } = await askedByAda();
    expectFrozen(await pay(last, { authInfo: caller('mallory') }));
    expectFrozen(await pay(last));
    expect(taken).toEqual([]);
    // Not after it has run either.
    expect(answerOf(await pay(last, ada))).toEqual({ text: 'paid' });
    const asked = taken.length;
    expectFrozen(await pay(last, { authInfo: caller('mallory') }));
    expect(taken).toHaveLength(asked);
  });

  test('other arguments, another tool, a spoilt token', async () => {
    const { pay, other, last, ada, taken } = await askedByAda();
    expectFrozen(await pay({ ...last, args: { to: 'Mallory' } }, ada));
    expectFrozen(await other(last, ada));
    expectFrozen(await pay({ ...last, token: `${last.token}A` }, ada));
    expect(taken).toEqual([]);
  });

  test('a client of the 2025 era', async () => {
    const { store, taken } = heard();
    const { tool } = payTool(store);
    const factory = bank([tool]);
    const token = tokenOf(await roundsAt(factory, 'pay')());
    const chat = await connectClient('legacy', factory, { elicit: [] });
    const params = { name: 'pay', arguments: {}, requestState: token };
    await expect(chat.client.request({ method: 'tools/call', params })).rejects.toMatchObject(
      FROZEN,
    );
    expect(taken).toEqual([]);
  });
});
