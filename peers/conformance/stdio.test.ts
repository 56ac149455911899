/** Tests the behaviour that the gateway hides from the suite, on the server's own stdio. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { ended, fromSources, start } from './hosts.js';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly _meta?: Record<string, unknown>; readonly data?: unknown };
  readonly result?: { readonly resultType?: string };
}

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

let server: ChildProcess;
let received: Message[] = [];
let lastId = 0;

beforeAll(() => {
  server = start(fromSources);
  createInterface({ input: server.stdout! }).on('line', (line) => {
    received.push(JSON.parse(line) as Message);
  });
});
afterAll(() => ended(server));
beforeEach(() => {
  received = [];
});

function send(method: string, params: object, meta: object = {}): number {
  lastId += 1;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'reader', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    ...meta,
  };
  const request = { jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta } };
  server.stdin!.write(`${JSON.stringify(request)}\n`);
  return lastId;
}

async function call(name: string, meta: object = {}): Promise<Message> {
  const id = send('tools/call', { name, arguments: {} }, meta);
  return until((message) => message.id === id && message.method === undefined);
}

const until = (wanted: (message: Message) => boolean): Promise<Message> =>
  expect
    .poll(() => received.find(wanted), { timeout: 60_000 })
    .toBeDefined()
    .then(() => received.find(wanted)!);

it('asks in the result and sends no request', async () => {
  const { result } = await call('test_streaming_elicitation');
  expect(result?.resultType).toBe('input_required');
  expect(received).toHaveLength(1);
});

it('logs only for a request that names a level', async () => {
  await call('test_logging_tool');
  expect(received).toHaveLength(1);
  received = [];
  await call('test_logging_tool', { 'io.modelcontextprotocol/logLevel': 'info' });
  expect(received.map(({ params }) => params?.data)).toEqual([
    'Tool execution started',
    'Tool processing data',
    'Tool execution completed',
    undefined,
  ]);
});

it('acknowledges a subscription first and sends only the notifications it wants', async () => {
  const id = send('subscriptions/listen', { notifications: { promptsListChanged: true } });
  const first = await until(() => true);
  expect(first.method).toBe('notifications/subscriptions/acknowledged');
  await call('test_trigger_tool_change');
  await call('test_trigger_prompt_change');
  await until(({ method }) => method === 'notifications/prompts/list_changed');

  const told = received.filter(({ method }) => method !== undefined);
  expect(told.map(({ method }) => method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/prompts/list_changed',
  ]);
  for (const { params } of told) expect(String(params?._meta?.[SUBSCRIPTION])).toBe(String(id));
});
