/**
 * Tests how each call ends for `dispose`: every value that a resolver computes is disposed of once,
 * and `dispose` receives 'completed', 'asked' or 'failed'.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  outcome,
  requestStateSeal,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { End, ModelAnswer, Resolver, Tool } from 'mcp-resolve';
import { accept, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';
import { answering, roundsOf, summaryOf } from '../support/rounds.js';
import { logClose, type Log, opening } from './desk.js';

const yes = accept({ confirm: true });

const boom = (): never => {
  throw new Error('boom');
};

/** Creates a tool whose cleanup waits for the test. */
const withSlowCleanup = (body: () => string, asks: boolean) => {
  const [entered, leave] = [deferred<End>(), deferred()];
  const db = resolver({}, () => 'db', {
    dispose: async (_, end) => {
      entered.resolve(end);
      await leave.promise;
    },
  });
  const approved = resolver({}, () => (asks ? confirm('Go ahead?') : true), { asks: 'form' });
  const tool = defineTool('use', { resolve: { db, approved } }, body);
  return { tool, entered: entered.promise, leave: () => leave.resolve() };
};

describe.each(eras)('on the %s era', (era) => {
  describe("dispose with 'completed'", () => {
    test('runs after the body', async () => {
      const log: Log = [];
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, ({ db }) => {
        log.push(`use ${db}`);
        return 'done';
      });

      expect(await run(tool, {}, { era })).toMatchObject({ isError: false, text: 'done' });
      expect(log).toEqual(['open db', 'use db', 'close db: completed']);
    });

    test('runs after the output has been validated', async () => {
      const log: Log = [];
      const Output = z.object({ n: z.number() }).refine(() => {
        log.push('validate');
        return true;
      });
      const tool = defineTool(
        'use',
        { outputSchema: Output, resolve: { db: opening(log, 'db') } },
        () => ({ n: 1 }),
      );

      expect((await run(tool, {}, { era })).structured).toEqual({ n: 1 });
      expect(log.slice(0, 3)).toEqual(['open db', 'validate', 'close db: completed']);
    });

    test('runs in reverse order', async () => {
      const log: Log = [];
      const openOn = (name: string, needs: Parameters<typeof resolver>[0]) =>
        resolver(
          needs,
          () => {
            log.push(`open ${name}`);
            return name;
          },
          { dispose: logClose(log) },
        );
      const pool = openOn('pool', {});
      const connection = openOn('connection', { pool });
      const transaction = openOn('transaction', { connection, pool });

      await run(
        defineTool('use', { resolve: { transaction } }, () => 'done'),
        {},
        { era },
      );
      expect(log).toEqual([
        'open pool',
        'open connection',
        'open transaction',
        'close transaction: completed',
        'close connection: completed',
        'close pool: completed',
      ]);
    });

    test('runs for one value after the other, and is awaited', async () => {
      const log: Log = [];
      const slow = (name: string) =>
        resolver({}, () => name, {
          dispose: async (value) => {
            log.push(`closing ${value}`);
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
            log.push(`closed ${value}`);
          },
        });
      const tool = defineTool('use', { resolve: { a: slow('a'), b: slow('b') } }, () => 'done');

      await run(tool, {}, { era });
      expect(log).toEqual(['closing b', 'closed b', 'closing a', 'closed a']);
    });

    test('runs once, however many consumers the value has', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const left = resolver({ db }, (values) => values.db === 'db');
      const right = resolver({ db: outcome(db) }, () => 1);
      const tool = defineTool(
        'use',
        { guards: [left], resolve: { left, right, db, again: db, result: outcome(db) } },
        () => 'done',
      );

      await run(tool, {}, { era });
      expect(log).toEqual(['open db', 'close db: completed']);
    });

    test('runs for falsy values as well', async () => {
      const ends: unknown[] = [];
      const of = (value: unknown) =>
        resolver({}, () => value, { dispose: (given, end) => void ends.push([given, end]) });
      const [missing, nothing, zero, no] = [of(undefined), of(null), of(0), of(false)];
      const tool = defineTool('use', { resolve: { missing, nothing, zero, no } }, () => 'done');

      await run(tool, {}, { era });
      expect(ends).toEqual([false, 0, null, undefined].map((value) => [value, 'completed']));
    });

    test('receives the computed value itself', async () => {
      const value = { handle: Symbol('it') };
      let disposed: unknown;
      const it = resolver({}, async () => value, {
        dispose: (given) => {
          disposed = given;
        },
      });

      await run(
        defineTool('use', { resolve: { it } }, () => 'done'),
        {},
        { era },
      );
      expect(disposed).toBe(value);
    });

    test('runs for the value of a guard', async () => {
      const log: Log = [];
      const may = resolver({}, () => true, {
        dispose: (value, end) => void log.push(`close ${value}: ${end}`),
      });
      const tool = defineTool('use', { guards: [may] }, () => {
        log.push('body');
        return 'done';
      });

      await run(tool, {}, { era });
      expect(log).toEqual(['body', 'close true: completed']);
    });

    test('runs once for each of several concurrent calls', async () => {
      const log: Log = [];
      let calls = 0;
      const db = resolver({}, () => `db ${(calls += 1)}`, { dispose: logClose(log) });
      const tool = defineTool('use', { resolve: { db } }, async ({ db: name }) => {
        await Promise.resolve();
        return name;
      });
      const { text } = await connectClient(era, serving([tool]));

      const texts = await Promise.all([1, 2, 3].map(() => text('use')));
      expect(texts.sort()).toEqual(['db 1', 'db 2', 'db 3']);
      expect(log.sort()).toEqual([1, 2, 3].map((n) => `close db ${n}: completed`));
    });
  });

  describe("dispose with 'asked'", () => {
    test('runs at the end of each round that asks, on the modern era only', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const one = resolver({ db }, () => confirm('1?'), { asks: 'form' });
      const two = resolver({ one }, () => confirm('2?'), { asks: 'form' });
      const tool = defineTool('use', { resolve: { db, two } }, () => {
        log.push('body');
        return 'done';
      });
      const answers = ({ message }: { message: string }) => {
        log.push(`the user reads ${message}`);
        return yes;
      };

      await run(tool, {}, { era, answers });
      const modern = [
        ['open db', 'close db: asked', 'the user reads 1?'],
        ['open db', 'close db: asked', 'the user reads 2?'],
        ['open db', 'body', 'close db: completed'],
      ].flat();
      // The legacy era keeps the value open while the user thinks.
      const legacy = [
        ...['open db', 'the user reads 1?', 'the user reads 2?'],
        ...['body', 'close db: completed'],
      ];
      expect(log).toEqual(era === 'modern' ? modern : legacy);
    });

    test('does not run for a value that is computed after the confirmation', async () => {
      const log: Log = [];
      const approved = resolver({}, () => confirm('Go ahead?'), { asks: 'form' });
      const transaction = resolver(
        { approved },
        () => {
          log.push('begin');
          return 'transaction';
        },
        { dispose: logClose(log) },
      );
      const tool = defineTool('use', { resolve: { transaction } }, () => 'done');
      const agree = () => {
        log.push('the user agrees');
        return yes;
      };

      await run(tool, {}, { era, answers: { approved: agree } });
      expect(log).toEqual(['the user agrees', 'begin', 'close transaction: completed']);
    });
  });

  describe("dispose with 'failed'", () => {
    const returnsNumber = (() => 7) as unknown as () => string;
    const Positive = z.object({ n: z.number().positive() });

    test.each<[string, (resolve: { db: Resolver<string> }) => Tool, RegExp]>([
      ['the body throws', (resolve) => defineTool('use', { resolve }, boom), /^boom$/],
      [
        'the output is invalid',
        (resolve) => defineTool('use', { outputSchema: Positive, resolve }, () => ({ n: -1 })),
        /^The result of 'use' does not match `outputSchema` \(field 'n'\)\.$/,
      ],
      [
        'the body returns no result',
        (resolve) => defineTool('use', { resolve }, returnsNumber),
        /^The body of 'use' returned a value of type number/,
      ],
    ])('runs when %s', async (_, define, message) => {
      const log: Log = [];

      expect(await run(define({ db: opening(log, 'db') }), {}, { era })).toMatchObject({
        isError: true,
        cause: { message: expect.stringMatching(message) as string },
      });
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('runs when the body throws a protocol error', async () => {
      const log: Log = [];
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, (): string => {
        throw new ProtocolError(-32050, 'Quota exhausted');
      });
      const { call } = await connectClient(era, serving([tool]));

      expect(await protocolErrorOf(call('use'))).toEqual({
        code: -32050,
        message: 'Quota exhausted',
      });
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('does not run when the body returns an error result', async () => {
      const log: Log = [];
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, () => ({
        content: [{ type: 'text', text: 'no such order' }],
        isError: true,
      }));

      expect(await run(tool, {}, { era })).toMatchObject({ isError: true, text: 'no such order' });
      expect(log).toEqual(['open db', 'close db: completed']);
    });

    test('runs for the values computed before a resolver throws, not for that resolver', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const broken = resolver({ db }, boom, { dispose: logClose(log) });
      const tool = defineTool('use', { resolve: { db, broken } }, () => 'done');

      expect(await run(tool, {}, { era })).toMatchObject({
        isError: true,
        cause: { message: 'boom' },
      });
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('runs when a guard refuses, also for the guard itself', async () => {
      const log: Log = [];
      const lock = opening(log, 'lock');
      const may = resolver({ lock }, () => false, {
        dispose: (_, end) => void log.push(`close may: ${end}`),
      });
      const tool = defineTool('use', { guards: [may] }, () => 'done');

      expect(await run(tool, {}, { era })).toMatchObject({
        isError: true,
        text: 'Error executing tool use: Guard 1 refused',
      });
      expect(log).toEqual(['open lock', 'close may: failed', 'close lock: failed']);
    });

    test.each([
      ['declines', decline()],
      ['cancels', cancel()],
      ['leaves the box unticked', accept({ confirm: false })],
    ])('runs when the user %s', async (_, approved) => {
      const log: Log = [];
      const resolve = {
        db: opening(log, 'db'),
        approved: resolver({}, () => confirm('Go ahead?'), { asks: 'form' }),
      };
      const tool = defineTool('use', { resolve }, () => 'done');

      expect(await run(tool, {}, { era, answers: { approved } })).toMatchObject({ isError: true });
      expect(log).toEqual(
        era === 'modern'
          ? ['open db', 'close db: asked', 'open db', 'close db: failed']
          : ['open db', 'close db: failed'],
      );
    });

    test('runs when an answer does not match its form', async () => {
      const log: Log = [];
      const many = resolver({}, () => elicit('How many?', z.object({ n: z.number() })), {
        asks: 'form',
      });
      const tool = defineTool('use', { resolve: { db: opening(log, 'db'), many } }, () => 'done');
      const answers = { many: accept({ n: 'many' }) };

      expect(await run(tool, {}, { era, answers })).toMatchObject({ isError: true });
      expect(log.at(-1)).toBe('close db: failed');
    });

    test('runs when the client cannot answer questions', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const approved = resolver({}, () => confirm('Go ahead?'), { asks: 'form' });
      const tool = defineTool('use', { resolve: { db, approved } }, () => 'done');
      const { call } = await connectClient(era, serving([tool]));

      expect((await protocolErrorOf(call('use'))).code).toBe(-32021);
      expect(log).toEqual(['open db', 'close db: failed']);
    });
  });

  describe('the answer to a question', () => {
    const Name = z.object({ name: z.string() });

    test('is not disposed of', async () => {
      const log: Log = [];
      const name = resolver({}, () => elicit('Name?', Name), {
        asks: 'form',
        dispose: () => void log.push('close the answer'),
      });
      const tool = defineTool('use', { resolve: { name } }, (values) => values.name.name);
      const answers = { name: accept({ name: 'octocat' }) };

      expect(await run(tool, {}, { era, answers })).toMatchObject({
        isError: false,
        text: 'octocat',
      });
      expect(log).toEqual([]);
    });

    test('is not disposed of, even if the resolver computes its value in another call', async () => {
      const log: Log = [];
      let known: { name: string } | undefined = undefined as { name: string } | undefined;
      const name = resolver({}, () => known ?? elicit('Name?', Name), {
        asks: 'form',
        dispose: (value, end) => void log.push(`close ${value.name}: ${end}`),
      });
      const tool = defineTool('use', { resolve: { name } }, (values) => values.name.name);

      await run(tool, {}, { era, answers: { name: accept({ name: 'octocat' }) } });
      known = { name: 'hubot' };
      await run(tool, {}, { era });
      expect(log).toEqual(['close hubot: completed']);
    });

    test('is disposed of if it is the fallback', async () => {
      const log: Log = [];
      const messages = [
        { role: 'user' as const, content: { type: 'text' as const, text: 'Summarise' } },
      ];
      const otherwise = {
        role: 'assistant' as const,
        content: { type: 'text' as const, text: 'none' },
        model: 'fallback',
      };
      const now = resolver({}, () => sample({ messages, maxTokens: 9 }, { otherwise }), {
        asks: 'sample',
        dispose: (value: ModelAnswer, end) => void log.push(`close ${value.model} now: ${end}`),
      });
      const later = resolver(
        {},
        () => sample({ messages, maxTokens: 9 }, { otherwise: async () => otherwise }),
        {
          asks: 'sample',
          dispose: (value: ModelAnswer, end) => void log.push(`close ${value.model} later: ${end}`),
        },
      );
      const tool = defineTool('use', { resolve: { now, later } }, () => 'done');

      expect(await run(tool, {}, { era, capabilities: { elicitation: {} } })).toMatchObject({
        isError: false,
      });
      expect(log).toEqual(['close fallback later: completed', 'close fallback now: completed']);
    });
  });

  describe('the result is sent only after the cleanup', () => {
    const fails = (): string => {
      throw new ToolError('no such order');
    };

    test.each<[End, () => string, string]>([
      ['completed', () => 'done', 'done'],
      ['failed', fails, 'Error executing tool use: no such order'],
    ])("with '%s'", async (end, body, text) => {
      const { tool, entered, leave } = withSlowCleanup(body, false);
      const { call, client } = await connectClient(era, serving([tool]));
      let answered = false;
      const calling = call('use').finally(() => {
        answered = true;
      });

      expect(await entered).toBe(end);
      await client.listTools();
      expect(answered).toBe(false);
      leave();
      expect(await calling).toMatchObject({ content: [{ text }] });
    });
  });

  test('prompts and resources dispose of their values as tools do', async () => {
    const log: Log = [];
    const resolve = { db: opening(log, 'db') };
    const prompt = definePrompt('show', { resolve }, (values) => values.db);
    const resource = defineResource('show', 'desk://show', { resolve }, (values) => values.db);
    const brokenPrompt = definePrompt('broken', { resolve }, boom);
    const brokenResource = defineResource('broken', 'desk://broken', { resolve }, boom);

    for (const definition of [prompt, resource]) {
      expect(await run(definition, undefined, { era })).toMatchObject({
        isError: false,
        text: 'db',
      });
      expect(log.splice(0)).toEqual(['open db', 'close db: completed']);
    }
    for (const definition of [brokenPrompt, brokenResource]) {
      expect(await run(definition, undefined, { era })).toMatchObject({ isError: true });
      expect(log.splice(0)).toEqual(['open db', 'close db: failed']);
    }
  });
});

test('a question is sent only after the cleanup', async () => {
  const { tool, entered, leave } = withSlowCleanup(() => 'done', true);
  const { client, text, asked } = await connectClient('modern', serving([tool]), { elicit: [yes] });
  const calling = text('use');

  expect(await entered).toBe('asked');
  await client.listTools();
  expect(asked).toEqual([]);
  leave();
  expect(await calling).toBe('done');
  expect(asked).toEqual(['Go ahead?']);
});

test('a round that the client leaves unanswered disposes of its values, too', async () => {
  const log: Log = [];
  const db = opening(log, 'db');
  const approved = resolver({ db }, () => confirm('Go ahead?'), { asks: 'form' });
  const sendRound = roundsOf(defineTool('use', { resolve: { db, approved } }, () => 'done'));
  const first = await sendRound();
  const second = await sendRound(answering(first, {}));

  expect(summaryOf(await sendRound(answering(second, { approved: yes })))).toBe('done');
  expect(log.filter((line) => line.startsWith('close'))).toEqual([
    'close db: asked',
    'close db: asked',
    'close db: completed',
  ]);
});

test("dispose receives 'failed' if the state is too large to send", async () => {
  const log: Log = [];
  const db = opening(log, 'db');
  const large = resolver({}, () => 'x'.repeat(3000), { pin: z.string() });
  const approved = resolver({ db, large }, () => confirm('Go ahead?'), { asks: 'form' });
  const tool = defineTool('use', { resolve: { approved } }, () => 'done');
  const seal = requestStateSeal({
    keys: ['a key of the tests, 32 bytes or more'],
    audience: 'desk',
    maxStateBytes: 1000,
  });

  expect(await run(tool, {}, { install: { seal } })).toMatchObject({
    isError: true,
    cause: { message: expect.stringMatching(/but `maxStateBytes` allows only/) as string },
  });
  expect(log).toEqual(['open db', 'close db: failed']);
});

test('a call without a server disposes of its values', async () => {
  const log: Log = [];
  const db = opening(log, 'db');
  const fine = defineTool('fine', { resolve: { db } }, () => 'done');
  const broken = defineTool('broken', { resolve: { db } }, boom);

  expect(textOf(await fine.call(undefined))).toBe('done');
  expect((await broken.call(undefined)).cause).toMatchObject({ message: 'boom' });
  expect(log).toEqual([...['open db', 'close db: completed'], ...['open db', 'close db: failed']]);
});
