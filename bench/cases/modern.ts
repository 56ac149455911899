/** Requests of protocol 2026-07-28, built by hand, because the client is not measured. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';

const VERSION = '2026-07-28';

const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** Sends a request and returns its result. */
export type Send = (method: string, params: Params) => Promise<Result>;

export type Params = Readonly<Record<string, unknown>> & { readonly name?: string };

export interface Result {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly content?: readonly { readonly text?: string }[];
  readonly tools?: readonly unknown[];
}

/** Serves a factory like an HTTP application, but without a socket. */
export function sender(factory: McpServerFactory): Send {
  const handler = createMcpHandler(factory);
  return async (method, params) => resultOf(await handler.fetch(requestOf(method, params)));
}

/** Serves a factory, and returns a function that sends one call of a tool. It is serialized once. */
export function caller(factory: McpServerFactory, params: Params): () => Promise<Result> {
  const handler = createMcpHandler(factory);
  const headers = headersOf('tools/call', params);
  const body = bodyOf('tools/call', params);
  return async () =>
    resultOf(await handler.fetch(new Request(ADDRESS, { ...POST, headers, body })));
}

async function resultOf(response: Response): Promise<Result> {
  const { result, error } = (await response.json()) as { result?: Result; error?: unknown };
  if (result === undefined)
    throw new Error(`the server returned an error: ${JSON.stringify(error)}`);
  return result;
}

const ADDRESS = 'http://127.0.0.1/mcp';
const POST = { method: 'POST' };

/** Creates a request as a client sends it. */
export function requestOf(method: string, params: Params, url = ADDRESS): Request {
  return new Request(url, {
    ...POST,
    headers: headersOf(method, params),
    body: bodyOf(method, params),
  });
}

function headersOf(method: string, { name }: Params): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}

const bodyOf = (method: string, params: Params): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } });

/** Runs `work` several times, `width` at a time. */
export async function inFlight(
  times: number,
  width: number,
  work: () => Promise<unknown>,
): Promise<void> {
  let left = times;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, times) }, worker));
}
