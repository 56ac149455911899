/** The way of the requests about tasks to a desk: eras, hosts, scopes and schemas of results. */
import { InMemoryTransport, McpServer, Server } from '@modelcontextprotocol/server';
import type { AuthInfo, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { defineTool, install, memoryStore, resolver } from 'mcp-resolve';
import type { DeclaredClient } from 'mcp-resolve';
import { approvalDesk } from 'mcp-resolve/approvals';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { connectClient } from '../../support/plainClient.js';
import { errorTextOf, textOf } from '../../support/results.js';
import { httpHandler, serving, SILENT } from '../../support/servers.js';
import { post } from '../../support/wire.js';
import { clientOf, INVOICE, PayInput, secondPair, waitingOf } from '../bank.js';
import { testDesk, yes } from '../callers.js';
import { BY_HEADER, pollerOf, taskBank, TASKS } from './poller.js';

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;
const ANY = z.looseObject({});

it('T1 advertises the extension with exactly {}', async () => {
  const { tool } = taskBank();
  const { body } = await pollerOf(tool).send('server/discover', {});
  expect(body.result).toMatchObject({ capabilities: { extensions: TASKS.extensions } });
  const { tool: plain } = taskBank({}, { tasks: false });
  const { body: other } = await pollerOf(plain).send('server/discover', {});
  expect(other.result).not.toHaveProperty('capabilities.extensions');
});

it('is installed before the server is connected, and the error says so', async () => {
  const { tool } = taskBank();
  const server = new McpServer({ name: 'bank', version: '1.0.0' }, { capabilities: { tools: {} } });
  const [end] = InMemoryTransport.createLinkedPair();
  await server.connect(end);
  expect(() => {
    install(server, [tool], { logger: SILENT });
  }).toThrow(
    new Error(
      'install(): this server is connected, so it cannot advertise the tasks of a desk any more. Call install() before connect(), or remove `tasks: true`.',
    ),
  );
  await server.close();
});

it('N4 gives no task to a client whose extension is taken away', async () => {
  const probe = defineTool('probe', {}, () => 'done');
  const usableCapabilities = ({ capabilities: { extensions: _, ...others } }: DeclaredClient) =>
    others;
  const after = (server: McpServer): void => {
    install(server, [probe], { seal: BY_HEADER, usableCapabilities });
  };
  const poller = pollerOf(taskBank().tool, { after });
  expect(waitingOf(await poller.call()).text).toContain('Make the same call again later');
  const refused = await poller.error('tasks/get', { taskId: 'parked-1' });
  expect(refused).toMatchObject({ code: -32_021 });
});

it('T2 T24 has no tasks on 2025, also for a client that declares them', async () => {
  const { tool } = taskBank();
  const client = await clientOf('legacy', tool, { capabilities: TASKS });
  expect(waitingOf(await client.call('pay', INVOICE)).text).toContain('Make the same call again');
  for (const method of METHODS) {
    const request = client.client.request({ method, params: { taskId: 'parked-x' } } as never, ANY);
    await expect(request).rejects.toMatchObject({ code: -32_601 });
  }
});

it('refuses polls of a client that does not declare tasks in that request', async () => {
  const { tool } = taskBank();
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  for (const method of METHODS) {
    expect(await poller.error(method, { taskId }, { capabilities: {} })).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: TASKS },
    });
  }
  const capabilities = { extensions: { 'io.example/tasks': {} } };
  expect(await poller.call(INVOICE, { capabilities })).toMatchObject({ isError: true });
});

it('has neither tasks/result nor tasks/list', async () => {
  const poller = pollerOf(taskBank().tool);
  for (const method of ['tasks/result', 'tasks/list'])
    expect(await poller.error(method, { taskId: 'parked-x' })).toMatchObject({ code: -32_601 });
});

it.each([[7], [['parked-x']], [{ toString: 1, valueOf: 1 }]])(
  'tells a client that the id %j is unknown',
  async (taskId) => {
    const poller = pollerOf(taskBank().tool);
    for (const method of METHODS)
      expect(await poller.error(method, { taskId })).toMatchObject({
        code: -32_602,
        message: 'Unknown task',
      });
  },
);

it('T23 gives a poll without the scope of the tool the 403 of tools/call', async () => {
  const { desk, store, notified } = testDesk({ tasks: true });
  const paid: unknown[] = [];
  const tool = defineTool(
    'pay',
    {
      inputSchema: PayInput,
      resolve: { secondPair: secondPair() },
      approvals: desk,
      once: store,
      scopeChallenge: ({ authInfo }) =>
        authInfo?.scopes.includes('pay') ? undefined : { scopes: ['pay'] },
    },
    (values) => {
      paid.push(values);
      return 'Paid.';
    },
  );
  const handler = httpHandler(serving([tool], { seal: BY_HEADER, logger: SILENT }));
  const withScopes = (...scopes: string[]) => {
    const authInfo: AuthInfo = { token: 'x', clientId: 'app', scopes, extra: { sub: 'ann' } };
    const fetch = (request: Request) => handler.fetch(request, { authInfo });
    return (method: string, params: Record<string, unknown>) =>
      post({ fetch }, method, params, { capabilities: TASKS, headers: { 'x-user': 'ann' } });
  };
  const [full, weak] = [withScopes('pay'), withScopes('read')];
  const made = await full('tools/call', { name: 'pay', arguments: INVOICE });
  const { taskId } = made.body.result as { taskId: string };
  await desk.decide(notified[0]!, yes('bob'));
  expect((await weak('tools/call', { name: 'pay', arguments: INVOICE })).status).toBe(403);
  for (const method of METHODS) expect((await weak(method, { taskId })).status).toBe(403);
  expect(paid).toEqual([]);
  expect((await full('tasks/get', { taskId })).body.result).toMatchObject({ status: 'completed' });
});

describe('T25 a host with tasks of its own', () => {
  const own = { params: ANY, result: ANY };
  const setAll = ({ server }: McpServer): void => {
    for (const method of METHODS)
      server.setRequestHandler(method, own, ({ taskId }) => ({ taskId, host: method }));
  };

  it.each(['before', 'after'] as const)('set %s install keeps them', async (when) => {
    const { tool, desk, notified } = taskBank();
    const poller = pollerOf(tool, { [when]: setAll });
    for (const method of METHODS) {
      const { body } = await poller.send(method, { taskId: 'job-7' });
      expect(body.result).toMatchObject({ taskId: 'job-7', host: method });
    }
    const { taskId } = await poller.call();
    await desk.decide(notified[0]!, yes('bob'));
    expect((await poller.get(taskId)).status).toBe('completed');
  });

  it('keeps its handlers for clients of 2025', async () => {
    const { tool } = taskBank();
    const client = await connectClient('legacy', () => {
      const server = new McpServer({ name: 'bank', version: '1.0.0' });
      install(server, [tool], { logger: SILENT });
      setAll(server);
      return server;
    });
    const request = { method: 'tasks/get', params: { taskId: 'parked-x' } } as never;
    expect(await client.client.request(request, ANY)).toMatchObject({ host: 'tasks/get' });
  });

  it('keeps ours if it sets a handler without schemas, and the log says what to write', async () => {
    const { tool } = taskBank();
    const lines: string[] = [];
    const handler = httpHandler(() => {
      const server = new McpServer({ name: 'bank', version: '1.0.0' });
      install(server, [tool], {
        seal: BY_HEADER,
        logger: { warn: (line) => void lines.push(line) },
      });
      server.server.setRequestHandler('tasks/get' as never, (() => ({})) as never);
      return server;
    });
    const options = { capabilities: TASKS, headers: { 'x-user': 'ann' } };
    const made = await post(handler, 'tools/call', { name: 'pay', arguments: INVOICE }, options);
    const { taskId } = made.body.result as { taskId: string };
    const { body } = await post(handler, 'tasks/get', { taskId }, options);
    expect(body.result).toMatchObject({ taskId, status: 'working' });
    expect(lines.join('\n')).toContain(
      "Write setRequestHandler('tasks/get', { params, result }, handler).",
    );
  });
});

it('T26 gives a handle for a tool with `outputSchema`', async () => {
  const { desk, store, notified } = testDesk({ tasks: true });
  const tool = defineTool(
    'pay',
    {
      inputSchema: PayInput,
      outputSchema: z.object({ cents: z.number() }),
      resolve: { secondPair: secondPair() },
      approvals: desk,
      once: store,
    },
    ({ cents }) => ({ cents }),
  );
  const poller = pollerOf(tool);
  const handle = await poller.call();
  expect(handle).toMatchObject({ resultType: 'task', status: 'working' });
  await desk.decide(notified[0]!, yes('bob'));
  expect((await poller.get(handle.taskId)).result).toMatchObject({
    structuredContent: { cents: 4900 },
    resultType: 'complete',
  });
});

it('serves tasks on a low-level Server, too', async () => {
  const { tool, desk, notified } = taskBank();
  const handler = httpHandler(() => {
    const server = new Server({ name: 'bank', version: '1.0.0' }, { capabilities: {} });
    install(server, [tool], { seal: BY_HEADER, logger: SILENT });
    return server;
  });
  const options = { capabilities: TASKS, headers: { 'x-user': 'ann' } };
  const made = await post(handler, 'tools/call', { name: 'pay', arguments: INVOICE }, options);
  const { taskId } = made.body.result as { taskId: string };
  await desk.decide(notified[0]!, yes('bob'));
  const { body } = await post(handler, 'tasks/get', { taskId }, options);
  expect(textOf((body.result as { result: CallToolResult }).result)).toBe('Paid.');
});

it('applies the checks of a host and a disabled tool to a poll', async () => {
  const { tool, desk, notified, paid } = taskBank();
  let disabled = false;
  let refused = false;
  const poller = pollerOf(tool, {
    after: (server) => {
      const handlers = Reflect.get(server.server, '_requestHandlers') as Map<
        string,
        (request: unknown, ctx: ServerContext) => Promise<object>
      >;
      const present = handlers.get('tools/call')!;
      handlers.set('tools/call', (request, ctx) => {
        if (refused) throw new Error('Access denied.');
        return present(request, ctx);
      });
      if (disabled)
        (Reflect.get(server, '_registeredTools') as { pay: { disable: () => void } }).pay.disable();
    },
  });
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  disabled = true;
  expect(await poller.error('tasks/get', { taskId })).toMatchObject({ code: -32_602 });
  [disabled, refused] = [false, true];
  expect(await poller.error('tasks/get', { taskId })).toMatchObject({ code: -32_603 });
  expect(paid).toEqual([]);
  refused = false;
  expect((await poller.get(taskId)).status).toBe('completed');
});

it('keeps several desks of one server apart', async () => {
  const store = memoryStore();
  const ids: string[] = [];
  const toolOf = (name: string) => {
    const desk = approvalDesk({
      store: memoryStore(),
      tasks: true,
      notify: ({ id }) => ids.push(id),
    });
    const value = resolver({}, () => name);
    return defineTool(
      name,
      {
        resolve: { value, secondPair: secondPair() },
        inputSchema: PayInput,
        approvals: desk,
        once: store,
      },
      () => name,
    );
  };
  const tools = [toolOf('pay'), toolOf('refund')];
  const handler = httpHandler(serving(tools, { seal: BY_HEADER, logger: SILENT }));
  const options = { capabilities: TASKS, headers: { 'x-user': 'ann' } };
  for (const { name } of tools) {
    const made = await post(handler, 'tools/call', { name, arguments: INVOICE }, options);
    const { taskId } = made.body.result as { taskId: string };
    const { body } = await post(handler, 'tasks/get', { taskId }, options);
    expect(body.result).toMatchObject({ taskId, status: 'working' });
  }
  expect(ids).toHaveLength(2);
});

it('says what a tool without principal needs, instead of a handle', async () => {
  const { tool } = taskBank();
  const handler = httpHandler(serving([tool], { seal: BY_HEADER, logger: SILENT }));
  const { body } = await post(
    handler,
    'tools/call',
    { name: 'pay', arguments: INVOICE },
    { capabilities: TASKS },
  );
  expect(errorTextOf(body.result as never)).toContain('does not know who is calling');
});
