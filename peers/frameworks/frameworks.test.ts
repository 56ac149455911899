/**
 * Tests a paint shop in apps of several web frameworks with authentication, and with the schemas of
 * several libraries. Clients of both eras order from it.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type ElicitRequestFormParams,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { install, requestStateSeal, type Tool } from 'mcp-resolve';
import { accept, resumeCall, startCall } from 'mcp-resolve/client';
import { createDualEraHandler } from 'mcp-resolve/node';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { countsOf } from '../support/counts.js';
import { versionOf, writeReport } from '../support/report.js';
import { inExpress, inFastify, inHono, type Mount } from './apps.js';
import { paintWithArktype } from './servers/arktype.js';
import { PriceList } from './servers/prices.js';
import { paintWithValibot } from './servers/valibot.js';
import { paintWithZod } from './servers/zod.js';

type Era = 'modern' | 'legacy';
const eras: readonly Era[] = ['modern', 'legacy'];

const frameworks = [
  { name: 'hono', mount: inHono },
  { name: 'express', mount: inExpress },
  { name: 'fastify', mount: inFastify },
];
const libraries = [
  { name: 'zod', paint: paintWithZod, showsDefaults: true },
  // Its JSON Schema has no defaults, so a form does not show them. Validation still applies them.
  { name: 'arktype', paint: paintWithArktype, showsDefaults: false },
  { name: 'valibot', paint: paintWithValibot, showsDefaults: true },
];

/** Pairs items with their names for `describe.each`, because `$name` would add quotes. */
function named<T extends { name: string }>(items: readonly T[]): [string, T][] {
  return items.map((item) => [item.name, item]);
}

const blue = { colour: 'blue', litres: 5 };
const delivery = { when: 'evening', floor: 3 };
const receipt = { colour: 'blue', cents: 5000, delivery: 'evening, floor 3' };
const REFUSED = { code: -32602, message: 'Invalid or expired requestState' };

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

afterAll(({}, file) => {
  const row = (name: string, saw: string) => ({
    peer: name,
    version: versionOf(new URL(`../../node_modules/${name}/`, import.meta.url)),
    over: '2026-07-28 and 2025-11-25, HTTP',
    saw,
    ...countsOf(file, name),
  });
  const rows = [
    ...frameworks.map(({ name }) =>
      row(name, 'bearer authentication in front; only the user who began a call can finish it'),
    ),
    ...libraries.map(({ name, showsDefaults }) =>
      row(
        name,
        `arguments, forms, pinned values and results, in each of the frameworks${showsDefaults ? '' : '; its JSON Schema has no defaults, so forms show none'}`,
      ),
    ),
  ];
  if (rows.every(({ failed }) => failed === 0)) {
    writeReport('frameworks', 'npm test -- frameworks', rows);
  }
});

/** Opens a shop with its own tool and a new price list. */
async function openShop(mount: Mount, paint: (prices: PriceList) => Tool): Promise<URL> {
  const tool = paint(new PriceList());
  const logger = { warn: (): void => undefined };
  const seal = requestStateSeal.ephemeral({ audience: 'paint-shop', logger });
  const handler = createDualEraHandler(() => {
    const server = new McpServer({ name: 'paint-shop', version: '1.0.0' });
    install(server, [tool], { seal });
    return server;
  });
  const server: Server = await mount(handler);
  cleanups.push(async () => {
    await handler.close({ timeoutMs: 0 });
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

/** Connects a user's client, and records the forms that the user sees. */
async function visit(url: URL, era: Era, user: string) {
  const forms: ElicitRequestFormParams[] = [];
  const client = new Client(
    { name: 'customer', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }): ElicitResult => {
    const form = params as ElicitRequestFormParams;
    forms.push(form);
    const content = 'when' in form.requestedSchema.properties ? delivery : { confirm: true };
    return { action: 'accept', content };
  });
  const headers = { authorization: `Bearer ${user}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  cleanups.push(() => client.close());
  return { client, forms };
}

describe.each(named(frameworks))('%s', (_, { mount }) => {
  it.for(eras)('lets a user order paint, %s', async (era) => {
    const { client } = await visit(await openShop(mount, paintWithZod), era, 'alice');
    const { structuredContent } = await client.callTool({ name: 'order_paint', arguments: blue });
    expect(structuredContent).toEqual(receipt);
  });

  it.for(eras)('refuses an unknown user, %s', async (era) => {
    const url = await openShop(mount, paintWithZod);
    await expect(visit(url, era, 'eve')).rejects.toThrow();
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
  });

  it('refuses the call of another user, and lets its own user finish it', async () => {
    const url = await openShop(mount, paintWithZod);
    const alice = await visit(url, 'modern', 'alice');
    const bob = await visit(url, 'modern', 'bob');
    const call = await startCall(alice.client, { name: 'order_paint', arguments: blue });
    if (call.done) throw new Error('expected a question');
    const saved = JSON.stringify(call);
    const answers = { delivery: accept(delivery), approval: accept({ confirm: true }) };

    const replay = resumeCall(bob.client, saved).answer(answers);
    await expect(replay).rejects.toMatchObject(REFUSED);
    const finished = await resumeCall(alice.client, saved).answer(answers);
    expect(finished).toMatchObject({ done: true, result: { structuredContent: receipt } });
  });

  it('refuses the session of another user', async () => {
    const url = await openShop(mount, paintWithZod);
    const alice = await visit(url, 'legacy', 'alice');
    const { sessionId = '' } = alice.client.transport as StreamableHTTPClientTransport;
    const attempt = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: 'Bearer bob',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': sessionId,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(attempt.status).toBe(404);
    expect(sessionId).not.toBe('');
    expect((await alice.client.listTools()).tools).toHaveLength(1);
  });
});

describe.each(named(libraries))('%s', (_, { paint, showsDefaults }) => {
  const cells = frameworks.flatMap(({ name, mount }) =>
    eras.map((era) => ({ framework: name, mount, era })),
  );

  it.for(cells)('serves a whole order in $framework, $era', async ({ mount, era }) => {
    const { client, forms } = await visit(await openShop(mount, paint), era, 'alice');
    const { tools } = await client.listTools();
    expect(tools[0]).toMatchObject({
      inputSchema: { required: ['colour', 'litres'], properties: { litres: { minimum: 1 } } },
      outputSchema: {
        required: expect.arrayContaining(['colour', 'cents', 'delivery']) as unknown,
      },
    });
    expect(Object.keys(tools[0]!.inputSchema.properties!).sort()).toEqual(['colour', 'litres']);

    const result = await client.callTool({ name: 'order_paint', arguments: blue });
    expect(result.structuredContent).toEqual(receipt);
    const messages = forms.map(({ message }) => message);
    expect(messages).toEqual(['When, and to which floor?', 'Mix blue for 5000 cents?']);
    expect(forms[0]!.requestedSchema).toMatchObject({
      required: ['when'],
      properties: {
        when: { type: 'string', enum: expect.arrayContaining(['morning', 'evening']) as unknown },
        floor: { type: 'integer', maximum: 9, ...(showsDefaults && { default: 0 }) },
      },
    });
  });

  it.for(eras)('refuses arguments that do not match the schema, %s', async (era) => {
    const { client, forms } = await visit(await openShop(inHono, paint), era, 'alice');
    const none = { ...blue, litres: 0 };
    const { isError } = await client.callTool({ name: 'order_paint', arguments: none });
    expect([isError, forms]).toEqual([true, []]);
  });

  it('applies the default of a field that the answer omits', async () => {
    const { client } = await visit(await openShop(inHono, paint), 'modern', 'alice');
    const call = await startCall(client, { name: 'order_paint', arguments: blue });
    if (call.done) throw new Error('expected a question');
    const finished = await call.answer({
      delivery: accept({ when: 'morning' }),
      approval: accept({ confirm: true }),
    });
    const structuredContent = { ...receipt, delivery: 'morning, floor 0' };
    expect(finished).toMatchObject({ done: true, result: { structuredContent } });
  });

  it('refuses an answer that does not match the schema', async () => {
    const { client } = await visit(await openShop(inHono, paint), 'modern', 'alice');
    const call = await startCall(client, { name: 'order_paint', arguments: blue });
    if (call.done) throw new Error('expected a question');
    const { requestState } = call.toJSON();
    const inputResponses = {
      delivery: { action: 'accept', content: { when: 'at noon' } },
      approval: { action: 'accept', content: { confirm: true } },
    };
    const params = { name: 'order_paint', arguments: blue, inputResponses, requestState };
    const answer = await client.callTool(params);
    expect(answer).toMatchObject({ isError: true });
  });
});
