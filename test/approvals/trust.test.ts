/**
 * What a hostile client, a nested call, a failing store or a mistake of the author cannot do: run a
 * call without its approval, or run it twice.
 */
import {
  confirm,
  definePrompt,
  defineTool,
  install,
  resolver,
  requestStateSeal,
  toolHandler,
} from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { endOf, overHttp } from '../sealing/desk.js';
import { eras } from '../support/eras.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';
import { SILENT } from '../support/servers.js';
import {
  clientOf,
  idOf,
  INVOICE,
  PayInput,
  payTool,
  sealOf,
  secondPair,
  waitingOf,
} from './bank.js';
import { no, testDesk, yes } from './callers.js';

const YES = { action: 'accept', content: { confirm: true } } as const;

const FORMS = { elicitation: { form: {} } };

describe('a client', () => {
  it('cannot approve with answers, whatever it sends', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const client = await clientOf('modern', payTool(paid, { approvals: desk }));
    const id = idOf(await client.call('pay', INVOICE));
    const approved = { id, approvedBy: [{ who: 'bob', at: 1 }] };
    for (const inputResponses of [
      { secondPair: { action: 'accept', content: approved } },
      { secondPair: approved },
      { secondPair: YES },
    ]) {
      const result = await client.sendRound('pay', INVOICE, { inputResponses });
      expect(waitingOf(result as never)).toMatchObject({ state: 'pending' });
    }
    expect(paid).toEqual([]);
  });

  it('cannot approve with a token that has answers to the same key', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    let asksSomebodyElse = false;
    const either = resolver(
      {},
      () =>
        (asksSomebodyElse
          ? approval('Pay', { by: 'acme/treasury', requester: 'ann' })
          : confirm('Pay')) as never,
    );
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const tool = payTool(paid, { approvals: desk, resolve: { either, sure } });
    const client = await clientOf('modern', tool, { capabilities: FORMS });
    const { requestState } = questionsOf(await client.sendRound('pay', INVOICE));
    asksSomebodyElse = true;
    const inputResponses = { either: YES, sure: YES };
    const result = await client.sendRound('pay', INVOICE, { inputResponses, requestState });
    // The resolver does not declare the approval, so the call fails.
    expect(errorTextOf(result as never)).toBe('Error executing tool pay');
    expect(paid).toEqual([]);
  });

  it('V38 gets the recorded result for a token of a call that has run, and `used` without one', async () => {
    const store = memoryStore();
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const resolve = { sure, secondPair: secondPair() };
    const tool = payTool(paid, { approvals: desk, once: store, resolve });
    const client = await clientOf('modern', tool, { capabilities: FORMS });
    const { requestState } = questionsOf(await client.sendRound('pay', INVOICE));
    const answered = { requestState, inputResponses: { sure: YES } };
    const id = idOf((await client.sendRound('pay', INVOICE, answered)) as never);
    await desk.decide(id, yes('bob'));
    expect(textOf((await client.sendRound('pay', INVOICE)) as never)).toBe('Paid.');
    for (const _ of [1, 2])
      expect(textOf((await client.sendRound('pay', INVOICE, answered)) as never)).toBe('Paid.');
    const without = await client.sendRound('pay', INVOICE);
    expect(waitingOf(without as never)).toMatchObject({ state: 'used' });
    expect(paid).toHaveLength(1);
  });

  it('joins the call that waits with the token of another call', async () => {
    const { desk } = testDesk();
    const paid: { callId?: string }[] = [];
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const tool = payTool(paid, { approvals: desk, resolve: { sure, secondPair: secondPair() } });
    const client = await clientOf('modern', tool, { capabilities: FORMS });
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map(() => client.sendRound('pay', INVOICE)),
    );
    const round = (of: typeof one, answer: object) =>
      client.sendRound('pay', INVOICE, {
        requestState: questionsOf(of!).requestState,
        inputResponses: { sure: answer },
      });
    const id = idOf((await round(one, YES)) as never);
    expect(idOf((await round(two, YES)) as never)).toBe(id);
    await desk.decide(id, yes('bob'));
    // A user who declines the question of a later call ends that call.
    const declined = await round(three, { action: 'decline' });
    expect(errorTextOf(declined as never)).toContain('elicitation was decline');
    expect(await desk.read(id)).toMatchObject({ state: 'over' });
    expect(paid).toEqual([]);
  });
});

describe('a tool with approvals', () => {
  it('does not run on the approval of another tool with the same arguments', async () => {
    const { desk } = testDesk();
    const paid: string[] = [];
    const config = { inputSchema: PayInput, resolve: { pair: secondPair() }, approvals: desk };
    const toolNamed = (name: string): Tool =>
      defineTool(name, config, () => `Paid by ${paid.push(name)}.`);
    const [one, two] = [toolNamed('one'), toolNamed('two')];
    const [first, second] = [await clientOf('modern', one), await clientOf('modern', two)];
    await desk.decide(idOf(await first.call('one', INVOICE)), yes('bob'));
    expect(waitingOf(await second.call('two', INVOICE))).toMatchObject({ state: 'pending' });
    expect(paid).toEqual([]);
    await first.call('one', INVOICE);
    expect(paid).toEqual(['one']);
  });

  it.each([
    ['over HTTP', 'modern', undefined],
    ['on a store that other processes share', 'legacy', 'shared'],
  ] as const)('refuses a call without a principal %s (trap 13)', async (_, era, shared) => {
    const { onlyIn, ...store } = memoryStore();
    const { desk } = testDesk({ store: shared ? store : { ...store, ...(onlyIn && { onlyIn }) } });
    const client = await clientOf(era, payTool([], { approvals: desk }), {
      seal: sealOf(undefined),
    });
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({
      state: 'refused',
      why: 'no_principal',
      requests: [],
    });
  });

  it('serves the only user of stdio on a store of its process', async () => {
    const { desk } = testDesk();
    const tool = payTool([], { approvals: desk });
    const client = await clientOf('legacy', tool, { seal: sealOf(undefined) });
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
  });

  it('refuses a host that may have several users and names none', async () => {
    const { desk } = testDesk();
    const handler = toolHandler(payTool([], { approvals: desk }));
    const result = await handler(INVOICE, { mcpReq: { signal: new AbortController().signal } });
    expect(waitingOf(result as never)).toMatchObject({ why: 'no_principal' });
  });

  it('does not reuse an approval for arguments that only look the same after validation', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const order = z.string().transform((text) => /^pay (\w+)/.exec(text));
    const ask = resolver({}, () => approval('Pay', { by: 'acme/treasury', requester: 'ann' }), {
      asks: 'approval',
    });
    const tool = defineTool(
      'pay',
      { inputSchema: z.object({ order }), resolve: { ask }, approvals: desk },
      (values) => `Paid ${paid.push(values.order?.input)}.`,
    );
    const client = await clientOf('modern', tool);
    await desk.decide(idOf(await client.call('pay', { order: 'pay bob' })), yes('bob'));
    const other = await client.call('pay', { order: 'pay bob and then eve 1000000' });
    expect(waitingOf(other)).toMatchObject({ state: 'pending' });
    expect(await client.text('pay', { order: 'pay bob' })).toBe('Paid 1.');
    expect(paid).toEqual(['pay bob']);
  });

  it('keeps a denial, although the call would not ask any more', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    let cents = 15_000;
    const ask = resolver(
      {},
      () => (cents < 10_000 ? true : approval('Pay', { by: 'acme/treasury', requester: 'ann' })),
      { asks: 'approval' },
    );
    const client = await clientOf('modern', payTool(paid, { approvals: desk, resolve: { ask } }));
    const id = idOf(await client.call('pay', INVOICE));
    await desk.decide(id, no('bob'));
    cents = 5_000;
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({ state: 'denied' });
    expect(paid).toEqual([]);
  });

  it('does not go on in a request that has the state of another call', async () => {
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const pay = toolHandler(payTool(paid, { approvals: desk }), { logger: SILENT });
    const ok = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const sure = toolHandler(defineTool('sure', { resolve: { ok } }, () => 'Sure.'));
    const seal = sealOf('ann');
    let next = pay;
    const send = overHttp(() => {
      const server = new McpServer({ name: 'host', version: '1.0.0' });
      server.registerTool('both', {}, (ctx) => next(INVOICE, ctx) as never);
      install(server, [defineTool('other', {}, () => 'Other.')], { seal, logger: SILENT });
      return server;
    });
    const waiting = await send('tools/call', { name: 'both' });
    await desk.decide(idOf(waiting.result as never), yes('bob'));
    next = sure;
    const asked = await send('tools/call', { name: 'both' });
    next = pay;
    const { requestState } = asked.result!;
    const inputResponses = { ok: YES };
    const end = await send('tools/call', { name: 'both', requestState, inputResponses });
    expect(endOf(end)).toMatch(/The state of this request belongs to another call/);
    expect(paid).toEqual([]);
    expect(endOf(await send('tools/call', { name: 'both' }))).toBe('Paid.');
  });

  it('refuses a direct call, and a call from inside of another one (trap 14)', async () => {
    const { desk } = testDesk();
    const pay = payTool([], { approvals: desk });
    const direct = await pay.call(INVOICE as never);
    expect(waitingOf(direct)).toMatchObject({ state: 'refused', why: 'direct_call' });
    const outer = defineTool('outer', {}, (_, ctx) => pay.call(INVOICE as never, ctx));
    const client = await clientOf('modern', outer);
    expect(waitingOf(await client.call('outer'))).toMatchObject({ why: 'direct_call' });
  });

  it('does not park a record that is larger than `maxStateBytes` (trap 21)', async () => {
    const { desk, events } = testDesk();
    const large = resolver({}, () => 'x'.repeat(5000), { pin: z.string() });
    const tool = payTool([], { approvals: desk, resolve: { large, secondPair: secondPair() } });
    const reported: unknown[] = [];
    const seal = requestStateSeal.ephemeral({ principal: () => 'ann', maxStateBytes: 4000 });
    const client = await clientOf('modern', tool, { seal, reported });
    expect(await client.errorText('pay', INVOICE)).toBe('Error executing tool pay');
    expect(String(reported[0])).toContain('`maxStateBytes` allows only 4000');
    expect(events).toEqual([]);
  });

  it.each([
    ['a message', { message: 'x'.repeat(2001) }, 'the message of the approval is longer'],
    [
      'a fact',
      { facts: { iban: '\u202e'.repeat(400) } },
      "the fact 'iban' of the approval is longer",
    ],
  ])('refuses %s that is too long, and does not cut it', async (_, options, sentence) => {
    const { desk, events } = testDesk();
    const tool = payTool([], { approvals: desk, resolve: { pair: secondPair(options) } });
    const client = await clientOf('modern', tool);
    expect(await client.errorText('pay', INVOICE)).toContain(sentence);
    expect(events).toEqual([]);
  });

  it('shows invisible characters as codes', async () => {
    const { desk } = testDesk();
    const pair = secondPair({ facts: { iban: 'DE1\u202e2\u200b' } });
    const client = await clientOf('modern', payTool([], { approvals: desk, resolve: { pair } }));
    const id = idOf(await client.call('pay', INVOICE));
    expect(await desk.read(id)).toMatchObject({ facts: [['iban', 'DE1\\u{202E}2\\u{200B}']] });
  });
});

describe('a definition', () => {
  const { desk } = testDesk();
  const pair = secondPair();
  const guard = resolver({ pair }, () => true);

  it.each([
    [
      'without a desk',
      () => payTool([], { resolve: { pair } } as never),
      'so the tool needs a desk',
    ],
    [
      'in a guard (trap 12)',
      () => payTool([], { approvals: desk, guards: [guard] }),
      'but a guard needs it',
    ],
    [
      'in a prompt',
      () => definePrompt('pay', { resolve: { pair: approvalWithoutArgs as never } }, () => 'x'),
      'only the calls of a tool can wait',
    ],
  ])('that asks for an approval %s is an error', (_, define, sentence) => {
    expect(define).toThrow(expect.objectContaining({ code: 'ERR_GRAPH_ASKS' }) as Error);
    expect(define).toThrow(sentence);
  });

  it('with another object than a desk is an error', () => {
    expect(() => payTool([], { approvals: memoryStore() as never })).toThrow(
      "Tool 'pay': `approvals` must be a desk. Create one with approvalDesk({ store }) of 'mcp-resolve/approvals'.",
    );
  });

  it('with a store of one process is not installed with shared keys', () => {
    const seal = requestStateSeal({
      keys: ['a key of the tests, 32 bytes or more'],
      audience: 'bank',
    });
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    expect(() => install(server, [payTool([], { approvals: desk })], { seal })).toThrow(
      "Tool 'pay': the store of `once` or `approvals` is visible only to this process",
    );
  });
});

const approvalWithoutArgs = resolver(
  {},
  () => approval('Pay', { by: 'acme/treasury', requester: 'ann' }),
  { asks: 'approval' },
);

/** A store that fails from the `at`th step on, with the step done or not. */
function failing(
  store: RecordStore,
  fails: (step: string) => 'before' | 'after' | undefined,
): RecordStore {
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const how = fails(name);
    if (how === 'before') throw new Error('connection lost');
    const answer = await work();
    if (how === 'after') throw new Error('connection lost');
    return answer;
  };
  return {
    ...store,
    get: (key) => step(`get ${key}`, () => store.get(key)),
    put: (key, value, how) => step(`put ${key}`, () => store.put(key, value, how)),
  };
}

it('V40 a claim that fails uses nothing up in a host that tells no request ids', async () => {
  let failingNow = false;
  const store = failing(memoryStore(), (step) => {
    if (!failingNow || !step.startsWith('put call/')) return undefined;
    failingNow = false;
    return 'before';
  });
  const { desk } = testDesk({ store });
  const paid: unknown[] = [];
  const seal = sealOf('ann');
  const handler = toolHandler(payTool(paid, { approvals: desk }), { seal, logger: SILENT });
  const call = (): Promise<CallToolResult> =>
    handler(INVOICE, { mcpReq: { signal: new AbortController().signal } }) as never;
  await desk.decide(idOf(await call()), yes('bob'));
  failingNow = true;
  expect(waitingOf(await call())).toMatchObject({ why: 'store_unavailable' });
  expect(textOf(await call())).toBe('Paid.');
  expect(waitingOf(await call())).toMatchObject({ state: 'used' });
  expect(paid).toHaveLength(1);
});

describe.each(eras)('a store that fails on %s', (era) => {
  it.each(['before', 'after'] as const)(
    'V40 %s it has the claim runs no body, and the approval still counts',
    async (when) => {
      let failingNow = false;
      const isPut = (step: string) => step.startsWith('put call/');
      const store = failing(memoryStore(), (step) => {
        if (!failingNow || !isPut(step)) return undefined;
        failingNow = false;
        return when;
      });
      const { desk } = testDesk({ store });
      const paid: unknown[] = [];
      const reported: unknown[] = [];
      const client = await clientOf(era, payTool(paid, { approvals: desk }), { reported });
      await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
      failingNow = true;
      expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({
        state: 'refused',
        why: 'store_unavailable',
      });
      expect(paid).toEqual([]);
      expect(reported).toEqual([new Error('connection lost')]);
      expect(await client.text('pay', INVOICE)).toBe('Paid.');
    },
  );

  it('V40 when it looks for the call runs no resolver and no body', async () => {
    let isDown = true;
    const store = failing(memoryStore(), () => (isDown ? 'before' : undefined));
    const { desk } = testDesk({ store });
    const paid: unknown[] = [];
    const client = await clientOf(era, payTool(paid, { approvals: desk }));
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({
      why: 'store_unavailable',
    });
    isDown = false;
    expect(idOf(await client.call('pay', INVOICE))).toBeTruthy();
  });

  it('V40 gives the approval back if `once` cannot claim the call', async () => {
    let isDown = false;
    const once = failing(memoryStore(), () => (isDown ? 'before' : undefined));
    const { desk } = testDesk();
    const paid: unknown[] = [];
    const client = await clientOf(era, payTool(paid, { approvals: desk, once }));
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    isDown = true;
    expect(await client.errorText('pay', INVOICE)).toContain(
      'the store that prevents a second run',
    );
    isDown = false;
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    expect(paid).toHaveLength(1);
  });

  it('V41 after the body does not change the answer', async () => {
    let isDown = false;
    const down = () => (isDown ? ('before' as const) : undefined);
    const { desk } = testDesk({ store: failing(memoryStore(), down) });
    const paid: unknown[] = [];
    const tool = payTool(paid, {
      approvals: desk,
      once: failing(memoryStore(), down),
      body: () => {
        isDown = true;
      },
    });
    const client = await clientOf(era, tool);
    await desk.decide(idOf(await client.call('pay', INVOICE)), yes('bob'));
    expect(await client.text('pay', INVOICE)).toBe('Paid.');
    isDown = false;
    expect(waitingOf(await client.call('pay', INVOICE))).toMatchObject({ state: 'used' });
    expect(paid).toHaveLength(1);
  });
});

describe('V45 both eras', () => {
  /** What a caller reads from the request to the answer of a call that has run. */
  async function story(era: 'modern' | 'legacy'): Promise<unknown[]> {
    const { desk, clock } = testDesk();
    const client = await clientOf(era, payTool([], { approvals: desk }));
    const results = [await client.call('pay', INVOICE)];
    const id = idOf(results[0]!);
    await desk.decide(id, { ...yes('bob'), verdict: 'deny', comment: 'no' });
    results.push(await client.call('pay', INVOICE));
    await desk.withdraw(id, { who: 'ann' });
    const next = await client.call('pay', INVOICE);
    await desk.decide(idOf(next), yes('bob'));
    results.push(next, await client.call('pay', INVOICE), await client.call('pay', INVOICE));
    // The time until which a call is refused depends on when it ran.
    expect(clock.now).toBe(testDesk().clock.now);
    return JSON.parse(JSON.stringify(results).replaceAll(/AP-[\w-]{22}/g, 'AP')) as unknown[];
  }

  it('give the same texts and states', async () => {
    const [modern, legacy] = [await story('modern'), await story('legacy')];
    const shown = (results: unknown[]) =>
      results.map((result) => {
        const { content, isError, _meta } = result as Record<string, unknown>;
        const meta = (_meta as Record<string, unknown> | undefined)?.['mcp-resolve/approvals'];
        return { content, isError, meta };
      });
    expect(shown(modern)).toEqual(shown(legacy));
  });
});
