/**
 * A real client of the SDK, connected to a real server in process. On the modern era requests go
 * through the SDK's HTTP handler, which builds a server for each; on the legacy era one server is
 * connected through a pair of linked transports, and gets the caller's headers and token with every
 * message, as it would over HTTP.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type {
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
  Transport,
} from '@modelcontextprotocol/client';
import { createMcpHandler, InMemoryTransport } from '@modelcontextprotocol/server';
import type {
  AuthInfo,
  ClientCapabilities,
  McpServer,
  MessageExtraInfo,
} from '@modelcontextprotocol/server';
import type { Answer } from '../../client/answers.js';
import type { Era } from './runOptions.js';
import type { InputRequest } from './askedQuestion.js';

/** Who is at the other end of a server. */
export interface Caller {
  readonly capabilities?: ClientCapabilities | undefined;
  readonly authInfo?: Partial<AuthInfo> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a connection is made of. */
export interface ConnectionSpec {
  readonly era: Era;
  /** Makes a server: once per connection on legacy, once per request on modern. */
  readonly factory: () => McpServer;
  readonly caller: Caller;
  /** Answers what is pushed, on the legacy era. */
  readonly answer: (request: InputRequest) => Promise<Answer>;
}

/** A connected client. */
export interface Connection {
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/** Everything that a client can be asked. */
const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

/** Connects a client. */
export async function connect(spec: ConnectionSpec): Promise<Connection> {
  const { era, caller } = spec;
  const capabilities = caller.capabilities ?? EVERYTHING;
  const client = new Client(IDENTITY, {
    capabilities,
    versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
  });
  if (era === 'legacy') listen(client, capabilities, spec.answer);
  const line = era === 'modern' ? overHttp(spec) : await inMemory(spec);
  await client.connect(line.transport);
  return {
    client,
    close: async () => {
      await client.close();
      await line.close();
    },
  };
}

/** What both ends are called. */
export const IDENTITY = { name: 'mcp-resolve/testing', version: '1.0.0' };

/**
 * Sets a handler for each question that the client declares it can be asked. The casts hold because
 * a scripted person gives no answer of another kind than its question.
 */
function listen(
  client: Client,
  { elicitation, sampling, roots }: ClientCapabilities,
  answer: ConnectionSpec['answer'],
): void {
  if (elicitation !== undefined) {
    const handler = answer as (request: InputRequest) => Promise<ElicitResult>;
    client.setRequestHandler('elicitation/create', handler);
  }
  if (sampling !== undefined) {
    const handler = answer as (request: InputRequest) => Promise<CreateMessageResult>;
    client.setRequestHandler('sampling/createMessage', handler);
  }
  if (roots !== undefined) {
    const handler = answer as (request: InputRequest) => Promise<ListRootsResult>;
    client.setRequestHandler('roots/list', handler);
  }
}

interface Line {
  readonly transport: Transport;
  readonly close: () => Promise<void>;
}

const ADDRESS = new URL('http://server.test/mcp');

function overHttp({ factory, caller }: ConnectionSpec): Line {
  const handler = createMcpHandler(factory);
  const authInfo = completed(caller.authInfo);
  const transport = new StreamableHTTPClientTransport(ADDRESS, {
    fetch: (url, init) => handler.fetch(new Request(url, init), authInfo && { authInfo }),
    ...(caller.headers !== undefined && { requestInit: { headers: { ...caller.headers } } }),
  });
  return { transport, close: () => handler.close() };
}

async function inMemory({ factory, caller }: ConnectionSpec): Promise<Line> {
  const [transport, far] = InMemoryTransport.createLinkedPair();
  const server = factory();
  await server.connect(far);
  const authInfo = completed(caller.authInfo);
  const deliver: Transport['onmessage'] = far.onmessage;
  far.onmessage = (message) => {
    const extra: MessageExtraInfo = {
      request: new Request(ADDRESS, { method: 'POST', headers: { ...caller.headers } }),
      ...(authInfo && { authInfo }),
    };
    deliver?.(message, extra);
  };
  return { transport, close: () => server.close() };
}

/** The SDK's types ask for more than most tests care about. */
function completed(given: Partial<AuthInfo> | undefined): AuthInfo | undefined {
  return given && { token: 'token', clientId: 'client', scopes: [], ...given };
}
