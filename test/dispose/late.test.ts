/** Values that nobody waits for any more were made all the same, and are cleaned up as they come. */
import { confirm, defineTool, resolver, sample, ToolError } from 'mcp-resolve';
import type { ModelAnswer } from 'mcp-resolve';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { allMicrotasks, contextOf } from '../engine/play.js';
import { eventually } from '../serve/eventually.js';
import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';
import { closing, type Log, opening, reporting } from './desk.js';

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

/** A resolver that finishes when the test says so. */
function slow(log: Log, name: string) {
  const [started, release] = [deferred(), deferred()];
  const made = resolver(
    {},
    async () => {
      started.resolve();
      await release.promise;
      log.push(`open ${name}`);
      return name;
    },
    { name, dispose: closing(log) },
  );
  return { made, started: started.promise, release: () => release.resolve() };
}

describe.each(eras)('%s', (era) => {
  test('a value that arrives after the answer went out is told that the call failed', async () => {
    const log: Log = [];
    const { made, started, release } = slow(log, 'late');
    const broken = resolver({}, async () => {
      await started;
      throw new ToolError('no such order');
    });
    const tool = defineTool('use', { resolve: { broken, made } }, () => 'done');
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.errorText('use')).toBe('Error executing tool use: no such order');
    expect(log).toEqual([]);
    release();
    await eventually(() => {
      expect(log).toEqual(['open late', 'close late: failed']);
    });
  });

  test('a value that arrives while others are being closed is closed as well', async () => {
    const log: Log = [];
    const { made, started, release } = slow(log, 'late');
    const entered = deferred();
    const leave = deferred();
    const first = resolver({}, () => 'first', {
      dispose: async (name, end) => {
        entered.resolve();
        await leave.promise;
        closing(log)(name, end);
      },
    });
    const broken = resolver({ first }, async () => {
      await started;
      throw new ToolError('no such order');
    });
    const tool = defineTool('use', { resolve: { broken, made } }, () => 'done');
    const chat = await connectClient(era, serving([tool]));
    const text = chat.errorText('use');

    await entered.promise;
    release();
    await eventually(() => {
      expect(log).toEqual(['open late', 'close late: failed']);
    });
    leave.resolve();
    await text;
    expect(log).toEqual(['open late', 'close late: failed', 'close first: failed']);
  });

  test('a late question is nothing to close, and a late error nobody hears of', async () => {
    const log: Log = [];
    const reported: string[] = [];
    const [started, release, over] = [deferred(), deferred(), deferred()];
    const asking = resolver(
      {},
      async () => {
        started.resolve();
        await release.promise;
        return confirm('Go ahead?');
      },
      { dispose: () => void log.push('close the question') },
    );
    const throwing = resolver(
      {},
      async () => {
        await release.promise;
        over.resolve();
        throw new Error('late');
      },
      { dispose: () => void log.push('close nothing') },
    );
    const broken = resolver({}, async () => {
      await started.promise;
      throw new ToolError('no such order');
    });
    const tool = defineTool('use', { resolve: { broken, asking, throwing } }, () => 'done');
    const chat = await connectClient(era, reporting([tool], reported));

    await chat.errorText('use');
    release.resolve();
    await over.promise;
    await allMicrotasks();
    expect(log).toEqual([]);
    expect(reported).toEqual([]);
  });

  test('a late fallback is closed', async () => {
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
      dispose: ({ model }: ModelAnswer, end) => void log.push(`close ${model}: ${end}`),
    });
    const broken = resolver({}, async () => {
      await started.promise;
      throw new ToolError('no such order');
    });
    const tool = defineTool('use', { resolve: { broken, guess } }, () => 'done');
    const chat = await connectClient(era, serving([tool]));

    await chat.errorText('use');
    release.resolve();
    await eventually(() => {
      expect(log).toEqual(['close fallback: failed']);
    });
  });

  test('a cancelled request tells what is there, and what comes later, that it was cancelled', async () => {
    const log: Log = [];
    const { made, started, release } = slow(log, 'late');
    const tool = defineTool('use', { resolve: { db: opening(log, 'db'), made } }, () => 'done');
    const chat = await connectClient(era, serving([tool]));
    const request = new AbortController();
    const call = chat.client.callTool({ name: 'use' }, { signal: request.signal });
    const ended = call.catch(() => 'cancelled');

    await started;
    request.abort();
    expect(await ended).toBe('cancelled');
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

  test('a body that gives up because the request was cancelled is told so', async () => {
    const log: Log = [];
    const started = deferred();
    const tool = defineTool(
      'use',
      { resolve: { db: opening(log, 'db') } },
      async (_, { signal }): Promise<string> => {
        started.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('given up'));
          });
        });
      },
    );
    const chat = await connectClient(era, serving([tool]));
    const request = new AbortController();
    const call = chat.client.callTool({ name: 'use' }, { signal: request.signal });
    const ended = call.catch(() => 'cancelled');

    await started.promise;
    request.abort();
    await ended;
    await eventually(() => {
      expect(log).toEqual(['open db', 'close db: cancelled']);
    });
  });

  test('a body that finishes although the request was cancelled has completed: its work is done', async () => {
    const log: Log = [];
    const [started, release, aborted] = [deferred(), deferred(), deferred()];
    const tool = defineTool(
      'use',
      { resolve: { db: opening(log, 'db') } },
      async (_, { signal }) => {
        signal.addEventListener('abort', () => {
          aborted.resolve();
        });
        started.resolve();
        await release.promise;
        return 'done';
      },
    );
    const chat = await connectClient(era, serving([tool]));
    const request = new AbortController();
    const call = chat.client.callTool({ name: 'use' }, { signal: request.signal });
    const ended = call.catch(() => 'cancelled');

    await started.promise;
    request.abort();
    await ended;
    await aborted.promise;
    release.resolve();
    await eventually(() => {
      expect(log).toEqual(['open db', 'close db: completed']);
    });
  });
});

test('on the legacy era, a request that is cancelled while its question is out was cancelled', async () => {
  const log: Log = [];
  const approved = resolver({}, () => confirm('Go ahead?'));
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

test.each(eras)('a cleanup that fails after the answer went out is reported (%s)', async (era) => {
  const [log, reported]: [Log, string[]] = [[], []];
  const [started, release] = [deferred(), deferred()];
  const late = resolver(
    {},
    async () => {
      started.resolve();
      await release.promise;
      return 'late';
    },
    {
      dispose: (name, end) => {
        closing(log)(name, end);
        throw new Error('late would not close');
      },
    },
  );
  const broken = resolver({}, async () => {
    await started.promise;
    throw new ToolError('no such order');
  });
  const tool = defineTool('use', { resolve: { broken, late } }, () => 'done');
  const chat = await connectClient(era, reporting([tool], reported));

  await chat.errorText('use');
  release.resolve();
  await eventually(() => {
    expect(reported).toEqual(['late would not close']);
  });
  expect(log).toEqual(['close late: failed']);
});

describe.each(eras)('what fails to close where the request was cancelled (%s)', (era) => {
  const cancelled = async (
    body: (signal: AbortSignal, started: () => void) => Promise<string>,
  ): Promise<string[]> => {
    const reported: string[] = [];
    const started = deferred();
    const closed = deferred();
    const db = resolver({}, () => 'db', {
      dispose: (name, end) => {
        closed.resolve();
        throw new Error(`${name} would not close: ${end}`);
      },
    });
    const tool = defineTool('use', { resolve: { db } }, (_, { signal }) =>
      body(signal, () => started.resolve()),
    );
    const chat = await connectClient(era, reporting([tool], reported));
    const request = new AbortController();
    const call = chat.client.callTool({ name: 'use' }, { signal: request.signal });
    const ended = call.catch(() => 'cancelled');
    await started.promise;
    request.abort();
    await ended;
    await closed.promise;
    await allMicrotasks();
    return reported;
  };
  const aborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });

  test('is reported, as is what the body threw', async () => {
    const reported = await cancelled(async (signal, started) => {
      started();
      await aborted(signal);
      throw new Error('given up');
    });
    expect(reported).toEqual(['db would not close: cancelled', 'given up']);
  });

  test('is reported as well where the body had finished', async () => {
    const reported = await cancelled(async (signal, started) => {
      started();
      await aborted(signal);
      return 'done';
    });
    expect(reported).toEqual(['db would not close: completed']);
  });
});

test('a request that was cancelled before its body could run was cancelled', async () => {
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
