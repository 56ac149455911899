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
  return async (method, params) => {
    const response = await handler.fetch(requestOf(method, params));
    const { result, error } = (await response.json()) as { result?: Result; error?: unknown };
    if (result === undefined)
      throw new Error(`the server returned an error: ${JSON.stringify(error)}`);
    return result;
  };
}

/** Creates a request as a client sends it. */
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
