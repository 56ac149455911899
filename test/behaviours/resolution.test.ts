/** D. Resolution: the order of resolvers, how often they run, and how answers reach them. */
import { argsOf, confirm, defineTool, elicit, outcome, resolver, ToolError } from 'mcp-resolve';
import { accept, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';

const Ok = z.object({ ok: z.boolean() });
const Name = z.object({ name: z.string() });

describe.each(eras)('on the %s era', (era) => {
  test('D1: dependencies run before dependents, and the body runs last', async () => {
    const log: string[] = [];
    const note = <T>(what: string, value: T): T => {
      log.push(what);
      return value;
    };
    const order = resolver({}, async () => note('order', 'ORD-1'));
    const scope = resolver({ order }, ({ order }) => note(`scope of ${order}`, 'all'));
    const cents = resolver({ order, scope }, async ({ scope }) => note(`cents of ${scope}`, 5));
    const tool = defineTool('refund', { resolve: { cents, order } }, ({ cents, order }) =>
      note('body', `${cents} ${order}`),
    );

    expect(await run(tool, {}, { era })).toMatchObject({ text: '5 ORD-1' });
    expect(log).toEqual(['order', 'scope of ORD-1', 'cents of all', 'body']);
  });

  test('D1: the body does not run while a question is open', async () => {
    const folders = new Set(['/docs']);
    const approval = resolver({}, () => elicit('Delete /docs?', Ok), { asks: 'form' });
    const remove = defineTool('delete_folder', { resolve: { approval } }, ({ approval }) => {
      if (approval.ok) folders.delete('/docs');
      return 'deleted /docs';
    });
    const seenWhileAsked: string[][] = [];
    const approve = () => {
      seenWhileAsked.push([...folders]);
      return accept({ ok: true });
    };

    expect(await run(remove, {}, { era, answers: { approval: approve } })).toMatchObject({
      text: 'deleted /docs',
    });
    expect(seenWhileAsked).toEqual([['/docs']]);
    expect([...folders]).toEqual([]);
  });

  test('D2: a decline ends the call at its first consumer, and later questions are not asked', async () => {
    const scope = resolver({}, () => elicit('Which part?', Ok), { asks: 'form' });
    const cents = resolver({ scope }, () => 1);
    const restock = resolver({ part: scope }, () => elicit('Restock?', Ok), { asks: 'form' });
    const refund = defineTool(
      'refund_order',
      { resolve: { cents, restock: outcome(restock) } },
      () => 'refunded',
    );

    expect(await run(refund, {}, { era, answers: { scope: decline() } })).toMatchObject({
      isError: true,
      text: "Error executing tool refund_order: Resolver for parameter 'scope' could not resolve: elicitation was decline",
      questions: [{ message: 'Which part?' }],
    });
  });

  test('D2: of two failures, the first in declaration order is reported', async () => {
    const secondFailed = deferred();
    const first = resolver({}, async () => {
      await secondFailed.promise;
      throw new ToolError('first');
    });
    const second = resolver({}, () => {
      secondFailed.resolve();
      throw new ToolError('second');
    });
    const tool = defineTool('fail', { resolve: { first, second } }, () => 'ran');

    expect(await run(tool, {}, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool fail: first',
    });
  });

  test('D2: a failure ends the call at once and aborts the resolvers behind it', async () => {
    let aborted = 0;
    const failing = resolver({}, async () => {
      throw new ToolError('no such order');
    });
    const endless = resolver({}, (_, ctx) => {
      ctx.signal.addEventListener('abort', () => ++aborted);
      return new Promise<never>(() => undefined);
    });
    const tool = defineTool('fail', { resolve: { failing, endless } }, () => 'ran');

    expect(await run(tool, {}, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool fail: no such order',
    });
    expect(aborted).toBe(1);
  });

  test('D2: independent resolvers run at the same time', async () => {
    const here = deferred();
    const there = deferred();
    const meet = (mine: { resolve: () => void }, theirs: { promise: Promise<void> }) =>
      resolver({}, async () => {
        mine.resolve();
        await theirs.promise;
        return 'met';
      });
    const tool = defineTool(
      'meet',
      { resolve: { a: meet(here, there), b: meet(there, here) } },
      ({ a, b }) => `${a} ${b}`,
    );

    expect(await run(tool, {}, { era })).toMatchObject({ text: 'met met' });
  });

  test('D3: a resolver with several consumers runs once per round', async () => {
    let runs = 0;
    const login = resolver({}, async () => `octocat ${++runs}`);
    const upper = resolver({ login }, ({ login }) => login.toUpperCase());
    const how = resolver({ login: outcome(login) }, ({ login }) => login.action);
    const tool = defineTool(
      'whoami',
      { resolve: { login, again: login, upper, how } },
      ({ login, again, upper, how }) => [login, again, upper, how].join(),
    );

    expect(await run(tool, {}, { era })).toMatchObject({
      text: 'octocat 1,octocat 1,OCTOCAT 1,accept',
    });
    expect(runs).toBe(1);
  });

  test('D5: calls share no values, neither in sequence nor at the same time', async () => {
    const Title = z.object({ title: z.string() });
    const lookups: string[] = [];
    const stock = resolver({ title: argsOf(Title).title }, async ({ title }) => {
      lookups.push(title);
      return { title };
    });
    const seen = new Set<object>();
    const tool = defineTool('stock', { inputSchema: Title, resolve: { stock } }, ({ stock }) => {
      seen.add(stock);
      return stock.title;
    });
    const { text } = await connectClient(era, serving([tool]));

    expect(await text('stock', { title: 'Dune' })).toBe('Dune');
    expect(lookups).toEqual(['Dune']);
    expect(await text('stock', { title: 'Dune' })).toBe('Dune');
    expect(lookups).toEqual(['Dune', 'Dune']);
    const titles = ['a', 'b', 'c'];
    expect(await Promise.all(titles.map((title) => text('stock', { title })))).toEqual(titles);
    expect(seen.size).toBe(5);
  });

  test('D10: a call that asks can compute values that are not JSON', async () => {
    const opened = resolver({}, () => new Date(Date.UTC(2026, 0, 1)));
    const cache = resolver({}, () => new Map([['self', 10n]]));
    const circular = resolver({}, () => {
      const loop: { self?: unknown } = {};
      loop.self = loop;
      return loop;
    });
    const approval = resolver({ opened }, () => elicit('Go?', Ok), { asks: 'form' });
    const tool = defineTool(
      'report',
      { resolve: { opened, cache, circular, approval } },
      ({ opened, cache, circular, approval }) =>
        `${opened.getUTCFullYear()}:${approval.ok}:${cache.get('self')}:${circular.self === circular}`,
    );
    const answers = { approval: accept({ ok: true }) };

    expect(await run(tool, {}, { era, answers })).toMatchObject({ text: '2026:true:10:true' });
  });

  test('D11: a computed value is an accepted outcome with asked false', async () => {
    const seen: unknown[] = [];
    const files: string[] = [];
    const approval = resolver(
      {},
      () => (files.length === 0 ? { ok: true } : elicit('Delete it all?', Ok)),
      { asks: 'form' },
    );
    const tool = defineTool('delete', { resolve: { approval: outcome(approval) } }, (values) => {
      seen.push(values.approval);
      return values.approval.action;
    });

    expect(await run(tool, {}, { era })).toMatchObject({ text: 'accept' });
    files.push('a.md');
    for (const approval of [accept({ ok: true }), decline(), cancel()]) {
      expect(await run(tool, {}, { era, answers: { approval } })).toMatchObject({
        text: approval.action,
      });
    }
    expect(seen).toEqual([
      { action: 'accept', data: { ok: true }, asked: false },
      { action: 'accept', data: { ok: true }, asked: true },
      { action: 'decline' },
      { action: 'cancel' },
    ]);
  });

  test.each<[string, Error, string]>([
    ['a ToolError', new ToolError('broken'), 'Error executing tool go: broken'],
    ['any other error', new Error('broken'), 'Error executing tool go'],
  ])('D13: %s beats an open question, which is not asked', async (_, error, text) => {
    const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
    const broken = resolver({}, () => {
      throw error;
    });
    const tool = defineTool('go', { resolve: { ask, broken } }, () => 'went');

    expect(await run(tool, {}, { era })).toMatchObject({ isError: true, text, questions: [] });
  });

  test('D18: a resolver can use the context or leave it out', async () => {
    const takes = resolver({}, (_, ctx) => `has-context ${ctx.mcpReq.method}`);
    const leaves = resolver({}, () => 'needs-none');
    const tool = defineTool(
      'both',
      { resolve: { takes, leaves } },
      (v) => `${v.takes} ${v.leaves}`,
    );

    expect(await run(tool, {}, { era })).toMatchObject({
      text: 'has-context tools/call needs-none',
    });
  });
});

test('D4: on legacy a call is one round, so each resolver runs once', async () => {
  const runs: string[] = [];
  const order = resolver({}, () => {
    runs.push('order');
    return 'ORD-7002';
  });
  const scope = resolver(
    { order },
    ({ order }) => {
      runs.push('scope');
      return elicit(`All of ${order}?`, Ok);
    },
    { asks: 'form' },
  );
  const restock = resolver(
    { order, scope },
    ({ order }) => {
      runs.push('restock');
      return elicit(`Restock ${order}?`, Ok);
    },
    { asks: 'form' },
  );
  const refund = defineTool('refund', { resolve: { scope, restock } }, () => {
    runs.push('body');
    return 'refunded';
  });
  const client = await connectClient('legacy', serving([refund]), {
    elicit: () => accept({ ok: true }),
  });

  expect(await client.text('refund')).toBe('refunded');
  expect(client.asked).toEqual(['All of ORD-7002?', 'Restock ORD-7002?']);
  expect(client.requests()).toBe(1);
  expect(runs).toEqual(['order', 'scope', 'restock', 'body']);
});

test('D6, D12: on modern resolvers run again in each round, and ask each question once', async () => {
  const runs = { login: 0, confirm: 0, body: 0 };
  const login = resolver(
    {},
    () => {
      runs.login += 1;
      return elicit('Username?', Name);
    },
    { asks: 'form' },
  );
  const approve = resolver(
    { login },
    ({ login }) => {
      runs.confirm += 1;
      return elicit(`As ${login.name}?`, Ok);
    },
    { asks: 'form' },
  );
  const tool = defineTool('sign_in', { resolve: { login, approve } }, ({ login, approve }) => {
    runs.body += 1;
    return `${login.name}:${approve.ok}`;
  });
  const client = await connectClient('modern', serving([tool]), {
    elicit: [accept({ name: 'octocat' }), accept({ ok: true })],
  });

  expect(await client.text('sign_in')).toBe('octocat:true');
  expect(client.asked).toEqual(['Username?', 'As octocat?']);
  expect(client.requests()).toBe(3);
  expect(runs).toEqual({ login: 3, confirm: 2, body: 1 });
});

test('D7: a resolver that never asks runs in every round', async () => {
  let runs = 0;
  const clock = resolver({}, () => ++runs);
  const login = resolver({}, () => elicit('Username?', Name), { asks: 'form' });
  const approve = resolver({}, () => elicit('Sure?', Ok), { asks: 'form' });
  const tool = defineTool(
    'sign_in',
    { resolve: { clock, login, approve } },
    ({ clock, login, approve }) => `${clock} ${login.name} ${approve.ok}`,
  );
  const answers = { login: accept({ name: 'octocat' }), approve: accept({ ok: true }) };

  expect(await run(tool, {}, { answers })).toMatchObject({ text: '2 octocat true' });
  expect(runs).toBe(2);
});

describe('an answer', () => {
  /** Runs a call in which `needed` asks in the first rounds and computes in the third. */
  const runUntilComputed = async (answerToNeeded: ReturnType<typeof decline>) => {
    let computes = false;
    let runs = 0;
    const needed = resolver(
      {},
      () => {
        runs += 1;
        return computes ? { ok: false } : elicit('Needed?', Ok);
      },
      { asks: 'form' },
    );
    const then = resolver({ needed: outcome(needed) }, () => elicit('Then?', Ok), { asks: 'form' });
    const tool = defineTool('flip', { resolve: { needed: outcome(needed), then } }, ({ needed }) =>
      needed.action === 'accept' ? `${needed.data.ok} ${needed.asked}` : 'refused',
    );
    const { sendRound } = await connectClient('modern', serving([tool]), { elicit: [] });
    const first = questionsOf(await sendRound('flip'));
    const second = questionsOf(
      await sendRound(
        'flip',
        {},
        {
          requestState: first.requestState,
          inputResponses: { needed: answerToNeeded },
        },
      ),
    );
    expect([first.keys, second.keys]).toEqual([['needed'], ['then']]);
    computes = true;
    runs = 0;
    const last = await sendRound(
      'flip',
      {},
      {
        requestState: second.requestState,
        inputResponses: { then: accept({ ok: true }), needed: accept({ ok: true }) },
      },
    );
    return { text: textOf(last), runs };
  };

  test('D8, L10: does not replace a computed value after it was recorded', async () => {
    expect(await runUntilComputed(accept({ ok: true }))).toEqual({ text: 'false false', runs: 1 });
  });

  test.each([decline(), cancel()])(
    'D9: does not replace a computed value after it was recorded as $action',
    async (refused) => {
      expect(await runUntilComputed(refused)).toEqual({ text: 'false false', runs: 1 });
    },
  );

  test('D8: is ignored under the key of a resolver that computes', async () => {
    const price = resolver({}, () => ({ ok: false }));
    const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
    const tool = defineTool('buy', { resolve: { price, ask } }, (v) => `${v.price.ok} ${v.ask.ok}`);
    const { sendRound } = await connectClient('modern', serving([tool]), { elicit: [] });
    const { requestState } = questionsOf(await sendRound('buy'));
    const inputResponses = { price: accept({ ok: true }), ask: accept({ ok: true }) };

    expect(textOf(await sendRound('buy', {}, { requestState, inputResponses }))).toBe('false true');
  });
});

test('D12: a resolver with an open question runs once, and its dependents do not run', async () => {
  const runs: string[] = [];
  const approval = resolver(
    {},
    () => {
      runs.push('approval');
      return elicit('Go?', Ok);
    },
    { asks: 'form' },
  );
  const one = resolver({ approval }, () => runs.push('one'));
  const two = resolver({ how: outcome(approval), one }, () => runs.push('two'));
  const tool = defineTool('go', { resolve: { one, two, approval } }, () => 'went');
  const { sendRound } = await connectClient('modern', serving([tool]), { elicit: [] });

  expect(questionsOf(await sendRound('go')).keys).toEqual(['approval']);
  expect(runs).toEqual(['approval']);
});

test('D13: on modern a decline ends the call even if another question is unanswered', async () => {
  const a = resolver({}, () => elicit('A?', Ok), { asks: 'form' });
  const b = resolver({}, () => elicit('B?', Ok), { asks: 'form' });
  const tool = defineTool('both', { resolve: { a, b } }, () => 'ran');
  const { sendRound } = await connectClient('modern', serving([tool]), { elicit: [] });
  const { keys, requestState } = questionsOf(await sendRound('both'));

  expect(keys).toEqual(['a', 'b']);
  const result = await sendRound('both', {}, { requestState, inputResponses: { b: decline() } });
  expect(errorTextOf(result)).toBe(
    "Error executing tool both: Resolver for parameter 'b' could not resolve: elicitation was decline",
  );
});

test.each([
  ['legacy', ['A?']],
  ['modern', ['A?', 'B?']],
] as const)(
  'D14: on %s, a call whose first question is declined has asked %j',
  async (era, shown) => {
    const a = resolver({}, () => elicit('A?', Ok), { asks: 'form' });
    const b = resolver({}, () => elicit('B?', Ok), { asks: 'form' });
    const tool = defineTool('both', { resolve: { a, b } }, () => 'ran');
    const { questions, ...end } = await run(
      tool,
      {},
      { era, answers: ({ key }) => (key === 'a' ? decline() : accept({ ok: true })) },
    );

    expect(end).toMatchObject({
      isError: true,
      text: "Error executing tool both: Resolver for parameter 'a' could not resolve: elicitation was decline",
    });
    expect(questions.map(({ message }) => message)).toEqual(shown);
  },
);

test('D14: on legacy a question is sent only after the one before it is answered', async () => {
  const shown = deferred();
  const answer = deferred();
  const first = resolver({}, () => confirm('First?'), { asks: 'form' });
  const second = resolver({}, () => confirm('Second?'), { asks: 'form' });
  const tool = defineTool('both', { resolve: { second, first } }, () => 'ran');
  const { client, text, asked } = await connectClient('legacy', serving([tool]), {
    elicit: async () => {
      shown.resolve();
      await answer.promise;
      return accept({ confirm: true });
    },
  });
  const result = text('both');

  await shown.promise;
  await client.ping();
  expect(asked).toEqual(['Second?']);
  answer.resolve();
  expect(await result).toBe('ran');
  expect(asked).toEqual(['Second?', 'First?']);
});

test('D14: on legacy an answer that causes an error ends the call before the next question', async () => {
  const sku = resolver({}, () => elicit('Which item?', Name), { asks: 'form' });
  const known = resolver({ sku }, ({ sku }): string => {
    throw new ToolError(`order has no item '${sku.name}'`);
  });
  const restock = resolver({}, () => elicit('Restock?', Ok), { asks: 'form' });
  const tool = defineTool('refund', { resolve: { known, restock } }, () => 'ran');
  const answers = { sku: accept({ name: 'mystery-hat' }) };

  expect(await run(tool, {}, { era: 'legacy', answers })).toMatchObject({
    isError: true,
    text: "Error executing tool refund: order has no item 'mystery-hat'",
    questions: [{ message: 'Which item?' }],
  });
});
