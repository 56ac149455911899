/** D. Resolution and memoisation. */
import { argsOf, confirm, defineTool, elicit, outcome, resolver, ToolError } from 'mcp-resolve';
import { accept, cancel, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';

const Ok = z.object({ ok: z.boolean() });
const Name = z.object({ name: z.string() });

describe.each(eras)('%s', (era) => {
  test('D1: dependencies run before dependents, and the body last of all', async () => {
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
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('refund')).toBe('5 ORD-1');
    expect(log).toEqual(['order', 'scope of ORD-1', 'cents of all', 'body']);
  });

  test('D1: nothing is deleted while a question is outstanding', async () => {
    const folders = new Set(['/docs']);
    const approval = resolver({}, () => elicit('Delete /docs?', Ok));
    const remove = defineTool('delete_folder', { resolve: { approval } }, ({ approval }) => {
      if (approval.ok) folders.delete('/docs');
      return 'deleted /docs';
    });
    const seenWhileAsked: string[][] = [];
    const chat = await connectClient(era, serving([remove]), {
      elicit: () => {
        seenWhileAsked.push([...folders]);
        return accept({ ok: true });
      },
    });

    expect(await chat.text('delete_folder')).toBe('deleted /docs');
    expect(seenWhileAsked).toEqual([['/docs']]);
    expect([...folders]).toEqual([]);
  });

  test('D2: who comes first in declaration order ends the call, and nothing later is asked', async () => {
    const scope = resolver({}, () => elicit('Which part?', Ok));
    const cents = resolver({ scope }, () => 1);
    const restock = resolver({ part: scope }, () => elicit('Restock?', Ok));
    const refund = defineTool(
      'refund_order',
      { resolve: { cents, restock: outcome(restock) } },
      () => 'refunded',
    );
    const chat = await connectClient(era, serving([refund]), { elicit: [decline()] });

    expect(await chat.errorText('refund_order')).toBe(
      "Error executing tool refund_order: Resolver for parameter 'scope' could not resolve: elicitation was decline",
    );
    expect(chat.asked).toEqual(['Which part?']);
  });

  test('D2: of two failures the first in declaration order is told, whichever came first', async () => {
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
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.errorText('fail')).toBe('Error executing tool fail: first');
  });

  test('D2: a failure is told at once, without waiting for what stands behind it', async () => {
    let signal: AbortSignal | undefined;
    const failing = resolver({}, async () => {
      throw new ToolError('no such order');
    });
    const endless = resolver({}, (_, ctx) => {
      ({ signal } = ctx);
      return new Promise<never>(() => undefined);
    });
    const tool = defineTool('fail', { resolve: { failing, endless } }, () => 'ran');
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.errorText('fail')).toBe('Error executing tool fail: no such order');
    expect(signal?.aborted).toBe(true);
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
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('meet')).toBe('met met');
  });

  test('D3: within a round a resolver runs once, however many consumers it has', async () => {
    let runs = 0;
    const login = resolver({}, async () => `octocat ${++runs}`);
    const upper = resolver({ login }, ({ login }) => login.toUpperCase());
    const how = resolver({ login: outcome(login) }, ({ login }) => login.action);
    const tool = defineTool(
      'whoami',
      { resolve: { login, again: login, upper, how } },
      ({ login, again, upper, how }) => [login, again, upper, how].join(),
    );
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('whoami')).toBe('octocat 1,octocat 1,OCTOCAT 1,accept');
    expect(runs).toBe(1);
  });

  test('D5: nothing is kept from one call to the next, nor between calls at the same time', async () => {
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
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('stock', { title: 'Dune' })).toBe('Dune');
    expect(lookups).toEqual(['Dune']);
    expect(await chat.text('stock', { title: 'Dune' })).toBe('Dune');
    expect(lookups).toEqual(['Dune', 'Dune']);
    const titles = ['a', 'b', 'c'];
    expect(await Promise.all(titles.map((title) => chat.text('stock', { title })))).toEqual(titles);
    expect(seen.size).toBe(5);
  });

  test('D10: values that cannot be serialised do not disturb a call that asks', async () => {
    const opened = resolver({}, () => new Date(Date.UTC(2026, 0, 1)));
    const cache = resolver({}, () => new Map([['self', 10n]]));
    const circular = resolver({}, () => {
      const loop: { self?: unknown } = {};
      loop.self = loop;
      return loop;
    });
    const approval = resolver({ opened }, () => elicit('Go?', Ok));
    const tool = defineTool(
      'report',
      { resolve: { opened, cache, circular, approval } },
      ({ opened, cache, circular, approval }) =>
        `${opened.getUTCFullYear()}:${approval.ok}:${cache.get('self')}:${circular.self === circular}`,
    );
    const chat = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });

    expect(await chat.text('report')).toBe('2026:true:10:true');
  });

  test('D11: a computed value is an accepted outcome, and the outcome tells that nobody was asked', async () => {
    const seen: unknown[] = [];
    const files: string[] = [];
    const approval = resolver({}, () =>
      files.length === 0 ? { ok: true } : elicit('Delete it all?', Ok),
    );
    const tool = defineTool('delete', { resolve: { approval: outcome(approval) } }, (values) => {
      seen.push(values.approval);
      return values.approval.action;
    });
    const chat = await connectClient(era, serving([tool]), {
      elicit: [accept({ ok: true }), decline(), cancel()],
    });

    expect(await chat.text('delete')).toBe('accept');
    files.push('a.md');
    expect(await chat.text('delete')).toBe('accept');
    expect(await chat.text('delete')).toBe('decline');
    expect(await chat.text('delete')).toBe('cancel');
    expect(seen).toEqual([
      { action: 'accept', data: { ok: true }, asked: false },
      { action: 'accept', data: { ok: true }, asked: true },
      { action: 'decline' },
      { action: 'cancel' },
    ]);
  });

  test.each<[string, () => never]>([
    [
      'a ToolError',
      () => {
        throw new ToolError('broken');
      },
    ],
    [
      'any other error',
      () => {
        throw new Error('broken');
      },
    ],
  ])('D13: an error beats an open question, which is then never asked: %s', async (_, fail) => {
    const ask = resolver({}, () => elicit('Go?', Ok));
    const broken = resolver({}, fail);
    const first = defineTool('go', { resolve: { ask, broken } }, () => 'went');
    const chat = await connectClient(era, serving([first]), { elicit: [] });

    expect(await chat.errorText('go')).toBe('Error executing tool go: broken');
    expect(chat.asked).toEqual([]);
  });

  test('D18: a resolver may take the context or leave it', async () => {
    const takes = resolver({}, (_, ctx) => `has-context ${ctx.mcpReq.method}`);
    const leaves = resolver({}, () => 'needs-none');
    const tool = defineTool(
      'both',
      { resolve: { takes, leaves } },
      (v) => `${v.takes} ${v.leaves}`,
    );
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('both')).toBe('has-context tools/call needs-none');
  });
});

test('D4: on legacy the whole call is one round, so each resolver runs once', async () => {
  const runs: string[] = [];
  const order = resolver({}, () => {
    runs.push('order');
    return 'ORD-7002';
  });
  const scope = resolver({ order }, ({ order }) => {
    runs.push('scope');
    return elicit(`All of ${order}?`, Ok);
  });
  const restock = resolver({ order, scope }, ({ order }) => {
    runs.push('restock');
    return elicit(`Restock ${order}?`, Ok);
  });
  const refund = defineTool('refund', { resolve: { scope, restock } }, () => {
    runs.push('body');
    return 'refunded';
  });
  const chat = await connectClient('legacy', serving([refund]), {
    elicit: () => accept({ ok: true }),
  });

  expect(await chat.text('refund')).toBe('refunded');
  expect(chat.asked).toEqual(['All of ORD-7002?', 'Restock ORD-7002?']);
  expect(runs).toEqual(['order', 'scope', 'restock', 'body']);
});

test('D6, D12: on modern functions run again in each round, but a person is asked once', async () => {
  const runs = { login: 0, confirm: 0, body: 0 };
  const login = resolver({}, () => {
    runs.login += 1;
    return elicit('Username?', Name);
  });
  const approve = resolver({ login }, ({ login }) => {
    runs.confirm += 1;
    return elicit(`As ${login.name}?`, Ok);
  });
  const tool = defineTool('sign_in', { resolve: { login, approve } }, ({ login, approve }) => {
    runs.body += 1;
    return `${login.name}:${approve.ok}`;
  });
  const chat = await connectClient('modern', serving([tool]), {
    elicit: [accept({ name: 'octocat' }), accept({ ok: true })],
  });

  expect(await chat.text('sign_in')).toBe('octocat:true');
  expect(chat.asked).toEqual(['Username?', 'As octocat?']);
  expect(chat.requests()).toBe(3);
  expect(runs).toEqual({ login: 3, confirm: 2, body: 1 });
});

test('D7: a resolver that never asks runs in every round', async () => {
  let runs = 0;
  const clock = resolver({}, () => ++runs);
  const login = resolver({}, () => elicit('Username?', Name));
  const approve = resolver({}, () => elicit('Sure?', Ok));
  const tool = defineTool(
    'sign_in',
    { resolve: { clock, login, approve } },
    ({ clock, login, approve }) => `${clock} ${login.name} ${approve.ok}`,
  );
  const chat = await connectClient('modern', serving([tool]), {
    elicit: ({ message }) => accept(message === 'Sure?' ? { ok: true } : { name: 'octocat' }),
  });

  expect(await chat.text('sign_in')).toBe('2 octocat true');
  expect(runs).toBe(2);
});

describe('answers are consulted only after the resolver has asked in this round', () => {
  /** Asks `needed` and then `then`; in the third round the world has moved and `needed` is computed. */
  const inThirdRound = async (answerToNeeded: ReturnType<typeof decline>) => {
    let computes = false;
    let runs = 0;
    const needed = resolver({}, () => {
      runs += 1;
      return computes ? { ok: false } : elicit('Needed?', Ok);
    });
    const then = resolver({ needed: outcome(needed) }, () => elicit('Then?', Ok));
    const tool = defineTool('flip', { resolve: { needed: outcome(needed), then } }, ({ needed }) =>
      needed.action === 'accept' ? `${needed.data.ok} ${needed.asked}` : 'refused',
    );
    const chat = await connectClient('modern', serving([tool]), { elicit: [] });
    const first = questionsOf(await chat.sendRound('flip'));
    const second = questionsOf(
      await chat.sendRound(
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
    const last = await chat.sendRound(
      'flip',
      {},
      {
        requestState: second.requestState,
        inputResponses: { then: accept({ ok: true }), needed: accept({ ok: true }) },
      },
    );
    return { text: textOf(last), runs };
  };

  test('D8, L10: a recorded answer never replaces what the server computes', async () => {
    expect(await inThirdRound(accept({ ok: true }))).toEqual({ text: 'false false', runs: 1 });
  });

  test.each([decline(), cancel()])('D9: nor does a recorded $action', async (refused) => {
    expect(await inThirdRound(refused)).toEqual({ text: 'false false', runs: 1 });
  });

  test('D8: an answer sent under the key of a resolver that computes is ignored', async () => {
    const price = resolver({}, () => ({ ok: false }));
    const ask = resolver({}, () => elicit('Go?', Ok));
    const tool = defineTool('buy', { resolve: { price, ask } }, (v) => `${v.price.ok} ${v.ask.ok}`);
    const chat = await connectClient('modern', serving([tool]), { elicit: [] });
    const { requestState } = questionsOf(await chat.sendRound('buy'));
    const inputResponses = { price: accept({ ok: true }), ask: accept({ ok: true }) };

    expect(textOf(await chat.sendRound('buy', {}, { requestState, inputResponses }))).toBe(
      'false true',
    );
  });
});

test('D12: a resolver whose question is open is asked for once, and what waits for it does not run', async () => {
  const runs: string[] = [];
  const approval = resolver({}, () => {
    runs.push('approval');
    return elicit('Go?', Ok);
  });
  const one = resolver({ approval }, () => runs.push('one'));
  const two = resolver({ how: outcome(approval), one }, () => runs.push('two'));
  const tool = defineTool('go', { resolve: { one, two, approval } }, () => 'went');
  const chat = await connectClient('modern', serving([tool]), { elicit: [] });

  expect(questionsOf(await chat.sendRound('go')).keys).toEqual(['approval']);
  expect(runs).toEqual(['approval']);
});

test('D13: on modern a decline of one question ends the call though another is unanswered', async () => {
  const a = resolver({}, () => elicit('A?', Ok));
  const b = resolver({}, () => elicit('B?', Ok));
  const tool = defineTool('both', { resolve: { a, b } }, () => 'ran');
  const chat = await connectClient('modern', serving([tool]), { elicit: [] });
  const { keys, requestState } = questionsOf(await chat.sendRound('both'));

  expect(keys).toEqual(['a', 'b']);
  const result = await chat.sendRound(
    'both',
    {},
    { requestState, inputResponses: { b: decline() } },
  );
  expect(errorTextOf(result)).toBe(
    "Error executing tool both: Resolver for parameter 'b' could not resolve: elicitation was decline",
  );
});

test.each([
  ['legacy', ['A?']],
  ['modern', ['A?', 'B?']],
] as const)('D14: declining the first of two on %s shows %j', async (era, shown) => {
  const a = resolver({}, () => elicit('A?', Ok));
  const b = resolver({}, () => elicit('B?', Ok));
  const tool = defineTool('both', { resolve: { a, b } }, () => 'ran');
  const chat = await connectClient(era, serving([tool]), {
    elicit: ({ message }) => (message === 'A?' ? decline() : accept({ ok: true })),
  });

  expect(await chat.errorText('both')).toBe(
    "Error executing tool both: Resolver for parameter 'a' could not resolve: elicitation was decline",
  );
  expect(chat.asked.sort()).toEqual(shown);
});

test('D14: on legacy the next question goes out only when the one before is answered', async () => {
  const shown = deferred();
  const answer = deferred();
  const first = resolver({}, () => confirm('First?'));
  const second = resolver({}, () => confirm('Second?'));
  const tool = defineTool('both', { resolve: { second, first } }, () => 'ran');
  const chat = await connectClient('legacy', serving([tool]), {
    elicit: async () => {
      shown.resolve();
      await answer.promise;
      return accept({ confirm: true });
    },
  });
  const text = chat.text('both');

  await shown.promise;
  await chat.client.ping();
  expect(chat.asked).toEqual(['Second?']);
  answer.resolve();
  expect(await text).toBe('ran');
  expect(chat.asked).toEqual(['Second?', 'First?']);
});

test('D14: on legacy an error that an answer brings about ends the call before the next question', async () => {
  const sku = resolver({}, () => elicit('Which item?', Name));
  const known = resolver({ sku }, ({ sku }): string => {
    throw new ToolError(`order has no item '${sku.name}'`);
  });
  const restock = resolver({}, () => elicit('Restock?', Ok));
  const tool = defineTool('refund', { resolve: { known, restock } }, () => 'ran');
  const chat = await connectClient('legacy', serving([tool]), {
    elicit: [accept({ name: 'mystery-hat' })],
  });

  expect(await chat.errorText('refund')).toBe(
    "Error executing tool refund: order has no item 'mystery-hat'",
  );
  expect(chat.asked).toEqual(['Which item?']);
});
