/**
 * Tests a `dispose` that throws. After 'completed' it fails the call, because a failed commit must
 * not look like success. After any other end the result is already known, so the error is only
 * reported.
 */
import { confirm, defineTool, resolver, ToolError } from 'mcp-resolve';
import { accept, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { failToClose, logClose, type Log, opening, reporting } from './desk.js';

/** Creates a resolver whose `dispose` logs and then throws. */
const unclosable = (log: Log, name: string) =>
  resolver({}, () => name, { name, dispose: failToClose(log) });

const throws = (error: unknown) => () => {
  throw error;
};

const refuse = (): string => {
  throw new ToolError('no such order');
};

const messagesOf = (errors: readonly Error[]): string[] => errors.map(({ message }) => message);

describe.each(eras)('a dispose that throws on the %s era', (era) => {
  describe("after 'completed'", () => {
    test('turns the result into a tool error and is reported', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const tool = defineTool('use', { resolve: { db: unclosable(log, 'db') } }, () => {
        log.push('body');
        return 'done';
      });
      const { errorText } = await connectClient(era, reporting([tool], reported));

      expect(await errorText('use')).toBe('Error executing tool use');
      expect(log).toEqual(['body', 'close db: completed']);
      // It is not a ToolError, so only the operator reads its message.
      expect(reported).toEqual(['db would not close']);
    });

    test("passes 'failed' to the remaining resolvers", async () => {
      const log: Log = [];
      const resolve = {
        a: opening(log, 'a'),
        b: opening(log, 'b'),
        last: unclosable(log, 'last'),
        c: opening(log, 'c'),
      };

      expect(
        await run(
          defineTool('use', { resolve }, () => 'done'),
          {},
          { era },
        ),
      ).toMatchObject({ isError: true, cause: { message: 'last would not close' } });
      expect(log.slice(3)).toEqual([
        'close c: completed',
        'close last: completed',
        'close b: failed',
        'close a: failed',
      ]);
    });

    test('hides the error of a later dispose, which is reported', async () => {
      const log: Log = [];
      const resolve = { a: unclosable(log, 'a'), b: unclosable(log, 'b') };
      const failed = await run(
        defineTool('use', { resolve }, () => 'done'),
        {},
        { era },
      );

      expect(failed).toMatchObject({
        isError: true,
        cause: { message: 'b would not close' },
      });
      expect(log).toEqual(['close b: completed', 'close a: failed']);
      expect(messagesOf(failed.reported).sort()).toEqual([
        'a would not close',
        'b would not close',
      ]);
    });

    test.each<[string, () => unknown]>([
      ['an Error', throws(new Error('conflict'))],
      ['a rejection', async () => Promise.reject(new Error('conflict'))],
      ['a string', throws('conflict')],
    ])('hides the message of %s, which is reported', async (_, dispose) => {
      const db = resolver({}, () => 'db', { dispose });
      const tool = defineTool('use', { resolve: { db } }, () => 'done');
      const failed = await run(tool, {}, { era });

      expect(failed).toMatchObject({ isError: true, text: 'Error executing tool use' });
      expect(messagesOf(failed.reported)).toEqual(['conflict']);
    });

    test('shows the message of a ToolError, which is not reported', async () => {
      const dispose = throws(new ToolError('another client was faster'));
      const db = resolver({}, () => 'db', { dispose });
      const tool = defineTool('use', { resolve: { db } }, () => 'done');

      expect(await run(tool, {}, { era })).toMatchObject({
        isError: true,
        text: 'Error executing tool use: another client was faster',
        reported: [],
      });
    });

    test('replaces an error result of the body', async () => {
      const tool = defineTool('use', { resolve: { db: unclosable([], 'db') } }, () => ({
        content: [{ type: 'text', text: 'no such order' }],
        isError: true,
      }));

      expect(await run(tool, {}, { era })).toMatchObject({
        isError: true,
        text: 'Error executing tool use',
        cause: { message: 'db would not close' },
      });
    });
  });

  describe('after another end', () => {
    test('is only reported if the body throws', async () => {
      const [log, reported]: [Log, string[]] = [[], []];
      const resolve = { a: unclosable(log, 'a'), b: unclosable(log, 'b') };
      const tool = defineTool('use', { resolve }, refuse);
      const { errorText } = await connectClient(era, reporting([tool], reported));

      expect(await errorText('use')).toBe('Error executing tool use: no such order');
      expect(log).toEqual(['close b: failed', 'close a: failed']);
      expect(reported).toEqual(['b would not close', 'a would not close']);
    });

    test('is only reported if the user declines', async () => {
      const log: Log = [];
      const approved = resolver({}, () => confirm('Go ahead?'), { asks: 'form' });
      const db = resolver({}, () => 'db', {
        dispose: (name: string, end) => {
          if (end === 'failed') failToClose(log)(name, end);
        },
      });
      const tool = defineTool('use', { resolve: { db, approved } }, () => 'done');
      const declined = await run(tool, {}, { era, answers: { approved: decline() } });

      expect(declined).toMatchObject({
        isError: true,
        text: "Error executing tool use: Resolver for parameter 'approved' could not resolve: elicitation was decline",
      });
      expect(messagesOf(declined.reported)).toEqual(['db would not close']);
    });

    test('is only reported if the round asks a question', async () => {
      const log: Log = [];
      const db = resolver({}, () => 'db', {
        dispose: (name: string, end) => (end === 'asked' ? failToClose : logClose)(log)(name, end),
      });
      const approved = resolver({ db }, () => confirm('Go ahead?'), { asks: 'form' });
      const tool = defineTool('use', { resolve: { db, approved } }, () => 'done');
      const answers = { approved: accept({ confirm: true }) };
      const used = await run(tool, {}, { era, answers });

      expect(used).toMatchObject({ isError: false, text: 'done' });
      expect(messagesOf(used.reported)).toEqual(era === 'modern' ? ['db would not close'] : []);
    });

    test('does not stop the cleanup of other values', async () => {
      const log: Log = [];
      const resolve = { a: opening(log, 'a'), b: unclosable(log, 'b'), c: opening(log, 'c') };

      expect(await run(defineTool('use', { resolve }, refuse), {}, { era })).toMatchObject({
        isError: true,
      });
      expect(log.slice(2)).toEqual(['close c: failed', 'close b: failed', 'close a: failed']);
    });
  });
});
