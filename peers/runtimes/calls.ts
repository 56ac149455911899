/** Modern calls by hand, so that each round can go to another server. */
import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type CallToolResult,
} from '@modelcontextprotocol/client';
import {
  accept,
  type Answers,
  type Call,
  resumeCall,
  type SavedCall,
  startCall,
} from 'mcp-resolve/client';

/** A call that waits for answers. */
export type Waiting = SavedCall<'tools/call'>;

/** The error of every server for an invalid token. */
export const REFUSED = [
  -32602,
  'Invalid or expired requestState',
  { reason: 'invalid_request_state' },
];

/** Starts a call. */
export async function begin(
  url: string,
  target: { name: string; arguments: Record<string, unknown> },
  user?: string,
): Promise<Waiting> {
  return waiting(await withClient(url, { user }, (client) => startCall(client, target)));
}

/** Sends answers to a call that then asks again. */
export async function goOn(url: string, call: Waiting, answers: Answers): Promise<Waiting> {
  return waiting(await send(url, call, answers));
}

/** Sends the last answers. @returns The structured content, the text, or the protocol error. */
export async function finish(
  url: string,
  call: Waiting,
  answers: Answers,
  user?: string,
): Promise<unknown> {
  try {
    const ended = await send(url, call, answers, user);
    return ended.done ? contentOf(ended.result) : ended.questions;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.code, error.message, error.data];
  }
}

/** Returns the error code of a tool that asks a legacy client without a session. */
export async function refusalWithoutSession(url: string): Promise<unknown> {
  return withClient(url, { mode: 'legacy' }, async (client) => {
    const call = client.callTool({ name: 'deploy', arguments: {} });
    return call.catch((error: unknown) => (error instanceof ProtocolError ? error.code : error));
  });
}

export const scope = { scope: accept({ full: true, sku: '' }) };
export const restock = { restock: accept({ restock: true }) };
export const yes = { approval: accept({ confirm: true }) };

function send(
  url: string,
  call: Waiting,
  answers: Answers,
  user?: string,
): Promise<Call<'tools/call'>> {
  return withClient(url, { user }, (client) => resumeCall(client, call).answer(answers));
}

async function withClient<T>(
  url: string,
  { user, mode = 'auto' }: { user?: string | undefined; mode?: 'auto' | 'legacy' },
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(
    { name: 'crossing', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  const headers = user === undefined ? {} : { 'x-user': user };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function waiting(call: Call<'tools/call'>): Waiting {
  if (call.done) throw new Error(`expected a question, got ${JSON.stringify(call.result)}`);
  return call.toJSON();
}

function contentOf({ structuredContent, content: [first] }: CallToolResult): unknown {
  return structuredContent ?? (first?.type === 'text' ? first.text : first);
}
