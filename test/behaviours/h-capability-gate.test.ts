/** H. Capability gating: a client is asked only what it declared that it can answer. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, listRoots, resolver, sample } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { closeAfterTest, httpHandler, serving } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }];
const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hey' } } as const;
const add = { name: 'add', inputSchema: { type: 'object' as const, properties: {} } };

const form = resolver({}, () => elicit('Go?', Ok));
const completion = resolver({}, () => sample({ messages, maxTokens: 5 }));
const withTools = resolver({}, () => sample({ messages, maxTokens: 5, tools: [add] }));
const withChoice = resolver({}, () =>
  sample({ messages, maxTokens: 5, toolChoice: { mode: 'none' } }),
);
const roots = resolver({}, () => listRoots());

const FORM = { requiredCapabilities: { elicitation: { form: {} } } };
const missing = (name: string, key: string) =>
  `Client did not declare the ${name} capability required by resolver '${key}'`;

describe.each(eras)('%s', (era) => {
  test.each<[string, object, ClientCapabilities, string, object]>([
    ['H2: a form', { form }, {}, missing('form elicitation', 'form'), FORM],
    [
      'H2: a confirmation',
      { form: resolver({}, () => confirm('Go?')) },
      {},
      missing('form elicitation', 'form'),
      FORM,
    ],
    [
      'H4: a form, of a client that only opens links',
      { form },
      { elicitation: { url: {} } },
      missing('form elicitation', 'form'),
      FORM,
    ],
    [
      'H5: a completion',
      { completion },
      { elicitation: {}, roots: {} },
      missing('sampling', 'completion'),
      { requiredCapabilities: { sampling: {} } },
    ],
    [
      'H6: a completion with tools',
      { withTools },
      { sampling: {} },
      missing('sampling.tools', 'withTools'),
      { requiredCapabilities: { sampling: { tools: {} } } },
    ],
    [
      'H6: a completion with a tool choice alone',
      { withChoice },
      { sampling: {} },
      missing('sampling.tools', 'withChoice'),
      { requiredCapabilities: { sampling: { tools: {} } } },
    ],
    [
      'H7: roots',
      { roots },
      { elicitation: {}, sampling: {} },
      missing('roots', 'roots'),
      { requiredCapabilities: { roots: {} } },
    ],
  ])(
    'H1, H8, %s is refused with -32021, and nothing is sent',
    async (_, resolve, capabilities, message, data) => {
      let bodies = 0;
      const tool = defineTool(
        'ask',
        { resolve: resolve as { form: typeof form } },
        () => `${++bodies}`,
      );
      const chat = await connectClient(era, serving([tool]), { capabilities });

      expect(await protocolErrorOf(chat.call('ask'))).toEqual({ code: -32021, message, data });
      expect(chat.asked).toEqual([]);
      expect(bodies).toBe(0);
    },
  );

  test.each<[string, object, ClientCapabilities]>([
    ['H3: a bare elicitation counts as forms', { form }, { elicitation: {} }],
    ['H3: declared forms', { form }, { elicitation: { form: {} } }],
    ['H3: forms beside links', { form }, { elicitation: { form: {}, url: {} } }],
    ['H5: sampling', { completion }, { sampling: {} }],
    ['H6: sampling with tools', { withTools, withChoice }, { sampling: { tools: {} } }],
    ['H7: roots', { roots }, { roots: {} }],
  ])('%s: the question is delivered', async (_, resolve, capabilities) => {
    const tool = defineTool('ask', { resolve: resolve as { form: typeof form } }, () => 'answered');
    const chat = await connectClient(era, serving([tool]), {
      capabilities,
      elicit: () => accept({ ok: true }),
      sample: () => sampled,
      roots: () => ({ roots: [] }),
    });

    expect(await chat.text('ask')).toBe('answered');
    expect(chat.asked).toHaveLength(Object.keys(resolve).length);
  });

  test('H8: the message has the wire key, not the parameter', async () => {
    const named = resolver({}, () => elicit('Go?', Ok), { name: 'approval' });
    const tool = defineTool('ask', { resolve: { answer: named } }, () => 'ran');
    const chat = await connectClient(era, serving([tool]));

    expect((await protocolErrorOf(chat.call('ask'))).message).toBe(
      missing('form elicitation', 'approval'),
    );
  });

  test('H9: a client without capabilities can call what computes', async () => {
    const Stock = z.object({ copies: z.number() });
    const backorder = resolver({ copies: argsOf(Stock).copies }, ({ copies }) =>
      copies > 0 ? { ok: false } : elicit('Back-order?', Ok),
    );
    const order = defineTool(
      'order_book',
      { inputSchema: Stock, resolve: { backorder } },
      ({ backorder }) => (backorder.ok ? 'back-ordered' : 'ordered'),
    );
    const chat = await connectClient(era, serving([order]));

    expect(await chat.text('order_book', { copies: 3 })).toBe('ordered');
    expect((await protocolErrorOf(chat.call('order_book', { copies: 0 }))).code).toBe(-32021);
  });

  test('H10: of several the first in walk order is reported', async () => {
    const inner = resolver({ roots }, ({ roots }) => roots.roots.length);
    const tool = defineTool('ask', { resolve: { inner, form, completion } }, () => 'ran');
    const chat = await connectClient(era, serving([tool]));

    expect(await protocolErrorOf(chat.call('ask'))).toEqual({
      code: -32021,
      message: missing('roots', 'roots'),
      data: { requiredCapabilities: { roots: {} } },
    });
  });

  test('H10: all open questions are checked before any is asked', async () => {
    const tool = defineTool('ask', { resolve: { form, completion } }, () => 'ran');
    const chat = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });

    expect((await protocolErrorOf(chat.call('ask'))).data).toEqual({
      requiredCapabilities: { sampling: {} },
    });
    expect(chat.asked).toEqual([]);
  });

  test('H9: a question that is not open yet is not checked yet', async () => {
    const dependent = resolver({ form }, ({ form }) =>
      form.ok ? sample({ messages, maxTokens: 5 }) : sampled,
    );
    const tool = defineTool('ask', { resolve: { dependent } }, () => 'ran');
    const chat = await connectClient(era, serving([tool]), {
      elicit: [accept({ ok: false }), accept({ ok: true })],
    });

    expect(await chat.text('ask')).toBe('ran');
    expect((await protocolErrorOf(chat.call('ask'))).data).toEqual({
      requiredCapabilities: { sampling: {} },
    });
    expect(chat.asked).toEqual(['Go?', 'Go?']);
  });

  test('H11: the connection stays usable after a refusal', async () => {
    const ask = defineTool('ask', { resolve: { form } }, () => 'ran');
    const plain = defineTool('plain', {}, () => 'ok');
    const chat = await connectClient(era, serving([ask, plain]));

    expect((await protocolErrorOf(chat.call('ask'))).code).toBe(-32021);
    expect(await chat.text('plain')).toBe('ok');
    expect((await protocolErrorOf(chat.call('ask'))).code).toBe(-32021);
  });
});

test('H9: a round that brings the answer needs no capability', async () => {
  const tool = defineTool('ask', { resolve: { form } }, ({ form }) => `${form.ok}`);
  const handler = httpHandler(serving([tool]));
  const params = { name: 'ask', arguments: {} };
  const first = await post(handler, 'tools/call', params, { capabilities: { elicitation: {} } });
  const { requestState } = first.body.result!;
  const inputResponses = { form: accept({ ok: true }) };
  const last = await post(handler, 'tools/call', { ...params, requestState, inputResponses });

  expect(last.body.result?.content).toEqual([{ type: 'text', text: 'true' }]);
});

test('H11: a legacy session that declared nothing is refused like any other', async () => {
  const tool = defineTool('ask', { resolve: { form } }, () => 'ran');
  const client = await rawLegacy(serving([tool]));

  expect((await client.request('tools/call', { name: 'ask' })).error).toEqual({
    code: -32021,
    message: missing('form elicitation', 'form'),
    data: FORM,
  });
});

test('H13: on HTTP the refusal has status 400', async () => {
  const tool = defineTool('ask', { resolve: { form } }, () => 'ran');
  const handler = httpHandler(serving([tool]));
  const { status, body } = await post(handler, 'tools/call', { name: 'ask', arguments: {} });

  expect(status).toBe(400);
  expect(body.error).toEqual({
    code: -32021,
    message: missing('form elicitation', 'form'),
    data: FORM,
  });
});

test('H13: on modern each request declares for itself', async () => {
  const tool = defineTool('ask', { resolve: { form, roots } }, () => 'ran');
  const handler = httpHandler(serving([tool]));
  const params = { name: 'ask', arguments: {} };
  const code = async (capabilities: ClientCapabilities) =>
    (await post(handler, 'tools/call', params, { capabilities })).body.error?.data;

  expect(await code({ elicitation: {} })).toEqual({ requiredCapabilities: { roots: {} } });
  expect(await code({ roots: {} })).toEqual(FORM);
  expect(await code({ elicitation: {}, roots: {} })).toBeUndefined();
  expect(await code({})).toEqual(FORM);
});

test('H13: on legacy what a request claims about itself does not count, only initialize does', async () => {
  const tool = defineTool('ask', { resolve: { form } }, ({ form }) => `${form.ok}`);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const bare = await rawLegacy(serving([tool]));
  const refused = await bare.request('tools/call', { name: 'ask', _meta });
  expect(refused.error?.code).toBe(-32021);

  const able = await rawLegacy(serving([tool]), {
    capabilities: { elicitation: {} },
    answer: () => ({ result: { action: 'accept', content: { ok: true } } }),
  });
  const envelope = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': {} };
  const pushed = await able.request('tools/call', { name: 'ask', _meta: envelope });
  expect(pushed.result).toMatchObject({ content: [{ type: 'text', text: 'true' }] });
  expect(able.received.map(({ method }) => method)).toEqual(['elicitation/create']);
});

describe('a legacy client that is served without a session', () => {
  /** The default of the SDK's HTTP handler: a server per request, which knows nothing of the client. */
  const stateless = async (factory: ReturnType<typeof serving>) => {
    const handler = httpHandler(factory);
    const client = new Client(
      { name: 'stateless', version: '1.0.0' },
      {
        capabilities: { elicitation: {}, sampling: {}, roots: {} },
        versionNegotiation: { mode: 'legacy' },
      },
    );
    closeAfterTest(() => client.close());
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://server.test/mcp'), {
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      }),
    );
    return { client, handler };
  };

  test.each([
    ['elicitation/create', { form }],
    ['sampling/createMessage', { completion }],
    ['roots/list', { roots }],
  ])('H12: %s cannot be sent, which is a protocol error', async (method, resolve) => {
    const tool = defineTool('ask', { resolve: resolve as { form: typeof form } }, () => 'ran');
    const { client } = await stateless(serving([tool]));

    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(await protocolErrorOf(client.callTool({ name: 'ask' }))).toEqual({
      code: -32600,
      message: `Cannot send '${method}': this transport context has no back-channel for server-initiated requests.`,
    });
  });

  test('H12: what does not ask works, and so does a modern client of the same handler', async () => {
    const ask = defineTool('ask', { resolve: { form } }, ({ form }) => `asked ${form.ok}`);
    const price = resolver({}, (_, ctx) => `42 ${JSON.stringify(ctx.clientCapabilities)}`);
    const plain = defineTool('plain', { resolve: { price } }, ({ price }) => price);
    const factory = serving([ask, plain]);
    const { client, handler } = await stateless(factory);

    expect((await client.callTool({ name: 'plain' })).content).toEqual([
      { type: 'text', text: '42 undefined' },
    ]);
    const first = await post(
      handler,
      'tools/call',
      { name: 'ask', arguments: {} },
      { capabilities: { elicitation: {} } },
    );
    expect(first.body.result?.resultType).toBe('input_required');
  });
});
