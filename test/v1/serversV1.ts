/** Servers and clients of SDK 1.x in this process. They are closed after the test. */
import { Client } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, ClientCapabilities } from '@modelcontextprotocol/server';

import { closeAfterTest } from '../support/servers.js';

export const INFO = { name: 'payments', version: '1.0.0' };

/** A question that arrived at a client. */
export interface Arrived {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** The user of a client. */
export interface User {
  readonly capabilities?: ClientCapabilities;
  readonly answer?: (question: Arrived, signal: AbortSignal) => unknown;
}

/** A connected client, whichever SDK it is from. */
export interface AnyClient {
  readonly asked: Arrived[];
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<CallToolResult>;
  readonly list: () => Promise<readonly { readonly name: string }[]>;
}

export type AnyServerV1 = McpServer | Server;

export type Connect = (server: AnyServerV1, user?: User) => Promise<AnyClient>;

const FORMS: ClientCapabilities = { elicitation: { form: {} } };

/** Connects a client of SDK 1.x. `received` has the methods of the server's messages. */
export async function connectV1(
  server: McpServer | Server,
  user: User = {},
): Promise<AnyClient & { readonly client: ClientV1; readonly received: string[] }> {
  const { capabilities = user.answer ? FORMS : {}, answer } = user;
  const client = new ClientV1({ name: 'client', version: '1.0.0' }, { capabilities });
  const asked: Arrived[] = [];
  const reply = (question: Arrived, { signal }: { signal: AbortSignal }) => {
    asked.push(question);
    return answer?.(question, signal) as never;
  };
  if (capabilities.elicitation) client.setRequestHandler(ElicitRequestSchema, reply);
  if (capabilities.sampling) client.setRequestHandler(CreateMessageRequestSchema, reply);
  if (capabilities.roots) client.setRequestHandler(ListRootsRequestSchema, reply);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const received: string[] = [];
  near.onmessage = (message) => {
    if ('method' in message) received.push(message.method);
  };
  closeAfterTest(() => client.close());
  await server.connect(far);
  await client.connect(near);
  return {
    client,
    asked,
    received,
    call: (name, args = {}, options = {}) =>
      client.callTool({ name, arguments: args }, undefined, options) as Promise<CallToolResult>,
    list: async () => (await client.listTools()).tools,
  };
}

/** Connects a client of SDK 2.x that speaks 2026-07-28 if the server does. */
export async function connectV2(
  server: McpServer | Server,
  user: User = {},
): Promise<AnyClient & { client: Client }> {
  const { capabilities = user.answer ? FORMS : {}, answer } = user;
  const client = new Client(
    { name: 'client', version: '2.0.0' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  const asked: Arrived[] = [];
  const reply = (question: Arrived, { mcpReq }: { mcpReq: { signal: AbortSignal } }) => {
    asked.push(question);
    return answer?.(question, mcpReq.signal) as never;
  };
  if (capabilities.elicitation) client.setRequestHandler('elicitation/create', reply);
  if (capabilities.sampling) client.setRequestHandler('sampling/createMessage', reply);
  if (capabilities.roots) client.setRequestHandler('roots/list', reply);
  const [near, far] = InMemoryTransport.createLinkedPair();
  closeAfterTest(() => client.close());
  await server.connect(far);
  await client.connect(near);
  return {
    client,
    asked,
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
    list: async () => (await client.listTools()).tools,
  };
}

export const clients: readonly (readonly [name: string, connect: Connect])[] = [
  ['SDK 1.x', connectV1],
  ['SDK 2.x', connectV2],
];

export const servers: readonly (readonly [name: string, create: () => AnyServerV1])[] = [
  ['an McpServer', () => new McpServer(INFO)],

  ['a Server', () => new Server(INFO, { capabilities: {} })],
];
