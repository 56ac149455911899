/**
 * The claim of a call, which happens after all answers and just before the body. An earlier failure
 * claims nothing, and a call without questions needs no claim, because it has no token.
 */
import { Server } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  defineTool,
  elicit,
  install,
  memoryStore,
  resolver,
  ToolError,
} from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { caller, expectFrozen, FROZEN, tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import { eras } from '../../support/eras.js';
import { connectClient } from '../../support/plainClient.js';
import {
  answerOf,
  askedCall,
  bank,
  countOf,
  decline,
  ownSeal,
  PAID,
  payTool,
  recordSteps,
  roundsAt,
  roundsOf,
  sendAbortable,
  sharedSeal,
  yes,
} from './support.js';

describe('a call uses its store', () => {
  test('not in the first round, once in a round that asks, three times in the last', async () => {
    const { store, newSteps } = recordSteps();
    const name = resolver({}, () => elicit('Name?', z.object({ name: z.string() })), {
      asks: 'form',
    });
    const approved = resolver({ name }, (values) => confirm(`Pay ${values.name.name}?`), {
      asks: 'form',
    });
    const tool = defineTool('pay', { resolve: { approved }, once: store }, () => 'paid');
    const rounds = roundsOf(tool);

    const first = tokenOf(await rounds());
    expect(newSteps()).toEqual([]);
    const second = tokenOf(
      await rounds({ token: first, answers: { name: accept({ name: 'A' }) } }),
    );
    expect(newSteps()).toEqual(['read']);
    const third = tokenOf(await rounds({ token: second }));
    expect(newSteps()).toEqual(['read']);
    const end = await rounds({ token: third, answers: { approved: yes } });
    expect(answerOf(end)).toEqual({ text: 'paid' });
    expect(newSteps()).toEqual(['read', 'claim', 'finish']);
    await rounds({ token: third, answers: { approved: yes } });
    expect(newSteps()).toEqual(['read']);
  });

  test('as often for a refusal as for a result', async () => {
    const { store, newSteps } = recordSteps();
    const { rounds, token } = await askedCall(payTool(store).tool);
    await rounds({ token, answers: { approved: decline } });
    expect(newSteps()).toEqual(['read', 'claim', 'finish']);
    await rounds({ token, answers: { approved: decline } });
    expect(newSteps()).toEqual(['read']);
  });

  test('with the same id in every round, which is ctx.callId of resolvers and body', async () => {
    const { store, taken } = recordSteps();
    const ids: string[] = [];
    const name = resolver(
      {},
      (_, ctx) => {
        ids.push(ctx.callId);
        return elicit('Name?', z.object({ name: z.string() }));
      },
      { asks: 'form' },
    );
    const approved = resolver(
      { name },
      (_, ctx) => {
        ids.push(ctx.callId);
        return confirm('Pay?');
      },
      { asks: 'form' },
    );
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

  test('with a new owner for every attempt', async () => {
    const { store, taken } = recordSteps();
    const rounds = roundsOf(payTool(store).tool);
    for (let call = 0; call < 3; call += 1) {
      const token = tokenOf(await rounds());
      await rounds({ token, answers: { approved: yes } });
    }
    const claims = taken.filter(({ step }) => step === 'claim');
    const ends = taken.filter(({ step }) => step === 'finish');
    expect(new Set(claims.map(({ record }) => record?.owner)).size).toBe(3);
    expect(ends.map(({ record }) => record?.owner)).toEqual(
      claims.map(({ record }) => record?.owner),
    );
  });
});

describe('a call stays unclaimed and can be completed later, after', () => {
  test('a resolver that fails once', async () => {
    const { store, newSteps } = recordSteps();
    let failures = 1;
    const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
    const account = resolver({ approved }, () => {
      if (failures-- > 0) throw new ToolError('the bank does not answer');
      return 'account 7';
    });
    const tool = defineTool(
      'pay',
      { resolve: { account }, once: store },
      (values) => values.account,
    );
    const { rounds, last } = await askedCall(tool);
    expect(answerOf(await rounds(last))).toEqual({
      text: 'Error executing tool pay: the bank does not answer',
      isError: true,
    });
    expect(newSteps()).toEqual(['read']);
    expect(answerOf(await rounds(last))).toEqual({ text: 'account 7' });
    expect(newSteps()).toEqual(['read', 'claim', 'finish']);
  });

  test.each([
    ['an acceptance without content', { action: 'accept' }, 'accepted elicitation with no content'],
    ['content of the wrong shape', accept({ confirm: 'yes' }), 'does not match'],
    ['an unknown action', { action: 'banana' }, 'non-elicitation response'],
  ])('E9, E10, E11: %s', async (_, answer, sentence) => {
    const { store, newSteps } = recordSteps();
    const { tool, runs } = payTool(store);
    const { rounds, token } = await askedCall(tool);
    const wrong = answerOf(await rounds({ token, answers: { approved: answer } }));
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.text).toContain(sentence);
    expect(newSteps()).toEqual(['read']);

    const right = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(right)).toEqual({ text: 'Paid 48 euros.' });
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a guard that refuses', async () => {
    const { store, newSteps } = recordSteps();
    let allowed = true;
    const mayPay = resolver({}, () => {
      if (!allowed) throw new ToolError('you may not pay');
      return true;
    });
    const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
    const tool = defineTool(
      'pay',
      { guards: [mayPay], resolve: { approved }, once: store },
      () => 'paid',
    );
    const { rounds, last } = await askedCall(tool);
    allowed = false;
    expect(answerOf(await rounds(last)).text).toBe('Error executing tool pay: you may not pay');
    expect(newSteps()).toEqual(['read']);
    allowed = true;
    expect(answerOf(await rounds(last))).toEqual({ text: 'paid' });
  });

  test('a round from a client without the capability', async () => {
    const { store, newSteps } = recordSteps();
    const { tool } = payTool(store);
    const { rounds, token } = await askedCall(tool);
    const { error } = await rounds({ token }, { capabilities: {} });
    expect(error).toMatchObject({ code: -32021 });
    expect(newSteps()).toEqual(['read']);
    expect(answerOf(await rounds({ token, answers: { approved: yes } }))).toEqual({
      text: 'Paid 48 euros.',
    });
  });

  test('a request that the client cancels while a resolver runs', async () => {
    const { store, newSteps } = recordSteps();
    const started = deferred();
    const aborted = deferred();
    let holds = true;
    const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
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
    const token = tokenOf(await rounds());
    const { abort, ended } = await sendAbortable(factory, token);
    await started.promise;
    abort();
    await aborted.promise;
    await ended;
    expect(newSteps()).toEqual(['read']);

    holds = false;
    const again = await rounds({ token, answers: { approved: yes } });
    expect(answerOf(again)).toEqual({ text: 'account 7' });
    expect(newSteps()).toEqual(['read', 'claim', 'finish']);
  });
});

describe('no claim is made by', () => {
  test('a call that does not ask, which runs every time', async () => {
    const { store, taken } = recordSteps();
    let runs = 0;
    const due = resolver({}, () => 48);
    const tool = defineTool('pay', { resolve: { due }, once: store }, () => `run ${++runs}`);
    const rounds = roundsOf(tool);
    expect(answerOf(await rounds())).toEqual({ text: 'run 1' });
    expect(answerOf(await rounds())).toEqual({ text: 'run 2' });
    expect(taken).toEqual([]);
  });

  test('a call on the legacy era, which still has an id', async () => {
    const { store, taken } = recordSteps();
    const ids: string[] = [];
    const { tool, runs } = payTool(store, ({ callId }) => {
      ids.push(callId);
      return PAID.text;
    });
    const paid = await run(tool, {}, { era: 'legacy', answers: { approved: yes } });
    expect(paid).toMatchObject({ ...PAID, isError: false });
    const refused = await run(tool, {}, { era: 'legacy', answers: { approved: decline } });
    expect(refused).toMatchObject({
      isError: true,
      text: "Error executing tool pay: Resolver for parameter 'approved' could not resolve: elicitation was decline",
    });
    expect(countOf(runs, 'body')).toBe(1);
    expect(ids[0]).toMatch(/^[\w-]{22}$/);
    expect(taken).toEqual([]);
  });

  test('a direct call', async () => {
    const { store, taken } = recordSteps();
    let runs = 0;
    const tool = defineTool('count', { once: store }, () => `run ${++runs}`);
    expect(await tool.call(undefined)).toEqual({ content: [{ type: 'text', text: 'run 1' }] });
    expect(await tool.call(undefined)).toEqual({ content: [{ type: 'text', text: 'run 2' }] });
    expect(taken).toEqual([]);
  });

  test('a direct call from the body of another call, whose record includes it', async () => {
    const inner = recordSteps();
    const outer = recordSteps();
    let runs = 0;
    const count = defineTool('count', { once: inner.store }, () => `run ${++runs}`);
    const { tool } = payTool(outer.store, async (ctx) => count.call(undefined, ctx));
    const { rounds, last } = await askedCall(tool);
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({ text: 'run 1' });
    expect((await rounds(last)).text).toBe(first.text);
    expect(inner.taken).toEqual([]);
    expect(runs).toBe(1);
  });
});

test.each(eras)('two calls with the same arguments both ask and run (%s)', async (era) => {
  const { tool, runs } = payTool(memoryStore());
  for (const bodies of [1, 2]) {
    const paid = await run(tool, {}, { era, answers: { approved: yes } });
    expect(paid).toMatchObject({ ...PAID, isError: false });
    expect(paid.questions.map(({ message }) => message)).toEqual(['Pay 48 euros?']);
    expect(countOf(runs, 'body')).toBe(bodies);
  }
});

test('two tools with one store both run once', async () => {
  const { store, taken } = recordSteps();
  const tools = ['pay', 'refund'].map((name) => {
    const approved = resolver({}, () => confirm(`${name}?`), { asks: 'form' });
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

test('a low-level Server runs a call once', async () => {
  const { tool, runs } = payTool(memoryStore());
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

describe('the server refuses a token before it uses the store, if it comes', () => {
  const Input = z.object({ to: z.string() });
  const args = argsOf(Input);

  /** Sends the first round of a call as Ada. */
  async function askedByAda() {
    const { store, taken } = recordSteps(memoryStore({ singleProcess: true }));
    const approved = resolver({ to: args.to }, ({ to }) => confirm(`Pay ${to}?`), { asks: 'form' });
    const config = { inputSchema: Input, resolve: { approved }, once: store };
    const tools: Tool[] = ['pay', 'other'].map((name) => defineTool(name, config, () => 'paid'));
    const factory = bank(tools, { seal: sharedSeal() });
    const pay = roundsAt(factory, 'pay');
    const round = { args: { to: 'Bob' }, answers: { approved: yes } };
    const ada = { authInfo: caller('ada') };
    const token = tokenOf(await pay({ args: round.args }, ada));
    return { pay, other: roundsAt(factory, 'other'), last: { ...round, token }, ada, taken };
  }

  test('from another user', async () => {
    const { pay, last, ada, taken } = await askedByAda();
    expectFrozen(await pay(last, { authInfo: caller('mallory') }));
    expectFrozen(await pay(last));
    expect(taken).toEqual([]);
    // The same holds after the call has run.
    expect(answerOf(await pay(last, ada))).toEqual({ text: 'paid' });
    const asked = taken.length;
    expectFrozen(await pay(last, { authInfo: caller('mallory') }));
    expect(taken).toHaveLength(asked);
  });

  test('with other arguments, for another tool, or with a changed character', async () => {
    const { pay, other, last, ada, taken } = await askedByAda();
    expectFrozen(await pay({ ...last, args: { to: 'Mallory' } }, ada));
    expectFrozen(await other(last, ada));
    expectFrozen(await pay({ ...last, token: `${last.token}A` }, ada));
    expect(taken).toEqual([]);
  });

  test('from a legacy client', async () => {
    const { store, taken } = recordSteps();
    const { tool } = payTool(store);
    const factory = bank([tool]);
    const token = tokenOf(await roundsAt(factory, 'pay')());
    const { client } = await connectClient('legacy', factory, { elicit: [] });
    const params = { name: 'pay', arguments: {}, requestState: token };
    await expect(client.request({ method: 'tools/call', params })).rejects.toMatchObject(FROZEN);
    expect(taken).toEqual([]);
  });
});
