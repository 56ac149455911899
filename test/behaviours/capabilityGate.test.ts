/** H. Capability gating: the server asks a client only what the client declared it can answer. */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, listRoots, resolver, sample } from 'mcp-resolve';
import { accept, roots as rootsAnswer, run, says } from 'mcp-resolve/testing';
import type { AskedQuestion, Answer } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient, connectStateless } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { httpHandler, serving, SILENT } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }];
const add = { name: 'add', inputSchema: { type: 'object' as const, properties: {} } };

const form = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
const completion = resolver({}, () => sample({ messages, maxTokens: 5 }), { asks: 'sample' });
const withTools = resolver({}, () => sample({ messages, maxTokens: 5, tools: [add] }), {
  asks: 'sample',
});
const withChoice = resolver(
  {},
  () => sample({ messages, maxTokens: 5, toolChoice: { mode: 'none' } }),
  { asks: 'sample' },
);
const roots = resolver({}, () => listRoots(), { asks: 'roots' });

const FORM = { requiredCapabilities: { elicitation: { form: {} } } };
const missing = (name: string, key: string) =>
  `Client did not declare the ${name} capability required by resolver '${key}'`;

/** Answers a question of any kind. */
const answer = ({ kind }: AskedQuestion): Answer => {
  if (kind === 'sample') return says('Hey');
  return kind === 'roots' ? rootsAnswer([]) : accept({ ok: true });
};

describe.each(eras)('on the %s era', (era) => {
  test.each<[string, object, ClientCapabilities, string, object]>([
    ['H2: refuses a form', { form }, {}, missing('form elicitation', 'form'), FORM],
    [
      'H2: refuses a confirmation',
      { form: resolver({}, () => confirm('Go?'), { asks: 'form' }) },
      {},
      missing('form elicitation', 'form'),
      FORM,
    ],
    [
      'H4: refuses a form for a client that only opens links',
      { form },
      { elicitation: { url: {} } },
      missing('form elicitation', 'form'),
      FORM,
    ],
    [
      'H5: refuses a sample',
      { completion },
      { elicitation: {}, roots: {} },
      missing('sampling', 'completion'),
      { requiredCapabilities: { sampling: {} } },
    ],
    [
      'H6: refuses a sample with tools',
      { withTools },
      { sampling: {} },
      missing('sampling.tools', 'withTools'),
      { requiredCapabilities: { sampling: { tools: {} } } },
    ],
    [
      'H6: refuses a sample with only a tool choice',
      { withChoice },
      { sampling: {} },
      missing('sampling.tools', 'withChoice'),
      { requiredCapabilities: { sampling: { tools: {} } } },
    ],
    [
      'H7: refuses roots',
      { roots },
      { elicitation: {}, sampling: {} },
      missing('roots', 'roots'),
      { requiredCapabilities: { roots: {} } },
    ],
  ])(
    'H1, H8, %s with -32021, and sends nothing',
    async (_, resolve, capabilities, message, data) => {
      let bodies = 0;
      const tool = defineTool(
        'ask',
        { resolve: resolve as { form: typeof form } },
        () => `${++bodies}`,
      );
      const client = await connectClient(era, serving([tool]), { capabilities });

      expect(await protocolErrorOf(client.call('ask'))).toEqual({ code: -32021, message, data });
      expect(client.asked).toEqual([]);
      expect(bodies).toBe(0);
    },
  );

  test.each<[string, object, ClientCapabilities]>([
    [
      'H3: asks with a form if elicitation is declared without modes',
      { form },
      { elicitation: {} },
    ],
    ['H3: asks with a form if forms are declared', { form }, { elicitation: { form: {} } }],
    [
      'H3: asks with a form if forms and links are declared',
      { form },
      { elicitation: { form: {}, url: {} } },
    ],
    ['H5: asks the model if sampling is declared', { completion }, { sampling: {} }],
    [
      'H6: asks the model with tools if sampling.tools is declared',
      { withTools, withChoice },
      { sampling: { tools: {} } },
    ],
    ['H7: asks for roots if roots are declared', { roots }, { roots: {} }],
  ])('%s', async (_, resolve, capabilities) => {
    const tool = defineTool('ask', { resolve: resolve as { form: typeof form } }, () => 'answered');
    const { text, questions } = await run(tool, {}, { era, capabilities, answers: answer });

    expect(text).toBe('answered');
    expect(questions).toHaveLength(Object.keys(resolve).length);
  });

  test('H8: names the wire key of the question in the error, not the parameter', async () => {
    const named = resolver({}, () => elicit('Go?', Ok), { asks: 'form', name: 'approval' });
    const tool = defineTool('ask', { resolve: { answer: named } }, () => 'ran');
    const { error } = await run(tool, {}, { era, capabilities: {} });

    expect(error?.message).toBe(missing('form elicitation', 'approval'));
  });

  test('H9: needs no capability for a call that computes its values', async () => {
    const Stock = z.object({ copies: z.number() });
    const backorder = resolver(
      { copies: argsOf(Stock).copies },
      ({ copies }) => (copies > 0 ? { ok: false } : elicit('Back-order?', Ok)),
      { asks: 'form' },
    );
    const order = defineTool(
      'order_book',
      { inputSchema: Stock, resolve: { backorder } },
      ({ backorder }) => (backorder.ok ? 'back-ordered' : 'ordered'),
    );
    const inStock = await run(order, { copies: 3 }, { era, capabilities: {} });
    const soldOut = await run(order, { copies: 0 }, { era, capabilities: {} });

    expect(inStock.text).toBe('ordered');
    expect(soldOut.error?.code).toBe(-32021);
  });

  test('H10: reports the first question in walk order if it can ask none of them', async () => {
    const inner = resolver({ roots }, ({ roots }) => roots.roots.length);
    const tool = defineTool('ask', { resolve: { inner, form, completion } }, () => 'ran');

    expect((await run(tool, {}, { era, capabilities: {} })).error).toEqual({
      code: -32021,
      message: missing('roots', 'roots'),
      data: { requiredCapabilities: { roots: {} } },
    });
  });

  test('H10: checks all open questions before it asks any', async () => {
    const tool = defineTool('ask', { resolve: { form, completion } }, () => 'ran');
    const client = await connectClient(era, serving([tool]), { elicit: [accept({ ok: true })] });

    expect((await protocolErrorOf(client.call('ask'))).data).toEqual({
      requiredCapabilities: { sampling: {} },
    });
    expect(client.asked).toEqual([]);
  });

  test('H9: checks a question only when it opens', async () => {
    const dependent = resolver(
      { form },
      ({ form }) => (form.ok ? sample({ messages, maxTokens: 5 }) : says('Hey')),
      { asks: 'sample' },
    );
    const tool = defineTool('ask', { resolve: { dependent } }, () => 'ran');
    const answering = (ok: boolean) =>
      run(tool, {}, { era, capabilities: { elicitation: {} }, answers: { form: accept({ ok }) } });

    expect((await answering(false)).text).toBe('ran');
    const { error, questions } = await answering(true);
    expect(error?.data).toEqual({ requiredCapabilities: { sampling: {} } });
    expect(questions.map(({ message }) => message)).toEqual(['Go?']);
  });

  test('H11: keeps the connection usable after a refusal', async () => {
    const ask = defineTool('ask', { resolve: { form } }, () => 'ran');
    const plain = defineTool('plain', {}, () => 'ok');
    const client = await connectClient(era, serving([ask, plain]));

    expect((await protocolErrorOf(client.call('ask'))).code).toBe(-32021);
    expect(await client.text('plain')).toBe('ok');
    expect((await protocolErrorOf(client.call('ask'))).code).toBe(-32021);
  });
});

test('H9: needs no capability in the round that brings the answer', async () => {
  const tool = defineTool('ask', { resolve: { form } }, ({ form }) => `${form.ok}`);
  const handler = httpHandler(serving([tool]));
  const params = { name: 'ask', arguments: {} };
  const first = await post(handler, 'tools/call', params, { capabilities: { elicitation: {} } });
  const { requestState } = first.body.result!;
  const inputResponses = { form: accept({ ok: true }) };
  const last = await post(handler, 'tools/call', { ...params, requestState, inputResponses });

  expect(last.body.result?.content).toEqual([{ type: 'text', text: 'true' }]);
});

test('H11: refuses a legacy session that declared nothing with the same error', async () => {
  const tool = defineTool('ask', { resolve: { form } }, () => 'ran');
  const client = await rawLegacy(serving([tool]));

  expect((await client.request('tools/call', { name: 'ask' })).error).toEqual({
    code: -32021,
    message: missing('form elicitation', 'form'),
    data: FORM,
  });
});

test('H11: refuses a client that skips `initialize` with the same error, without a warning', async () => {
  const lines: string[] = [];
  const logger = { warn: (line: string) => void lines.push(line) };
  const tool = defineTool('ask', { resolve: { form } }, () => 'ran');
  const client = await rawLegacy(serving([tool], { logger }), { skipsInitialize: true });

  expect((await client.request('tools/call', { name: 'ask' })).error).toEqual({
    code: -32021,
    message: missing('form elicitation', 'form'),
    data: FORM,
  });
  expect(lines).toEqual([]);
});

test('H13: refuses an HTTP request with status 400', async () => {
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

test('H13: checks the capabilities of each modern request', async () => {
  const tool = defineTool('ask', { resolve: { form, roots } }, () => 'ran');
  const handler = httpHandler(serving([tool]));
  const params = { name: 'ask', arguments: {} };
  const missingFor = async (capabilities: ClientCapabilities) =>
    (await post(handler, 'tools/call', params, { capabilities })).body.error?.data;

  expect(await missingFor({ elicitation: {} })).toEqual({ requiredCapabilities: { roots: {} } });
  expect(await missingFor({ roots: {} })).toEqual(FORM);
  expect(await missingFor({ elicitation: {}, roots: {} })).toBeUndefined();
  expect(await missingFor({})).toEqual(FORM);
});

test('H13: checks the capabilities of a legacy session and ignores those of a request', async () => {
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
    answer: () => ({ result: accept({ ok: true }) }),
  });
  const envelope = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': {} };
  const pushed = await able.request('tools/call', { name: 'ask', _meta: envelope });
  expect(pushed.result).toMatchObject({ content: [{ type: 'text', text: 'true' }] });
  expect(able.received.map(({ method }) => method)).toEqual(['elicitation/create']);
});

describe('a legacy client without a session', () => {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };

  test.each([
    ['elicitation/create', { form }],
    ['sampling/createMessage', { completion }],
    ['roots/list', { roots }],
  ])('H12: gets a protocol error if the tool asks with %s', async (method, resolve) => {
    const tool = defineTool('ask', { resolve: resolve as { form: typeof form } }, () => 'ran');
    const handler = httpHandler(serving([tool], { logger: SILENT }));
    const client = await connectStateless(handler, capabilities);

    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(await protocolErrorOf(client.callTool({ name: 'ask' }))).toEqual({
      code: -32600,
      message: `Cannot send '${method}': this transport context has no back-channel for server-initiated requests.`,
    });
  });

  test('H12: can call a tool that does not ask, and a modern client can be asked beside it', async () => {
    const ask = defineTool('ask', { resolve: { form } }, ({ form }) => `asked ${form.ok}`);
    const price = resolver({}, (_, ctx) => `42 ${JSON.stringify(ctx.clientCapabilities)}`);
    const plain = defineTool('plain', { resolve: { price } }, ({ price }) => price);
    const handler = httpHandler(serving([ask, plain]));
    const client = await connectStateless(handler, capabilities);

    expect((await client.callTool({ name: 'plain' })).content).toEqual([
      { type: 'text', text: '42 undefined' },
    ]);
    const modern = await post(
      handler,
      'tools/call',
      { name: 'ask', arguments: {} },
      { capabilities: { elicitation: {} } },
    );
    expect(modern.body.result?.resultType).toBe('input_required');
  });
});
