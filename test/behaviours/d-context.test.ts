/**
 * The context of a call: what resolvers and bodies are told, and when their work is no longer
 * wanted.
 */
import { argsOf, confirm, defineTool, elicit, resolver } from 'mcp-resolve';
import type { CallContext } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf } from '../support/results.js';
import { httpHandler, serving } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });

describe('a context that was made from another one', () => {
  const looked = defineTool('looked', {}, (_, ctx) => `${ctx.callId} ${ctx.signal.aborted}`);
  const derived: Record<string, (ctx: CallContext) => CallContext> = {
    'with a prototype': (ctx) => Object.create(ctx) as CallContext,
    'by a proxy': (ctx) => new Proxy(ctx, {}),
    'by a spread': (ctx) => ({ ...ctx }),
  };

  test.each(Object.keys(derived))('%s has an id and a signal', async (how) => {
    const outer = defineTool('outer', {}, (_, ctx) => {
      const { callId, signal } = derived[how]!(ctx);
      return `${callId === ctx.callId} ${signal === ctx.signal}`;
    });
    const { content } = await outer.call(undefined);
    expect(content).toEqual([{ type: 'text', text: 'true true' }]);
  });

  test.each(Object.keys(derived))('%s can be called with, under an id of its own', async (how) => {
    const ids: string[] = [];
    const outer = defineTool('outer', {}, (_, ctx) => {
      ids.push(ctx.callId);
      return looked.call(undefined, derived[how]!(ctx));
    });
    const { content } = await outer.call(undefined);
    const [said] = content as { text: string }[];
    expect(said?.text).toMatch(/^[\w-]{22} false$/);
    expect(said?.text).not.toContain(ids[0]);
  });
});

test('many calls at the same time inside one call cause no warning of Node', async () => {
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

describe.each(eras)('%s', (era) => {
  test('A3: the context tells the version, the capabilities and what can be asked', async () => {
    const capabilities = { elicitation: { form: {} }, roots: { listChanged: true } };
    const read = resolver({}, (_, ctx) => ({
      protocolVersion: ctx.protocolVersion,
      clientCapabilities: ctx.clientCapabilities,
      canAsk: (['form', 'url', 'sample', 'roots'] as const).map((kind) => ctx.canAsk(kind)),
    }));
    const tool = defineTool('read', { resolve: { read } }, ({ read }) => JSON.stringify(read));
    const chat = await connectClient(era, serving([tool]), { capabilities });

    expect(JSON.parse(await chat.text('read'))).toEqual({
      protocolVersion: VERSION[era],
      clientCapabilities: capabilities,
      canAsk: [true, false, false, true],
    });
  });

  test.each([
    [{}, [false, false, false, false]],
    [{ elicitation: {} }, [true, false, false, false]],
    [{ elicitation: { form: {} } }, [true, false, false, false]],
    [{ elicitation: { url: {} } }, [false, true, false, false]],
    [{ elicitation: { form: {}, url: {} } }, [true, true, false, false]],
    [{ sampling: {} }, [false, false, true, false]],
    [{ roots: {} }, [false, false, false, true]],
  ])('H3, H4: a client that declares %j can be asked %j', async (capabilities, expected) => {
    const tool = defineTool('ask', {}, (_, ctx) =>
      JSON.stringify((['form', 'url', 'sample', 'roots'] as const).map((kind) => ctx.canAsk(kind))),
    );
    const chat = await connectClient(era, serving([tool]), { capabilities });

    expect(JSON.parse(await chat.text('ask'))).toEqual(expected);
  });

  test('A8: a resolver may look before it asks', async () => {
    const approval = resolver({}, (_, ctx) =>
      ctx.canAsk('form') ? elicit('Go?', Ok) : { ok: false },
    );
    const tool = defineTool('go', { resolve: { approval } }, ({ approval }) => `${approval.ok}`);

    expect(await (await connectClient(era, serving([tool]))).text('go')).toBe('false');
    const able = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });
    expect(await able.text('go')).toBe('true');
  });

  test('A3: resolvers and the body of a round see one and the same context', async () => {
    const seen: CallContext[] = [];
    const one = resolver({}, (_, ctx) => seen.push(ctx));
    const two = resolver({ one }, (_, ctx) => seen.push(ctx));
    const tool = defineTool('go', { guards: [one], resolve: { two } }, (_, ctx) => {
      seen.push(ctx);
      return 'went';
    });
    const chat = await connectClient(era, serving([tool]));
    await chat.text('go');

    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
  });

  test('A3: a call has an id of 128 random bits, which no other call has', async () => {
    const tool = defineTool(
      'id',
      { resolve: { id: resolver({}, (_, ctx) => ctx.callId) } },
      ({ id }, ctx) => {
        expect(id).toBe(ctx.callId);
        return id;
      },
    );
    const chat = await connectClient(era, serving([tool]));
    const ids = await Promise.all(Array.from({ length: 20 }, () => chat.text('id')));

    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^([0-9a-f]{32}|[\w-]{22})$/);
  });

  test('D17: answers and state read as absent, in every round: the library owns them', async () => {
    const seen: unknown[] = [];
    const look = (ctx: CallContext) => {
      seen.push(ctx.mcpReq.inputResponses, ctx.mcpReq.requestState());
      expect('droppedInputResponseKeys' in ctx.mcpReq).toBe(false);
    };
    const ask = resolver({}, (_, ctx) => {
      look(ctx);
      return elicit('Go?', Ok);
    });
    const tool = defineTool('go', { resolve: { ask } }, (_, ctx) => {
      look(ctx);
      return 'went';
    });
    const chat = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });

    expect(await chat.text('go')).toBe('went');
    expect(new Set(seen)).toEqual(new Set([undefined]));
    expect(seen).toHaveLength(era === 'modern' ? 6 : 4);
  });

  test('A3: the signal of a call that goes well is not aborted while it runs', async () => {
    const aborted: boolean[] = [];
    const ask = resolver({}, async (_, ctx) => {
      await Promise.resolve();
      aborted.push(ctx.signal.aborted);
      return elicit('Go?', Ok);
    });
    const tool = defineTool('go', { resolve: { ask } }, async (_, ctx) => {
      await Promise.resolve();
      aborted.push(ctx.signal.aborted);
      return 'went';
    });
    const chat = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });
    await chat.text('go');

    expect(new Set(aborted)).toEqual(new Set([false]));
  });

  test('D2: cancelling a call aborts the signal of a running resolver, and the body never runs', async () => {
    const started = deferred();
    const aborted = deferred();
    let bodies = 0;
    const endless = resolver({}, async (_, ctx) => {
      started.resolve();
      await new Promise<void>((resolve) => {
        ctx.signal.addEventListener('abort', () => {
          resolve();
        });
      });
      aborted.resolve();
    });
    const tool = defineTool('wait', { resolve: { endless } }, () => `${++bodies}`);
    const chat = await connectClient(era, serving([tool]));
    const user = new AbortController();
    const call = chat.client.callTool({ name: 'wait' }, { signal: user.signal });
    const ended = expect(call).rejects.toThrow();

    await started.promise;
    user.abort();
    await aborted.promise;
    await ended;
    await chat.client.listTools();
    expect(bodies).toBe(0);
  });

  test('D2: cancelling a call does not wait for resolvers that do not listen', async () => {
    const started = deferred();
    const release = deferred();
    const later: string[] = [];
    const deaf = resolver({}, async () => {
      started.resolve();
      await release.promise;
      return 'late';
    });
    const next = resolver({ deaf }, ({ deaf }) => later.push(deaf));
    const tool = defineTool('wait', { resolve: { next } }, () => {
      later.push('body');
      return 'ran';
    });
    const chat = await connectClient(era, serving([tool]));
    const user = new AbortController();
    const call = chat.client.callTool({ name: 'wait' }, { signal: user.signal });
    const ended = expect(call).rejects.toThrow();

    await started.promise;
    user.abort();
    await ended;
    await chat.client.listTools();
    release.resolve();
    await chat.client.listTools();
    expect(later).toEqual([]);
  });

  test('D2: cancelling a call aborts the signal of a running body', async () => {
    const started = deferred();
    const aborted = deferred();
    const tool = defineTool('wait', {}, async (_, ctx) => {
      ctx.signal.addEventListener('abort', () => {
        aborted.resolve();
      });
      started.resolve();
      await aborted.promise;
      return 'too late';
    });
    const chat = await connectClient(era, serving([tool]));
    const user = new AbortController();
    const call = chat.client.callTool({ name: 'wait' }, { signal: user.signal });
    const ended = expect(call).rejects.toThrow();

    await started.promise;
    user.abort();
    await aborted.promise;
    await ended;
  });
});

test('D2: on legacy, cancelling a call withdraws the question that is out', async () => {
  const shown = deferred();
  const withdrawn = deferred<unknown>();
  let bodies = 0;
  let signal: AbortSignal | undefined;
  const ask = resolver({}, (_, ctx) => {
    ({ signal } = ctx);
    return confirm('Go?');
  });
  const tool = defineTool('go', { resolve: { ask } }, () => `${++bodies}`);
  const chat = await connectClient('legacy', serving([tool]), {
    capabilities: { elicitation: {} },
    elicit: [],
  });
  chat.client.setRequestHandler('elicitation/create', async (_, ctx) => {
    shown.resolve();
    return new Promise((resolve) => {
      ctx.mcpReq.signal.addEventListener('abort', () => {
        withdrawn.resolve(undefined);
        resolve({ action: 'cancel' });
      });
    });
  });
  const user = new AbortController();
  const call = chat.client.callTool({ name: 'go' }, { signal: user.signal });
  const ended = expect(call).rejects.toThrow();

  await shown.promise;
  user.abort();
  await ended;
  await withdrawn.promise;
  await chat.client.ping();
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

test('H13: on modern capabilities are those of the request, so they may differ from one to the next', async () => {
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

test('D2: a question that the call can no longer use is not asked: the failure aborts the others', async () => {
  const reasons: unknown[] = [];
  const fails = resolver({}, async () => {
    throw new Error('broken');
  });
  const listens = resolver({}, (_, ctx) => {
    ctx.signal.addEventListener('abort', () => reasons.push('aborted'));
    return new Promise<never>(() => undefined);
  });
  const tool = defineTool('go', { resolve: { fails, listens } }, () => 'went');
  for (const era of eras) {
    const chat = await connectClient(era, serving([tool]));
    expect(await chat.errorText('go')).toBe('Error executing tool go: broken');
  }
  expect(reasons).toEqual(['aborted', 'aborted']);
});

test('A3: on modern each round has its own signal and sees its own request', async () => {
  const ids: unknown[] = [];
  const ask = resolver({}, (_, ctx) => {
    ids.push(ctx.mcpReq.id);
    return elicit('Go?', Ok);
  });
  const tool = defineTool('go', { resolve: { ask } }, () => 'went');
  const chat = await connectClient('modern', serving([tool]), { elicit: [] });
  const { requestState } = questionsOf(await chat.sendRound('go'));
  await chat.sendRound('go', {}, { requestState, inputResponses: { ask: accept({ ok: true }) } });

  expect(ids).toHaveLength(2);
  expect(ids[0]).not.toBe(ids[1]);
});
