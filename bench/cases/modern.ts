/** Requests of protocol 2026-07-28, by hand: what a client costs is not what is measured. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';

const VERSION = '2026-07-28';

const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** Sends a request and gives its result. */
export type Send = (method: string, params: Params) => Promise<Result>;

export type Params = Readonly<Record<string, unknown>> & { readonly name?: string };

export interface Result {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly content?: readonly { readonly text?: string }[];
  readonly tools?: readonly unknown[];
}

/** Serves a factory as an HTTP application would, without the socket. */
export function sender(factory: McpServerFactory): Send {
  const handler = createMcpHandler(factory);
  return async (method, params) => {
    const response = await handler.fetch(requestOf(method, params));
    const { result, error } = (await response.json()) as { result?: Result; error?: unknown };
    if (result === undefined) throw new Error(`refused: ${JSON.stringify(error)}`);
    return result;
  };
}

/** One request, as a client would send it. */
export function requestOf(method: string, params: Params, url = 'http://127.0.0.1/mcp'): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  });
}

/** Does something many times, so many at a time. */
export async function inFlight(
  times: number,
  width: number,
  work: () => Promise<unknown>,
): Promise<void> {
  let left = times;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, times) }, lane));
}
