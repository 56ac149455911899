/**
 * A cleanup that throws: where the work has been done it fails the call, because a commit that
 * failed must not read as success; elsewhere the answer is on its way, and the operator is told.
 */
import { confirm, defineTool, resolver, ToolError } from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { closing, failing, type Log, opening, reporting } from './desk.js';

const tick = accept({ confirm: true });

/** A resolver whose cleanup does something else than writing down. */
const closingWith = (name: string, dispose: () => unknown) =>
  resolver({}, () => name, { name, dispose });

describe.each(eras)('%s', (era) => {
  describe('under completed', () => {
    test('it makes the call a tool error with its message, though the body ran', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const db = resolver({}, () => 'db', { dispose: failing(log) });
      const tool = defineTool('use', { resolve: { db } }, () => {
        log.push('body');
        return 'done';
      });
      const chat = await connectClient(era, reporting([tool], reported));

      expect(await chat.errorText('use')).toBe('Error executing tool use: db would not close');
      expect(log).toEqual(['body', 'close db: completed']);
      // It was not meant for the model, and nothing is lost.
      expect(reported).toEqual(['db would not close']);
    });

    test('what is left is told that the call failed', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const last = resolver({}, () => 'last', { dispose: failing(log) });
      const tool = defineTool(
        'use',
        { resolve: { a: opening(log, 'a'), b: opening(log, 'b'), last, c: opening(log, 'c') } },
        () => 'done',
      );
      const chat = await connectClient(era, reporting([tool], reported));

      expect(await chat.errorText('use')).toBe('Error executing tool use: last would not close');
      expect(log.slice(3)).toEqual([
        'close c: completed',
        'close last: completed',
        'close b: failed',
        'close a: failed',
      ]);
    });

    test('of two that throw, the first is the error and the other is reported', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const [a, b] = ['a', 'b'].map((name) => resolver({}, () => name, { dispose: failing(log) }));
      const tool = defineTool('use', { resolve: { a: a!, b: b! } }, () => 'done');
      const chat = await connectClient(era, reporting([tool], reported));

      expect(await chat.errorText('use')).toBe('Error executing tool use: b would not close');
      expect(log).toEqual(['close b: completed', 'close a: failed']);
      expect(reported.sort()).toEqual(['a would not close', 'b would not close']);
    });

    test.each([
      ['a rejection', async () => Promise.reject(new Error('conflict')), 'conflict'],
      [
        'a text',
        () => {
          // eslint-disable-next-line @typescript-eslint/only-throw-error -- anything can be thrown
          throw 'conflict';
        },
        'conflict',
      ],
      [
        'a ToolError',
        () => {
          throw new ToolError('another client was faster');
        },
        'another client was faster',
      ],
    ])('%s counts as well', async (_, dispose, message) => {
      const tool = defineTool('use', { resolve: { db: closingWith('db', dispose) } }, () => 'done');
      const chat = await connectClient(era, reporting([tool], []));

      expect(await chat.errorText('use')).toBe(`Error executing tool use: ${message}`);
    });

    test('its message is masked like any other, unless it was meant for the model', async () => {
      const reported: string[] = [];
      const tools = [
        [
          'plain',
          () => {
            throw new Error('password is hunter2');
          },
        ],
        [
          'meant',
          () => {
            throw new ToolError('another client was faster');
          },
        ],
      ] as const;
      const factory = reporting(
        tools.map(([name, dispose]) =>
          defineTool(name, { resolve: { db: closingWith('db', dispose) } }, () => 'done'),
        ),
        reported,
        { errors: 'toolErrorsOnly' },
      );
      const chat = await connectClient(era, factory);

      expect(await chat.errorText('plain')).toBe(
        'Error executing tool plain: an unexpected error occurred',
      );
      expect(await chat.errorText('meant')).toBe(
        'Error executing tool meant: another client was faster',
      );
      expect(reported).toEqual(['password is hunter2']);
    });

    test('an error that the body returned gives way to it', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const db = resolver({}, () => 'db', { dispose: failing(log) });
      const tool = defineTool('use', { resolve: { db } }, () => ({
        content: [{ type: 'text', text: 'no such order' }],
        isError: true,
      }));
      const chat = await connectClient(era, reporting([tool], reported));

      expect(await chat.errorText('use')).toBe('Error executing tool use: db would not close');
    });
  });

  describe('elsewhere', () => {
    test('it is reported only, where the body failed', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const [a, b] = ['a', 'b'].map((name) => resolver({}, () => name, { dispose: failing(log) }));
      const tool = defineTool('use', { resolve: { a: a!, b: b! } }, (): string => {
        throw new ToolError('no such order');
      });
      const chat = await connectClient(era, reporting([tool], reported));

      expect(await chat.errorText('use')).toBe('Error executing tool use: no such order');
      expect(log).toEqual(['close b: failed', 'close a: failed']);
      expect(reported).toEqual(['b would not close', 'a would not close']);
    });

    test('it is reported only, where the person declined', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const approved = resolver({}, () => confirm('Go ahead?'));
      const db = resolver({}, () => 'db', {
        dispose: (name: string, end) => {
          if (end === 'failed') failing(log)(name, end);
        },
      });
      const tool = defineTool('use', { resolve: { db, approved } }, () => 'done');
      const chat = await connectClient(era, reporting([tool], reported), { elicit: [decline()] });

      expect(await chat.errorText('use')).toBe(
        "Error executing tool use: Resolver for parameter 'approved' could not resolve: elicitation was decline",
      );
      expect(reported).toEqual(['db would not close']);
    });

    test('it is reported only, where a question goes out', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const db = resolver({}, () => 'db', {
        dispose: (name: string, end) => (end === 'asked' ? failing : closing)(log)(name, end),
      });
      const approved = resolver({ db }, () => confirm('Go ahead?'));
      const tool = defineTool('use', { resolve: { db, approved } }, () => 'done');
      const chat = await connectClient(era, reporting([tool], reported), { elicit: [tick] });

      expect(await chat.text('use')).toBe('done');
      expect(reported).toEqual(era === 'modern' ? ['db would not close'] : []);
    });

    test('what throws keeps nothing else from being closed', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const b = resolver({}, () => 'b', { dispose: failing(log) });
      const tool = defineTool(
        'use',
        { resolve: { a: opening(log, 'a'), b, c: opening(log, 'c') } },
        (): string => {
          throw new ToolError('no such order');
        },
      );
      const chat = await connectClient(era, reporting([tool], reported));

      await chat.errorText('use');
      expect(log.slice(2)).toEqual(['close c: failed', 'close b: failed', 'close a: failed']);
    });
  });
});
