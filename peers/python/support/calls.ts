/** Calls by hand, and how they end. */
import { Client, type ClientCapabilities, ProtocolError } from '@modelcontextprotocol/client';
import type { Call, OpenCall } from 'mcp-resolve/client';

import { type Program, transportTo } from './script.js';

export interface Visit {
  readonly era?: 'auto' | 'legacy';
  readonly capabilities?: ClientCapabilities;
  /** Has questions of the 2025 era answered. */
  readonly letAnswer?: (client: Client) => void;
}

const EVERYTHING = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** Has a client connected to a server while it is used. */
export async function connected<T>(
  server: string | Program,
  { era = 'auto', capabilities = EVERYTHING, letAnswer }: Visit,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(
    { name: 'peer-client', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: era } },
  );
  letAnswer?.(client);
  await client.connect(transportTo(server));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** A call that has to be open. */
export function open(call: Call<'tools/call'>): OpenCall<'tools/call'> {
  if (call.done) throw new Error(`finished: ${JSON.stringify(call.result)}`);
  return call;
}

/** What a call ended with, which it has to: structured content, or else a text. */
export function endOf(call: Call<'tools/call'>): unknown {
  if (!call.done) throw new Error(`open: ${Object.keys(call.questions).join(', ')}`);
  const { structuredContent, content } = call.result;
  const [text] = content;
  return structuredContent ?? (text?.type === 'text' ? text.text : undefined);
}

/** What either SDK's servers say to a state that they do not take. */
export const REFUSED = [
  -32602,
  'Invalid or expired requestState',
  { reason: 'invalid_request_state' },
] as const;

/** Code, message and data of the protocol error that a request has to end with. */
export async function refusalOf(request: Promise<unknown>): Promise<readonly unknown[]> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.code, error.message, error.data];
  }
  throw new Error('the request was not refused');
}
