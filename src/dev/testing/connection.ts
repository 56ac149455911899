/**
 * Connects an SDK client to an SDK server in process. On the modern era requests go through the
 * SDK's HTTP handler, which creates a server for each request. On the legacy era one server is
 * connected through linked transports. Every message carries the caller's headers and token, as
 * over HTTP.
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

/** The caller of a server. */
export interface Caller {
  readonly capabilities?: ClientCapabilities | undefined;
  readonly authInfo?: Partial<AuthInfo> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The parameters of {@link connect}. */
export interface ConnectionSpec {
  readonly era: Era;
  /** Creates a server: once per connection on legacy, once per request on modern. */
  readonly factory: () => McpServer;
  readonly caller: Caller;
  /** Answers the questions that the server sends on the legacy era. */
  readonly answer: (request: InputRequest) => Promise<Answer>;
}

/** A connected client. */
export interface Connection {
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/** The capabilities for all kinds of question. */
const ALL_CAPABILITIES: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

/** Connects a client. */
export async function connect(spec: ConnectionSpec): Promise<Connection> {
  const { era, caller } = spec;
  const capabilities = caller.capabilities ?? ALL_CAPABILITIES;
  const client = new Client(KIT_IDENTITY, {
    capabilities,
    versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
  });
  if (era === 'legacy') setHandlers(client, capabilities, spec.answer);
  const link = era === 'modern' ? overHttp(spec) : await inMemory(spec);
  await client.connect(link.transport);
  return {
    client,
    close: async () => {
      await client.close();
      await link.close();
    },
  };
}

/** The identity of both client and server. */
export const KIT_IDENTITY = { name: 'mcp-resolve/testing', version: '1.0.0' };

/**
 * Sets a handler for each kind of question that the client declares. The casts are safe because a
 * script rejects answers of another kind.
 */
function setHandlers(
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

/** A transport to a server, and the function that closes the server. */
interface ServerLink {
  readonly transport: Transport;
  readonly close: () => Promise<void>;
}

const ADDRESS = new URL('http://server.test/mcp');

function overHttp({ factory, caller }: ConnectionSpec): ServerLink {
  const handler = createMcpHandler(factory);
  const authInfo = completeAuthInfo(caller.authInfo);
  const transport = new StreamableHTTPClientTransport(ADDRESS, {
    fetch: (url, init) => handler.fetch(new Request(url, init), authInfo && { authInfo }),
    ...(caller.headers !== undefined && { requestInit: { headers: { ...caller.headers } } }),
  });
  return { transport, close: () => handler.close() };
}

async function inMemory({ factory, caller }: ConnectionSpec): Promise<ServerLink> {
  const [transport, far] = InMemoryTransport.createLinkedPair();
  const server = factory();
  await server.connect(far);
  const authInfo = completeAuthInfo(caller.authInfo);
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

/** Fills in the properties that the SDK's type requires and most tests do not need. */
function completeAuthInfo(given: Partial<AuthInfo> | undefined): AuthInfo | undefined {
  return given && { token: 'token', clientId: 'client', scopes: [], ...given };
}
