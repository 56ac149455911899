/** Calls by hand, and their ends. */
import { Client, type ClientCapabilities, ProtocolError } from '@modelcontextprotocol/client';
import type { Call, OpenCall } from 'mcp-resolve/client';

import { type Program, transportTo } from './script.js';

export interface Visit {
  readonly era?: 'auto' | 'legacy';
  readonly capabilities?: ClientCapabilities;
  /** Sets the handlers for questions of the legacy era. */
  readonly letAnswer?: (client: Client) => void;
}

const EVERYTHING = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** Runs a function with a connected client. */
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

/** Returns the call, or throws if it is finished. */
export function open(call: Call<'tools/call'>): OpenCall<'tools/call'> {
  if (call.done) throw new Error(`finished: ${JSON.stringify(call.result)}`);
  return call;
}

/** Returns the structured content or the text of a call, or throws if it is open. */
export function endOf(call: Call<'tools/call'>): unknown {
  if (!call.done) throw new Error(`open: ${Object.keys(call.questions).join(', ')}`);
  const { structuredContent, content } = call.result;
  const [text] = content;
  return structuredContent ?? (text?.type === 'text' ? text.text : undefined);
}

/** The protocol error of both SDKs for an invalid state. */
export const REFUSED = [
  -32602,
  'Invalid or expired requestState',
  { reason: 'invalid_request_state' },
] as const;

/** Returns code, message and data of the protocol error that a request must end with. */
export async function refusalOf(request: Promise<unknown>): Promise<readonly unknown[]> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.code, error.message, error.data];
  }
  throw new Error('the request was not refused');
}
