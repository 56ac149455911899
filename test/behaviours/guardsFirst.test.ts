/** Guards: resolvers that finish before anything else starts. */
import { ProtocolError } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, outcome, resolver, ToolError } from 'mcp-resolve';
import { accept, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, protocolErrorOf, questionsOf } from '../support/results.js';
import { serving } from '../support/servers.js';

const Order = z.object({ order_id: z.string() });
const orderId = argsOf(Order).order_id;
const Ok = z.object({ ok: z.boolean() });

describe.each(eras)('on the %s era', (era) => {
  test('D1: guards finish before anything else starts', async () => {
    const log: string[] = [];
    const step = (name: string) =>
      resolver({}, async () => {
        log.push(`${name} starts`);
        await Promise.resolve();
        log.push(`${name} ends`);
        return true;
      });
    const tool = defineTool(
      'refund',
      { guards: [step('guard')], resolve: { one: step('one') } },
      () => {
        log.push('body');
        return 'refunded';
      },
    );

    expect(await run(tool, {}, { era })).toMatchObject({ text: 'refunded' });
    expect(log).toEqual(['guard starts', 'guard ends', 'one starts', 'one ends', 'body']);
  });

  test('D1: nothing else starts while a guard waits', async () => {
    const entered = deferred();
    const leave = deferred();
    const started: string[] = [];
    const guard = resolver({}, async () => {
      entered.resolve();
      await leave.promise;
      return true;
    });
    const other = resolver({}, () => started.push('other'));
    const tool = defineTool('go', { guards: [guard], resolve: { other } }, () => 'went');
    const { client, text } = await connectClient(era, serving([tool]));
    const result = text('go');

    await entered.promise;
    await client.listTools();
    expect(started).toEqual([]);
    leave.resolve();
    expect(await result).toBe('went');
    expect(started).toEqual(['other']);
  });

  test('D2: a guard that throws ends the call before anything else runs or asks', async () => {
    const started: string[] = [];
    const may = resolver({ id: orderId }, ({ id }) => {
      if (id === 'ORD-9') throw new ToolError(`you may not refund ${id}`);
      return true;
    });
    const ask = resolver(
      {},
      () => {
        started.push('ask');
        return elicit('Refund?', Ok);
      },
      { asks: 'form' },
    );
    const tool = defineTool(
      'refund',
      { inputSchema: Order, guards: [may], resolve: { ask } },
      () => 'refunded',
    );
    const answers = { ask: accept({ ok: true }) };

    expect(await run(tool, { order_id: 'ORD-9' }, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool refund: you may not refund ORD-9',
      questions: [],
    });
    expect(started).toEqual([]);
    expect(await run(tool, { order_id: 'ORD-1' }, { era, answers })).toMatchObject({
      text: 'refunded',
    });
  });

  test('D2: of two guards that throw, the first in the array is reported', async () => {
    const second = deferred();
    const slow = resolver({}, async () => {
      await second.promise;
      throw new ToolError('first');
    });
    const fast = resolver({}, () => {
      second.resolve();
      throw new ToolError('second');
    });
    const tool = defineTool('go', { guards: [slow, fast] }, () => 'went');

    expect(await run(tool, {}, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool go: first',
    });
  });

  test('K4: a protocol error of a guard reaches the client as one', async () => {
    const guard = resolver({}, () => {
      throw new ProtocolError(-32001, 'Not for you', { scope: 'refunds' });
    });
    const tool = defineTool('go', { guards: [guard] }, () => 'went');
    const { call } = await connectClient(era, serving([tool]));

    expect(await protocolErrorOf(call('go'))).toEqual({
      code: -32001,
      message: 'Not for you',
      data: { scope: 'refunds' },
    });
  });

  test('D3: the body does not receive the values of guards, and a shared resolver runs once', async () => {
    const ran: string[] = [];
    const user = resolver({}, () => {
      ran.push('user');
      return 'Ada';
    });
    const may = resolver({ user }, () => ran.push('may') > 0);
    const known = resolver({ user }, () => ran.push('known') > 0);
    const tool = defineTool('go', { guards: [may, known], resolve: { user, known } }, (values) =>
      JSON.stringify(values),
    );

    expect(await run(tool, {}, { era })).toMatchObject({ text: '{"user":"Ada","known":true}' });
    expect(ran).toEqual(['user', 'may', 'known']);
  });

  test.each([decline(), cancel()])(
    "E3: a $action of the question of a guard ends the call and names the parameter 'guard'",
    async (answer) => {
      const started: string[] = [];
      const guard = resolver({}, () => confirm('Are you allowed?'), { asks: 'form' });
      const other = resolver({}, () => started.push('other'));
      const tool = defineTool('go', { guards: [guard], resolve: { other } }, () => 'went');

      expect(await run(tool, {}, { era, answers: { guard: answer } })).toMatchObject({
        isError: true,
        text: `Error executing tool go: Resolver for parameter 'guard' could not resolve: elicitation was ${answer.action}`,
      });
      expect(started).toEqual([]);
    },
  );

  test('D1: other questions are asked after those of guards are answered', async () => {
    const guard = resolver({}, () => confirm('Allowed?'), { asks: 'form' });
    const ask = resolver({}, () => elicit('Refund?', Ok), { asks: 'form' });
    const how = resolver({}, () => elicit('How?', Ok), { asks: 'form' });
    const tool = defineTool(
      'refund',
      { guards: [guard], resolve: { ask, how: outcome(how) } },
      () => 'refunded',
    );
    const { text, questions, rounds } = await run(
      tool,
      {},
      {
        era,
        answers: {
          guard: accept({ confirm: true }),
          ask: accept({ ok: true }),
          how: accept({ ok: true }),
        },
      },
    );

    expect(text).toBe('refunded');
    expect(questions.map(({ message }) => message)).toEqual(['Allowed?', 'Refund?', 'How?']);
    expect(rounds).toBe(era === 'modern' ? 3 : 1);
  });

  test('D1: arguments are validated before any guard runs', async () => {
    let runs = 0;
    const guard = resolver({ id: orderId }, () => ++runs > 0);
    const tool = defineTool('go', { inputSchema: Order, guards: [guard] }, () => 'went');
    const { errorText } = await connectClient(era, serving([tool]));

    expect(await errorText('go')).toContain('Invalid arguments for tool go');
    expect(runs).toBe(0);
  });
});

test('D7: guards run in every round, and can refuse in a later one', async () => {
  let allowed = true;
  const guard = resolver({}, () => {
    if (!allowed) throw new ToolError('no longer allowed');
    return true;
  });
  const ask = resolver({}, () => elicit('Refund?', Ok), { asks: 'form' });
  const tool = defineTool('refund', { guards: [guard], resolve: { ask } }, () => 'refunded');

  expect(await run(tool, {}, { answers: { ask: accept({ ok: true }) } })).toMatchObject({
    text: 'refunded',
    ran: { guard: 2 },
  });
  const acceptTooLate = () => {
    allowed = false;
    return accept({ ok: true });
  };
  expect(await run(tool, {}, { answers: { ask: acceptTooLate } })).toMatchObject({
    isError: true,
    text: 'Error executing tool refund: no longer allowed',
  });
});

test("A15: guards get their wire keys first, and those without a name are called 'guard'", async () => {
  const guard = () => resolver({}, () => confirm('Allowed?'), { asks: 'form' });
  const named = resolver({}, () => confirm('Named?'), { asks: 'form', name: 'permission' });
  const tool = defineTool('go', { guards: [guard(), named, guard()] }, () => 'went');
  const { sendRound } = await connectClient('modern', serving([tool]), { elicit: [] });

  expect(questionsOf(await sendRound('go')).keys).toEqual(['guard', 'permission', 'guard#1']);
});

test.each([false, undefined, {}])(
  'D1: no later guard runs after one that returns %j',
  async (value) => {
    const ran: string[] = [];
    const first = resolver({}, (): unknown => value);
    const second = resolver({}, () => {
      ran.push('second');
      return new Promise<true>(() => undefined);
    });
    const tool = defineTool('wipe', { guards: [first, second] }, () => 'wiped');
    expect(errorTextOf(await tool.call(undefined))).toBe(
      'Error executing tool wipe: Guard 1 refused',
    );
    expect(ran).toEqual([]);
  },
);

test.each([
  ['an array', (): unknown => [confirm('Sure?')]],
  ['an object', (): unknown => ({ sure: confirm('Sure?') })],
])('D1: a guard that returns a question inside %s ends the call', async (_, fn) => {
  const tool = defineTool('wipe', { guards: [resolver({}, fn)] }, () => 'wiped');
  expect(String((await tool.call(undefined)).cause)).toContain('Return the question itself');
});
