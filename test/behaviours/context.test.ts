/**
 * The context of a call: the facts that resolvers and bodies read from it, and the signal that
 * aborts when the call is cancelled or fails.
 */
import type { Client } from '@modelcontextprotocol/client';
import { argsOf, confirm, defineTool, elicit, resolver } from 'mcp-resolve';
import type { CallContext, Tool } from 'mcp-resolve';
import { accept, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { textOf } from '../support/results.js';
import { httpHandler, serving } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });

const KINDS = ['form', 'url', 'sample', 'roots'] as const;

/** Calls a tool, with a function that cancels the call. `ended` settles when the call fails. */
function startCancellable(client: Client, name: string) {
  const user = new AbortController();
  const call = client.callTool({ name }, { signal: user.signal });
  return { cancel: () => user.abort(), ended: expect(call).rejects.toThrow() };
}

describe.each<[string, (ctx: CallContext) => CallContext]>([
  ['through a prototype', (ctx) => Object.create(ctx) as CallContext],
  ['with a proxy', (ctx) => new Proxy(ctx, {})],
  ['with a spread', (ctx) => ({ ...ctx })],
])('a context derived %s', (_, derive) => {
  const identify = defineTool('identify', {}, (_, ctx) => `${ctx.callId} ${ctx.signal.aborted}`);

  test('keeps the id and the signal', async () => {
    const outer = defineTool('outer', {}, (_, ctx) => {
      const { callId, signal } = derive(ctx);
      return `${callId === ctx.callId} ${signal === ctx.signal}`;
    });
    expect(textOf(await outer.call(undefined))).toBe('true true');
  });

  test('can be passed to a call, which has its own id', async () => {
    const ids: string[] = [];
    const outer = defineTool('outer', {}, (_, ctx) => {
      ids.push(ctx.callId);
      return identify.call(undefined, derive(ctx));
    });
    const text = textOf(await outer.call(undefined));
    expect(text).toMatch(/^[\w-]{22} false$/);
    expect(text).not.toContain(ids[0]);
  });
});

test('fifty concurrent calls inside one call cause no warning in Node', async () => {
  const warnings: string[] = [];
  const note = (warning: Error): void => {
    warnings.push(warning.message);
  };
  process.on('warning', note);
  const later = resolver({}, () => Promise.resolve(1));
  const inner = defineTool('inner', { resolve: { later } }, () => 'done');
  const outer = defineTool('outer', {}, async (_, ctx) => {
    await Promise.all(Array.from({ length: 50 }, () => inner.call(undefined, ctx)));
    return 'done';
  });
  await outer.call(undefined);
  await new Promise(setImmediate);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

describe.each(eras)('on the %s era', (era) => {
  test('A3: the context has the version, the capabilities and the kinds the client can answer', async () => {
    const capabilities = { elicitation: { form: {} }, roots: { listChanged: true } };
    const read = resolver({}, (_, ctx) => ({
      protocolVersion: ctx.protocolVersion,
      clientCapabilities: ctx.clientCapabilities,
      canAsk: KINDS.filter((kind) => ctx.canAsk(kind)),
    }));
    const tool = defineTool('read', { resolve: { read } }, ({ read }) => JSON.stringify(read));
    const { text } = await connectClient(era, serving([tool]), { capabilities });

    expect(JSON.parse(await text('read'))).toEqual({
      protocolVersion: VERSION[era],
      clientCapabilities: capabilities,
      canAsk: ['form', 'roots'],
    });
  });

  test.each([
    [{}, []],
    [{ elicitation: {} }, ['form']],
    [{ elicitation: { form: {} } }, ['form']],
    [{ elicitation: { url: {} } }, ['url']],
    [{ elicitation: { form: {}, url: {} } }, ['form', 'url']],
    [{ sampling: {} }, ['sample']],
    [{ roots: {} }, ['roots']],
  ])('H3, H4: a client that declares %j can answer %j', async (capabilities, expected) => {
    const tool = defineTool('ask', {}, (_, ctx) =>
      JSON.stringify(KINDS.filter((kind) => ctx.canAsk(kind))),
    );
    const { text } = await run(tool, {}, { era, capabilities });

    expect(JSON.parse(text)).toEqual(expected);
  });

  test('A8: a resolver can check the capability before it asks', async () => {
    const approval = resolver(
      {},
      (_, ctx) => (ctx.canAsk('form') ? elicit('Go?', Ok) : { ok: false }),
      { asks: 'form' },
    );
    const tool = defineTool('go', { resolve: { approval } }, ({ approval }) => `${approval.ok}`);

    expect(await run(tool, {}, { era, capabilities: {} })).toMatchObject({ text: 'false' });
    const answers = { approval: accept({ ok: true }) };
    expect(await run(tool, {}, { era, answers })).toMatchObject({ text: 'true' });
  });

  test('A3: the resolvers and the body of a round share one context', async () => {
    const seen: CallContext[] = [];
    const one = resolver({}, (_, ctx) => seen.push(ctx) > 0);
    const two = resolver({ one }, (_, ctx) => seen.push(ctx));
    const tool = defineTool('go', { guards: [one], resolve: { two } }, (_, ctx) => {
      seen.push(ctx);
      return 'went';
    });
    expect(await run(tool, {}, { era })).toMatchObject({ text: 'went' });

    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
  });

  test('A3: each call has its own id of 128 random bits', async () => {
    const tool = defineTool(
      'id',
      { resolve: { id: resolver({}, (_, ctx) => ctx.callId) } },
      ({ id }, ctx) => {
        expect(id).toBe(ctx.callId);
        return id;
      },
    );
    const { text } = await connectClient(era, serving([tool]));
    const ids = await Promise.all(Array.from({ length: 20 }, () => text('id')));

    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^([0-9a-f]{32}|[\w-]{22})$/);
  });

  test('D17: resolvers and bodies see neither answers nor state in the request', async () => {
    const seen: unknown[] = [];
    const look = (ctx: CallContext) => {
      seen.push(ctx.mcpReq.inputResponses, ctx.mcpReq.requestState());
      expect('droppedInputResponseKeys' in ctx.mcpReq).toBe(false);
    };
    const ask = resolver(
      {},
      (_, ctx) => {
        look(ctx);
        return elicit('Go?', Ok);
      },
      { asks: 'form' },
    );
    const tool = defineTool('go', { resolve: { ask } }, (_, ctx) => {
      look(ctx);
      return 'went';
    });
    const answers = { ask: accept({ ok: true }) };

    expect(await run(tool, {}, { era, answers })).toMatchObject({ text: 'went' });
    expect(new Set(seen)).toEqual(new Set([undefined]));
    expect(seen).toHaveLength(era === 'modern' ? 6 : 4);
  });

  test('A3: the signal is not aborted while the call runs', async () => {
    const aborted: boolean[] = [];
    const ask = resolver(
      {},
      async (_, ctx) => {
        await Promise.resolve();
        aborted.push(ctx.signal.aborted);
        return elicit('Go?', Ok);
      },
      { asks: 'form' },
    );
    const tool = defineTool('go', { resolve: { ask } }, async (_, ctx) => {
      await Promise.resolve();
      aborted.push(ctx.signal.aborted);
      return 'went';
    });
    const answers = { ask: accept({ ok: true }) };

    expect(await run(tool, {}, { era, answers })).toMatchObject({ text: 'went' });
    expect(new Set(aborted)).toEqual(new Set([false]));
  });

  type Step = (ctx: CallContext) => Promise<string>;

  test.each<[string, (wait: Step, next: () => string) => Tool]>([
    [
      'resolver, and the body does not run',
      (wait, next) =>
        defineTool('wait', { resolve: { waited: resolver({}, (_, ctx) => wait(ctx)) } }, next),
    ],
    ['body', (wait) => defineTool('wait', {}, (_, ctx) => wait(ctx))],
  ])('D2: cancelling a call aborts the signal of a running %s', async (_, define) => {
    const started = deferred();
    const aborted = deferred();
    let later = 0;
    const tool = define(
      async (ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.resolve());
        started.resolve();
        await aborted.promise;
        return 'too late';
      },
      () => `${++later}`,
    );
    const { client } = await connectClient(era, serving([tool]));
    const { cancel, ended } = startCancellable(client, 'wait');

    await started.promise;
    cancel();
    await aborted.promise;
    await ended;
    await client.listTools();
    expect(later).toBe(0);
  });

  test('D2: cancelling a call does not wait for a resolver that ignores the signal', async () => {
    const started = deferred();
    const release = deferred();
    const later: string[] = [];
    const ignoring = resolver({}, async () => {
      started.resolve();
      await release.promise;
      return 'late';
    });
    const next = resolver({ ignoring }, ({ ignoring }) => later.push(ignoring));
    const tool = defineTool('wait', { resolve: { next } }, () => {
      later.push('body');
      return 'ran';
    });
    const { client } = await connectClient(era, serving([tool]));
    const { cancel, ended } = startCancellable(client, 'wait');

    await started.promise;
    cancel();
    await ended;
    await client.listTools();
    release.resolve();
    await client.listTools();
    expect(later).toEqual([]);
  });
});

test('D2: on legacy, cancelling a call withdraws its open question', async () => {
  const shown = deferred();
  const withdrawn = deferred();
  let bodies = 0;
  let signal: AbortSignal | undefined;
  const ask = resolver(
    {},
    (_, ctx) => {
      ({ signal } = ctx);
      return confirm('Go?');
    },
    { asks: 'form' },
  );
  const tool = defineTool('go', { resolve: { ask } }, () => `${++bodies}`);
  const { client } = await connectClient('legacy', serving([tool]), { elicit: [decline()] });
  // The first question has the id 0, which clients of SDK 2.0 do not withdraw.
  await client.callTool({ name: 'go' });
  client.setRequestHandler('elicitation/create', async (_, ctx) => {
    shown.resolve();
    return new Promise((resolve) => {
      ctx.mcpReq.signal.addEventListener('abort', () => {
        withdrawn.resolve();
        resolve({ action: 'cancel' });
      });
    });
  });
  const { cancel, ended } = startCancellable(client, 'go');

  await shown.promise;
  cancel();
  await ended;
  await withdrawn.promise;
  await client.ping();
  expect(signal?.aborted).toBe(true);
  expect(bodies).toBe(0);
});

test('D2: on legacy a cancelled call gets no response', async () => {
  const started = deferred();
  const endless = resolver({}, () => {
    started.resolve();
    return new Promise<never>(() => undefined);
  });
  const tool = defineTool('wait', { resolve: { endless } }, () => 'ran');
  const client = await rawLegacy(serving([tool]));
  let responded = false;
  void client.request('tools/call', { name: 'wait' }).then(() => {
    responded = true;
  });

  await started.promise;
  await client.send({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 2 },
  });
  await client.request('ping');
  await client.request('ping');
  expect(responded).toBe(false);
});

test('H13: on modern each request declares its own capabilities', async () => {
  const Kind = z.object({ kind: z.enum(['form', 'roots']) });
  const can = resolver({ kind: argsOf(Kind).kind }, ({ kind }, ctx) => ctx.canAsk(kind));
  const tool = defineTool('can', { inputSchema: Kind, resolve: { can } }, ({ can }) => `${can}`);
  const handler = httpHandler(serving([tool]));
  const answer = async (kind: string, capabilities: object) => {
    const params = { name: 'can', arguments: { kind } };
    const { body } = await post(handler, 'tools/call', params, { capabilities });
    return body.result?.content;
  };

  expect(await answer('form', { elicitation: {} })).toEqual([{ type: 'text', text: 'true' }]);
  expect(await answer('form', { roots: {} })).toEqual([{ type: 'text', text: 'false' }]);
  expect(await answer('roots', { roots: {} })).toEqual([{ type: 'text', text: 'true' }]);
  expect(await answer('roots', {})).toEqual([{ type: 'text', text: 'false' }]);
});

test('A3: on modern each round has its own request and its own signal', async () => {
  const ids: unknown[] = [];
  const signals: AbortSignal[] = [];
  const ask = resolver(
    {},
    (_, ctx) => {
      ids.push(ctx.mcpReq.id);
      signals.push(ctx.signal);
      return elicit('Go?', Ok);
    },
    { asks: 'form' },
  );
  const tool = defineTool('go', { resolve: { ask } }, () => 'went');
  await run(tool, {}, { answers: { ask: accept({ ok: true }) } });

  expect(ids).toHaveLength(2);
  expect(ids[0]).not.toBe(ids[1]);
  expect(signals[0]).not.toBe(signals[1]);
});
