/**
 * Tests the cleanup of values that arrive late, and of cancelled calls. A resolver that the call no
 * longer waits for still returns its value, so that value is disposed of on arrival.
 */
import type { Client } from '@modelcontextprotocol/client';
import { confirm, defineTool, resolver, sample } from 'mcp-resolve';
import type { End, ModelAnswer } from 'mcp-resolve';
import { run } from 'mcp-resolve/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { allMicrotasks, contextOf } from '../engine/play.js';
import { eventually } from '../serve/eventually.js';
import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';
import {
  delayed,
  failsAfter,
  failToClose,
  logClose,
  type Log,
  opening,
  reporting,
} from './desk.js';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(async () => {
  await allMicrotasks();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

/** Creates a delayed resolver that logs when it opens its value and how it disposes of it. */
const openLate = (log: Log) =>
  delayed(() => {
    log.push('open late');
    return 'late';
  }, logClose(log));

const FAILED = { isError: true, text: 'Error executing tool use: no such order' };

describe.each(eras)('after a failed call on the %s era', (era) => {
  test("a value that arrives after the result is disposed of with 'failed'", async () => {
    const log: Log = [];
    const { late, started, release } = openLate(log);
    const resolve = { broken: failsAfter(started), late };

    expect(
      await run(
        defineTool('use', { resolve }, () => 'done'),
        {},
        { era },
      ),
    ).toMatchObject(FAILED);
    expect(log).toEqual([]);
    release();
    await eventually(() => {
      expect(log).toEqual(['open late', 'close late: failed']);
    });
  });

  test('a value that arrives during the cleanup is disposed of at once', async () => {
    const log: Log = [];
    const { late, started, release } = openLate(log);
    const [entered, leave] = [deferred(), deferred()];
    const first = resolver({}, () => 'first', {
      dispose: async (name, end) => {
        entered.resolve();
        await leave.promise;
        logClose(log)(name, end);
      },
    });
    const resolve = { first, broken: failsAfter(started), late };
    const call = run(
      defineTool('use', { resolve }, () => 'done'),
      {},
      { era },
    );

    await entered.promise;
    release();
    await eventually(() => {
      expect(log).toEqual(['open late', 'close late: failed']);
    });
    leave.resolve();
    expect(await call).toMatchObject(FAILED);
    expect(log).toEqual(['open late', 'close late: failed', 'close first: failed']);
  });

  test('late questions and errors are dropped', async () => {
    const [log, reported]: [Log, string[]] = [[], []];
    const [released, over] = [deferred(), deferred()];
    const { late, started, release } = delayed(
      () => confirm('Go ahead?'),
      () => void log.push('close the question'),
    );
    const throwing = resolver(
      {},
      async () => {
        await released.promise;
        over.resolve();
        throw new Error('late');
      },
      { dispose: () => void log.push('close nothing') },
    );
    const resolve = { broken: failsAfter(started), late, throwing };
    const tool = defineTool('use', { resolve }, () => 'done');
    const { errorText } = await connectClient(era, reporting([tool], reported));

    expect(await errorText('use')).toBe(FAILED.text);
    release();
    released.resolve();
    await over.promise;
    await allMicrotasks();
    expect(log).toEqual([]);
    expect(reported).toEqual([]);
  });

  test('a late fallback is disposed of', async () => {
    const log: Log = [];
    const [started, release] = [deferred(), deferred()];
    const otherwise = async () => {
      started.resolve();
      await release.promise;
      return {
        role: 'assistant' as const,
        content: { type: 'text' as const, text: 'none' },
        model: 'fallback',
      };
    };
    const guess = resolver({}, () => sample({ messages: [], maxTokens: 9 }, { otherwise }), {
      asks: 'sample',
      dispose: ({ model }: ModelAnswer, end) => void log.push(`close ${model}: ${end}`),
    });
    const resolve = { broken: failsAfter(started.promise), guess };
    const tool = defineTool('use', { resolve }, () => 'done');

    expect(await run(tool, {}, { era, capabilities: {} })).toMatchObject(FAILED);
    release.resolve();
    await eventually(() => {
      expect(log).toEqual(['close fallback: failed']);
    });
  });

  test('a late cleanup that fails is reported', async () => {
    const [log, reported]: [Log, string[]] = [[], []];
    const { late, started, release } = delayed(() => 'late', failToClose(log));
    const tool = defineTool(
      'use',
      { resolve: { broken: failsAfter(started), late } },
      () => 'done',
    );
    const { errorText } = await connectClient(era, reporting([tool], reported));

    expect(await errorText('use')).toBe(FAILED.text);
    release();
    await eventually(() => {
      expect(reported).toEqual(['late would not close']);
    });
    expect(log).toEqual(['close late: failed']);
  });
});

/** Calls the tool 'use' and cancels the request as soon as `started` has settled. */
async function callAndCancel(client: Client, started: Promise<void>): Promise<void> {
  const request = new AbortController();
  const call = client.callTool({ name: 'use' }, { signal: request.signal });
  const ended = call.catch(() => 'cancelled');
  await started;
  request.abort();
  expect(await ended).toBe('cancelled');
}

describe.each(eras)('after a cancelled request on the %s era', (era) => {
  test("earlier and later values are disposed of with 'cancelled'", async () => {
    const log: Log = [];
    const { late, started, release } = openLate(log);
    const tool = defineTool('use', { resolve: { db: opening(log, 'db'), late } }, () => 'done');
    const { client } = await connectClient(era, serving([tool]));

    await callAndCancel(client, started);
    await eventually(() => {
      expect(log).toEqual(['open db', 'close db: cancelled']);
    });
    release();
    await eventually(() => {
      expect(log).toEqual([
        ...['open db', 'close db: cancelled'],
        ...['open late', 'close late: cancelled'],
      ]);
    });
  });

  /** Cancels a call while its body runs. The body receives a promise of the cancellation. */
  const cancelDuringBody = async (
    body: (aborted: Promise<void>) => Promise<string>,
    dispose: (name: string, end: End) => void,
  ): Promise<string[]> => {
    const reported: string[] = [];
    const [started, closed, aborted] = [deferred(), deferred(), deferred()];
    const db = resolver({}, () => 'db', {
      dispose: (name, end) => {
        closed.resolve();
        dispose(name, end);
      },
    });
    const tool = defineTool('use', { resolve: { db } }, (_, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted.resolve();
      });
      started.resolve();
      return body(aborted.promise);
    });
    const { client } = await connectClient(era, reporting([tool], reported));
    await callAndCancel(client, started.promise);
    await closed.promise;
    await allMicrotasks();
    return reported;
  };
  const givesUp = async (aborted: Promise<void>): Promise<string> => {
    await aborted;
    throw new Error('given up');
  };
  const finishes = async (aborted: Promise<void>): Promise<string> => {
    await aborted;
    return 'done';
  };

  describe.each<[string, typeof givesUp, End, string[]]>([
    ['throws', givesUp, 'cancelled', ['given up']],
    ['finishes its work', finishes, 'completed', []],
  ])('whose body %s', (_, body, end, errors) => {
    test(`values are disposed of with '${end}'`, async () => {
      const log: Log = [];

      expect(await cancelDuringBody(body, logClose(log))).toEqual(errors);
      expect(log).toEqual([`close db: ${end}`]);
    });

    test('a cleanup that fails is reported', async () => {
      const log: Log = [];

      expect(await cancelDuringBody(body, failToClose(log))).toEqual([
        'db would not close',
        ...errors,
      ]);
      expect(log).toEqual([`close db: ${end}`]);
    });
  });
});

test("dispose receives 'cancelled' if a legacy client cancels while it is asked", async () => {
  const log: Log = [];
  const approved = resolver({}, () => confirm('Go ahead?'), { asks: 'form' });
  const tool = defineTool('use', { resolve: { db: opening(log, 'db'), approved } }, () => 'done');
  const client = await rawLegacy(serving([tool]), { capabilities: { elicitation: {} } });
  const id = 'the call';
  await client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'use' } });
  await eventually(() => {
    expect(client.received.map(({ method }) => method)).toEqual(['elicitation/create']);
  });
  expect(log).toEqual(['open db']);

  await client.send({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: id },
  });
  await eventually(() => {
    expect(log).toEqual(['open db', 'close db: cancelled']);
  });
});

test("dispose receives 'cancelled' if the request is cancelled before the body runs", async () => {
  const log: Log = [];
  const request = new AbortController();
  const cancelling = resolver({}, () => {
    request.abort();
  });
  const resolve = { db: opening(log, 'db'), cancelling };
  const tool = defineTool('use', { resolve }, () => {
    log.push('body');
    return 'done';
  });
  await tool.call(undefined, contextOf({ signal: request.signal }));

  expect(log).toEqual(['open db', 'close db: cancelled']);
});
