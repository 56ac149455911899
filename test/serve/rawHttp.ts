/** Requests of the 2025 era written out by hand, for what an SDK client would never send. */

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name: 'by hand', version: '1.0.0' },
  },
};

export function toolCall(name: string, id = 2): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } };
}

export function post(
  body: unknown,
  headers: Record<string, string> = {},
  url = 'http://localhost/mcp',
): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function withSession(id: string): Record<string, string> {
  return { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}

export interface Handler {
  fetch: (request: Request) => Promise<Response>;
}

/** Opens a session and returns its id. */
export async function openSession(handler: Handler): Promise<string> {
  const response = await handler.fetch(post(initialize));
  await response.text();
  const id = response.headers.get('mcp-session-id')!;
  await handler.fetch(
    post({ jsonrpc: '2.0', method: 'notifications/initialized' }, withSession(id)),
  );
  return id;
}

/** The status of a response and its JSON-RPC error, as one comparable value. */
export async function refusalOf(
  response: Response,
): Promise<{ status: number; code: number; message: string; id: unknown }> {
  const { error, id } = (await response.json()) as {
    error: { code: number; message: string };
    id: unknown;
  };
  return { status: response.status, code: error.code, message: error.message, id };
}
