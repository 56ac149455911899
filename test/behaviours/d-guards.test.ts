/** Guards: resolvers that finish before anything else starts. */
import { ProtocolError } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, outcome, resolver, ToolError } from 'mcp-resolve';
import { accept, cancel, decline } from 'mcp-resolve/testing';
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

describe.each(eras)('%s', (era) => {
  test('D1: guards finish before anything else starts', async () => {
    const log: string[] = [];
    const step = (name: string) =>
      resolver({}, async () => {
        log.push(`${name} starts`);
        await Promise.resolve();
        log.push(`${name} ends`);
        return name;
      });
    const tool = defineTool(
      'refund',
      { guards: [step('guard')], resolve: { one: step('one') } },
      () => {
        log.push('body');
        return 'refunded';
      },
    );
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('refund')).toBe('refunded');
    expect(log).toEqual(['guard starts', 'guard ends', 'one starts', 'one ends', 'body']);
  });

  test('D1: a guard that is held up holds up everything', async () => {
    const entered = deferred();
    const leave = deferred();
    const started: string[] = [];
    const guard = resolver({}, async () => {
      entered.resolve();
      await leave.promise;
    });
    const other = resolver({}, () => started.push('other'));
    const tool = defineTool('go', { guards: [guard], resolve: { other } }, () => 'went');
    const chat = await connectClient(era, serving([tool]));
    const text = chat.text('go');

    await entered.promise;
    await chat.client.listTools();
    expect(started).toEqual([]);
    leave.resolve();
    expect(await text).toBe('went');
    expect(started).toEqual(['other']);
  });

  test('D2: a guard that refuses ends the call, and nothing else runs or is asked', async () => {
    const started: string[] = [];
    const may = resolver({ id: orderId }, ({ id }) => {
      if (id === 'ORD-9') throw new ToolError(`you may not refund ${id}`);
    });
    const ask = resolver({}, () => {
      started.push('ask');
      return elicit('Refund?', Ok);
    });
    const tool = defineTool(
      'refund',
      { inputSchema: Order, guards: [may], resolve: { ask } },
      () => 'refunded',
    );
    const chat = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });

    expect(await chat.errorText('refund', { order_id: 'ORD-9' })).toBe(
      'Error executing tool refund: you may not refund ORD-9',
    );
    expect(started).toEqual([]);
    expect(chat.asked).toEqual([]);
    expect(await chat.text('refund', { order_id: 'ORD-1' })).toBe('refunded');
  });

  test('D2: of two guards that refuse the first in the list is told', async () => {
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
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.errorText('go')).toBe('Error executing tool go: first');
  });

  test('K4: a protocol error of a guard stays one', async () => {
    const guard = resolver({}, () => {
      throw new ProtocolError(-32001, 'Not for you', { scope: 'refunds' });
    });
    const tool = defineTool('go', { guards: [guard] }, () => 'went');
    const chat = await connectClient(era, serving([tool]));

    expect(await protocolErrorOf(chat.call('go'))).toEqual({
      code: -32001,
      message: 'Not for you',
      data: { scope: 'refunds' },
    });
  });

  test('D3: the values of guards are dropped, and a shared resolver still runs once', async () => {
    let runs = 0;
    const user = resolver({}, () => `user ${++runs}`);
    const may = resolver({ user }, ({ user }) => ({ secret: user }));
    const tool = defineTool('go', { guards: [may, user], resolve: { user } }, (values) =>
      JSON.stringify(values),
    );
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('go')).toBe('{"user":"user 1"}');
    expect(runs).toBe(1);
  });

  test.each([decline(), cancel()])(
    "E3: a question of a guard that ends with $action names the parameter 'guard'",
    async (answer) => {
      const started: string[] = [];
      const guard = resolver({}, () => confirm('Are you allowed?'));
      const other = resolver({}, () => started.push('other'));
      const tool = defineTool('go', { guards: [guard], resolve: { other } }, () => 'went');
      const chat = await connectClient(era, serving([tool]), { elicit: [answer] });

      expect(await chat.errorText('go')).toBe(
        `Error executing tool go: Resolver for parameter 'guard' could not resolve: elicitation was ${answer.action}`,
      );
      expect(started).toEqual([]);
    },
  );

  test('D1: what others ask is asked after the questions of guards are answered', async () => {
    const guard = resolver({}, () => confirm('Allowed?'));
    const ask = resolver({}, () => elicit('Refund?', Ok));
    const how = resolver({}, () => elicit('How?', Ok));
    const tool = defineTool(
      'refund',
      { guards: [guard], resolve: { ask, how: outcome(how) } },
      () => 'refunded',
    );
    const chat = await connectClient(era, serving([tool]), {
      elicit: ({ message }) => accept(message === 'Allowed?' ? { confirm: true } : { ok: true }),
    });

    expect(await chat.text('refund')).toBe('refunded');
    expect(chat.asked).toEqual(['Allowed?', 'Refund?', 'How?']);
    expect(chat.requests()).toBe(era === 'modern' ? 3 : 1);
  });

  test('D1: arguments are validated before any guard', async () => {
    let runs = 0;
    const guard = resolver({ id: orderId }, () => ++runs);
    const tool = defineTool('go', { inputSchema: Order, guards: [guard] }, () => 'went');
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.errorText('go')).toContain('Invalid arguments for tool go');
    expect(runs).toBe(0);
  });
});

test('D7: guards run again in every round, and may change their mind', async () => {
  let allowed = true;
  let runs = 0;
  const guard = resolver({}, () => {
    runs += 1;
    if (!allowed) throw new ToolError('no longer allowed');
  });
  const ask = resolver({}, () => elicit('Refund?', Ok));
  const tool = defineTool('refund', { guards: [guard], resolve: { ask } }, () => 'refunded');
  const chat = await connectClient('modern', serving([tool]), {
    elicit: [accept({ ok: true })],
  });

  expect(await chat.text('refund')).toBe('refunded');
  expect(runs).toBe(2);
  const { requestState } = questionsOf(await chat.sendRound('refund'));
  allowed = false;
  const last = await chat.sendRound(
    'refund',
    {},
    {
      requestState,
      inputResponses: { ask: accept({ ok: true }) },
    },
  );
  expect(last).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'Error executing tool refund: no longer allowed' }],
  });
});

test("A15: guards take their wire keys first, and unnamed ones are called 'guard'", async () => {
  const guard = () => resolver({}, () => confirm('Allowed?'));
  const named = resolver({}, () => confirm('Named?'), { name: 'permission' });
  const tool = defineTool('go', { guards: [guard(), named, guard()] }, () => 'went');
  const chat = await connectClient('modern', serving([tool]), { elicit: [] });

  expect(questionsOf(await chat.sendRound('go')).keys).toEqual(['guard', 'permission', 'guard#1']);
});

test.each(eras)('D1: a guard that gives false ends the call (%s)', async (era) => {
  let ran = 0;
  const isAdmin = resolver({}, async () => false, { name: 'is_admin' });
  const tool = defineTool('wipe', { guards: [isAdmin] }, () => {
    ran += 1;
    return 'wiped';
  });
  const chat = await connectClient(era, serving([tool]));
  expect(errorTextOf(await chat.client.callTool({ name: 'wipe', arguments: {} }))).toBe(
    "Error executing tool wipe: Guard 'is_admin' refused",
  );
  expect(ran).toBe(0);
});

test.each([false, null, 0, ''])(
  'D1: after a guard that gave %j no later guard runs',
  async (given) => {
    const ran: string[] = [];
    const first = resolver({}, () => given);
    const second = resolver({}, () => {
      ran.push('second');
      return new Promise<true>(() => undefined);
    });
    const tool = defineTool('wipe', { guards: [first as typeof second, second] }, () => 'wiped');
    expect(errorTextOf(await tool.call(undefined))).toBe(
      "Error executing tool wipe: Guard 'guard' refused",
    );
    expect(ran).toEqual([]);
  },
);

test.each([
  ['a list', (): unknown => [confirm('Sure?')]],
  ['an object', (): unknown => ({ sure: confirm('Sure?') })],
])('D1: a question inside %s is not taken for a value', async (_, fn) => {
  const tool = defineTool('wipe', { guards: [resolver({}, fn)] }, () => 'wiped');
  const { content } = await tool.call(undefined);
  expect(content).toMatchObject([
    { text: expect.stringContaining('return the question itself') as string },
  ]);
});
