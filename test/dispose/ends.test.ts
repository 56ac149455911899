/** Every value that a resolver with `dispose` computes is cleaned up once, and told how it ended. */
import { McpServer, ProtocolError } from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  install,
  outcome,
  requestStateSeal,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { End, ModelAnswer } from 'mcp-resolve';
import { accept, cancel, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, protocolErrorOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';
import { answering, roundsOf, summaryOf } from '../support/rounds.js';
import { closing, type Log, opening } from './desk.js';

const tick = accept({ confirm: true });
const yes = { action: 'accept', content: { confirm: true } };

/** A tool whose cleanup the test holds up. */
const held = (body: () => string, asks: boolean) => {
  const [entered, leave] = [deferred<End>(), deferred()];
  const db = resolver({}, () => 'db', {
    dispose: async (_, end) => {
      entered.resolve(end);
      await leave.promise;
    },
  });
  const approved = resolver({}, () => (asks ? confirm('Go ahead?') : true));
  const tool = defineTool('use', { resolve: { db, approved } }, body);
  return { tool, entered: entered.promise, leave: () => leave.resolve() };
};

describe.each(eras)('%s', (era) => {
  describe('completed', () => {
    test('comes after the body', async () => {
      const log: Log = [];
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, ({ db }) => {
        log.push(`use ${db}`);
        return 'done';
      });
      const chat = await connectClient(era, serving([tool]));

      expect(await chat.text('use')).toBe('done');
      expect(log).toEqual(['open db', 'use db', 'close db: completed']);
    });

    test('comes after the output was found valid', async () => {
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
      const chat = await connectClient(era, serving([tool]));

      expect((await chat.call('use')).structuredContent).toEqual({ n: 1 });
      expect(log.slice(0, 3)).toEqual(['open db', 'validate', 'close db: completed']);
    });

    test('comes in reverse order', async () => {
      const log: Log = [];
      const on = (name: string, needs: Parameters<typeof resolver>[0]) =>
        resolver(
          needs,
          () => {
            log.push(`open ${name}`);
            return name;
          },
          { dispose: closing(log) },
        );
      const pool = on('pool', {});
      const connection = on('connection', { pool });
      const transaction = on('transaction', { connection, pool });
      const tool = defineTool('use', { resolve: { transaction } }, () => 'done');
      const chat = await connectClient(era, serving([tool]));

      await chat.text('use');
      expect(log).toEqual([
        'open pool',
        'open connection',
        'open transaction',
        'close transaction: completed',
        'close connection: completed',
        'close pool: completed',
      ]);
    });

    test('comes one after the other, each awaited', async () => {
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
      const chat = await connectClient(era, serving([tool]));

      await chat.text('use');
      expect(log).toEqual(['closing b', 'closed b', 'closing a', 'closed a']);
    });

    test('comes once, however many consumers there are', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const left = resolver({ db }, (values) => values.db);
      const right = resolver({ db: outcome(db) }, () => 1);
      const tool = defineTool(
        'use',
        { guards: [left], resolve: { left, right, db, again: db, how: outcome(db) } },
        () => 'done',
      );
      const chat = await connectClient(era, serving([tool]));

      await chat.text('use');
      expect(log).toEqual(['open db', 'close db: completed']);
    });

    test('comes for every value, the empty ones as well', async () => {
      const ends: unknown[] = [];
      const of = (value: unknown) =>
        resolver({}, () => value, { dispose: (given, end) => void ends.push([given, end]) });
      const [none, nothing, zero, no] = [of(undefined), of(null), of(0), of(false)];
      const tool = defineTool('use', { resolve: { none, nothing, zero, no } }, () => 'done');
      const chat = await connectClient(era, serving([tool]));

      await chat.text('use');
      expect(ends).toEqual([false, 0, null, undefined].map((value) => [value, 'completed']));
    });

    test('gets the very value that was computed', async () => {
      const value = { handle: Symbol('it') };
      let disposed: unknown;
      const it = resolver({}, async () => value, {
        dispose: (given) => {
          disposed = given;
        },
      });
      const chat = await connectClient(
        era,
        serving([defineTool('use', { resolve: { it } }, () => 'done')]),
      );

      await chat.text('use');
      expect(disposed).toBe(value);
    });

    test('comes for a guard, whose value nobody else gets', async () => {
      const log: Log = [];
      const tool = defineTool('use', { guards: [opening(log, 'lock')] }, () => {
        log.push('body');
        return 'done';
      });
      const chat = await connectClient(era, serving([tool]));

      await chat.text('use');
      expect(log).toEqual(['open lock', 'body', 'close lock: completed']);
    });

    test('comes for each call, also where calls run at the same time', async () => {
      const log: Log = [];
      let calls = 0;
      const db = resolver({}, () => `db ${(calls += 1)}`, { dispose: closing(log) });
      const tool = defineTool('use', { resolve: { db } }, async ({ db: name }) => {
        await Promise.resolve();
        return name;
      });
      const chat = await connectClient(era, serving([tool]));

      const texts = await Promise.all([1, 2, 3].map(() => chat.text('use')));
      expect(texts.sort()).toEqual(['db 1', 'db 2', 'db 3']);
      expect(log.sort()).toEqual([1, 2, 3].map((n) => `close db ${n}: completed`));
    });
  });

  describe('asked', () => {
    test('comes at the end of a round that asks, and only on the modern era', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const one = resolver({ db }, () => confirm('1?'));
      const two = resolver({ one }, () => confirm('2?'));
      const tool = defineTool('use', { resolve: { db, two } }, () => {
        log.push('body');
        return 'done';
      });
      const chat = await connectClient(era, serving([tool]), {
        elicit: ({ message }) => {
          log.push(`the person reads ${message}`);
          return tick;
        },
      });

      await chat.text('use');
      const modern = [
        ['open db', 'close db: asked', 'the person reads 1?'],
        ['open db', 'close db: asked', 'the person reads 2?'],
        ['open db', 'body', 'close db: completed'],
      ].flat();
      // Here it stays open while the person thinks.
      const legacy = [
        ...['open db', 'the person reads 1?', 'the person reads 2?'],
        ...['body', 'close db: completed'],
      ];
      expect(log).toEqual(era === 'modern' ? modern : legacy);
    });

    test('does not come for a transaction that is opened after the confirmation', async () => {
      const log: Log = [];
      const approved = resolver({}, () => confirm('Go ahead?'));
      const transaction = resolver(
        { approved },
        () => {
          log.push('begin');
          return 'transaction';
        },
        { dispose: closing(log) },
      );
      const tool = defineTool('use', { resolve: { transaction } }, () => 'done');
      const chat = await connectClient(era, serving([tool]), {
        elicit: () => {
          log.push('the person agrees');
          return tick;
        },
      });

      await chat.text('use');
      expect(log).toEqual(['the person agrees', 'begin', 'close transaction: completed']);
    });
  });

  describe('failed', () => {
    const boom = (): never => {
      throw new Error('boom');
    };

    test('comes when the body throws', async () => {
      const log: Log = [];
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, boom);
      const chat = await connectClient(era, serving([tool]));

      expect(await chat.errorText('use')).toBe('Error executing tool use: boom');
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('comes when the body throws what is for the client', async () => {
      const log: Log = [];
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, (): string => {
        throw new ProtocolError(-32050, 'Quota exhausted');
      });
      const chat = await connectClient(era, serving([tool]));

      expect(await protocolErrorOf(chat.call('use'))).toEqual({
        code: -32050,
        message: 'Quota exhausted',
      });
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('comes when the output is not valid', async () => {
      const log: Log = [];
      const tool = defineTool(
        'use',
        {
          outputSchema: z.object({ n: z.number().positive() }),
          resolve: { db: opening(log, 'db') },
        },
        () => ({ n: -1 }),
      );
      const chat = await connectClient(era, serving([tool]));

      expect(await chat.errorText('use')).toMatch(
        /^Error executing tool use: the result does not match outputSchema/,
      );
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('comes when the body returns no result', async () => {
      const log: Log = [];
      const body = (() => 7) as unknown as () => string;
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, body);
      const chat = await connectClient(era, serving([tool]));

      await chat.errorText('use');
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('does not come when the body returns an error of its own: it ran', async () => {
      const log: Log = [];
      const tool = defineTool('use', { resolve: { db: opening(log, 'db') } }, () => ({
        content: [{ type: 'text', text: 'no such order' }],
        isError: true,
      }));
      const chat = await connectClient(era, serving([tool]));

      expect(await chat.errorText('use')).toBe('no such order');
      expect(log).toEqual(['open db', 'close db: completed']);
    });

    test('comes for what was computed before a resolver threw, and not for that resolver', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const broken = resolver({ db }, boom, { dispose: closing(log) });
      const tool = defineTool('use', { resolve: { db, broken } }, () => 'done');
      const chat = await connectClient(era, serving([tool]));

      expect(await chat.errorText('use')).toBe('Error executing tool use: boom');
      expect(log).toEqual(['open db', 'close db: failed']);
    });

    test('comes when a guard refuses, for the guard as well', async () => {
      const log: Log = [];
      const lock = opening(log, 'lock');
      const may = resolver({ lock }, () => false, {
        dispose: (_, end) => void log.push(`close may: ${end}`),
      });
      const tool = defineTool('use', { guards: [may] }, () => 'done');
      const chat = await connectClient(era, serving([tool]));

      expect(await chat.errorText('use')).toBe("Error executing tool use: Guard 'guard' refused");
      expect(log).toEqual(['open lock', 'close may: failed', 'close lock: failed']);
    });

    test.each([
      ['declines', decline()],
      ['cancels', cancel()],
      ['leaves the box unticked', accept({ confirm: false })],
    ])('comes when the person %s', async (_, reply) => {
      const log: Log = [];
      const db = opening(log, 'db');
      const approved = resolver({}, () => confirm('Go ahead?'));
      const tool = defineTool('use', { resolve: { db, approved } }, () => 'done');
      const chat = await connectClient(era, serving([tool]), { elicit: [reply] });

      await chat.errorText('use');
      expect(log).toEqual(
        era === 'modern'
          ? ['open db', 'close db: asked', 'open db', 'close db: failed']
          : ['open db', 'close db: failed'],
      );
    });

    test('comes when an answer does not fit', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const many = resolver({}, () => elicit('How many?', z.object({ n: z.number() })));
      const tool = defineTool('use', { resolve: { db, many } }, () => 'done');
      const chat = await connectClient(era, serving([tool]), { elicit: [accept({ n: 'many' })] });

      await chat.errorText('use');
      expect(log.at(-1)).toBe('close db: failed');
    });

    test('comes when the client cannot be asked', async () => {
      const log: Log = [];
      const db = opening(log, 'db');
      const approved = resolver({}, () => confirm('Go ahead?'));
      const tool = defineTool('use', { resolve: { db, approved } }, () => 'done');
      const chat = await connectClient(era, serving([tool]));

      expect((await protocolErrorOf(chat.call('use'))).code).toBe(-32021);
      expect(log).toEqual(['open db', 'close db: failed']);
    });
  });

  describe('what is not computed', () => {
    test('is not cleaned up: the answer to a question', async () => {
      const log: Log = [];
      const name = resolver({}, () => elicit('Name?', z.object({ name: z.string() })), {
        dispose: () => void log.push('close the answer'),
      });
      const tool = defineTool('use', { resolve: { name } }, (values) => values.name.name);
      const chat = await connectClient(era, serving([tool]), {
        elicit: [accept({ name: 'octocat' })],
      });

      expect(await chat.text('use')).toBe('octocat');
      expect(log).toEqual([]);
    });

    test('is not cleaned up, where the same resolver computes at other times', async () => {
      const log: Log = [];
      let known: { name: string } | undefined = undefined as { name: string } | undefined;
      const name = resolver({}, () => known ?? elicit('Name?', z.object({ name: z.string() })), {
        dispose: (value, end) => void log.push(`close ${value.name}: ${end}`),
      });
      const tool = defineTool('use', { resolve: { name } }, (values) => values.name.name);
      const chat = await connectClient(era, serving([tool]), {
        elicit: [accept({ name: 'octocat' })],
      });

      await chat.text('use');
      known = { name: 'hubot' };
      await chat.text('use');
      expect(log).toEqual(['close hubot: completed']);
    });

    test('is cleaned up all the same where it falls back', async () => {
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
        dispose: (value: ModelAnswer, end) => void log.push(`close ${value.model} now: ${end}`),
      });
      const later = resolver(
        {},
        () => sample({ messages, maxTokens: 9 }, { otherwise: async () => otherwise }),
        {
          dispose: (value: ModelAnswer, end) => void log.push(`close ${value.model} later: ${end}`),
        },
      );
      const tool = defineTool('use', { resolve: { now, later } }, () => 'done');
      const chat = await connectClient(era, serving([tool]), { elicit: [] });

      await chat.text('use');
      expect(log).toEqual(['close fallback later: completed', 'close fallback now: completed']);
    });
  });

  describe('the answer waits for the cleanup', () => {
    const fails = (): string => {
      throw new ToolError('no such order');
    };

    test.each<[End, () => string, string]>([
      ['completed', () => 'done', 'done'],
      ['failed', fails, 'Error executing tool use: no such order'],
    ])('under %s', async (end, body, text) => {
      const { tool, entered, leave } = held(body, false);
      const chat = await connectClient(era, serving([tool]));
      let answered = false;
      const call = chat.call('use').finally(() => {
        answered = true;
      });

      expect(await entered).toBe(end);
      await chat.client.listTools();
      expect(answered).toBe(false);
      leave();
      expect(await call).toMatchObject({ content: [{ text }] });
    });
  });

  test('prompts and resources clean up in the same way', async () => {
    const log: Log = [];
    const resolve = { db: opening(log, 'db') };
    const prompt = definePrompt('show', { resolve }, (values) => values.db);
    const resource = defineResource('show', 'desk://show', { resolve }, (values) => values.db);
    const broken = definePrompt('broken', { resolve }, (): string => {
      throw new ToolError('no such prompt');
    });
    const factory = (): McpServer => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      install(server, [prompt, resource, broken]);
      return server;
    };
    const { client } = await connectClient(era, factory);

    await client.getPrompt({ name: 'show' });
    await client.readResource({ uri: 'desk://show' });
    await protocolErrorOf(client.getPrompt({ name: 'broken' }));
    expect(log).toEqual([
      ...['open db', 'close db: completed', 'open db', 'close db: completed'],
      ...['open db', 'close db: failed'],
    ]);
  });
});

test('questions wait for the cleanup as well', async () => {
  const { tool, entered, leave } = held(() => 'done', true);
  const chat = await connectClient('modern', serving([tool]), { elicit: [tick] });
  const text = chat.text('use');

  expect(await entered).toBe('asked');
  await chat.client.listTools();
  expect(chat.asked).toEqual([]);
  leave();
  expect(await text).toBe('done');
  expect(chat.asked).toEqual(['Go ahead?']);
});

test('a round that goes unanswered closes what it opened, like every other', async () => {
  const log: Log = [];
  const db = opening(log, 'db');
  const approved = resolver({ db }, () => confirm('Go ahead?'));
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

test('a state that is too large to carry on is a failure', async () => {
  const log: Log = [];
  const db = opening(log, 'db');
  const large = resolver({}, () => 'x'.repeat(3000), { pin: z.string() });
  const approved = resolver({ db, large }, () => confirm('Go ahead?'));
  const tool = defineTool('use', { resolve: { approved } }, () => 'done');
  const seal = requestStateSeal({
    keys: ['a key of the tests, 32 bytes or more'],
    audience: 'desk',
    maxStateBytes: 1000,
  });
  const chat = await connectClient('modern', serving([tool], { seal }), { elicit: [] });

  expect(await chat.errorText('use')).toMatch(/more than maxStateBytes allows/);
  expect(log).toEqual(['open db', 'close db: failed']);
});

test('a direct call cleans up', async () => {
  const log: Log = [];
  const db = opening(log, 'db');
  const fine = defineTool('fine', { resolve: { db } }, () => 'done');
  const broken = defineTool('broken', { resolve: { db } }, (): string => {
    throw new Error('boom');
  });

  expect(textOf(await fine.call(undefined))).toBe('done');
  expect(errorTextOf(await broken.call(undefined))).toBe('Error executing tool broken: boom');
  expect(log).toEqual([...['open db', 'close db: completed'], ...['open db', 'close db: failed']]);
});
