/** Calls of the modern era by hand, so that a round can go to another server than the one before. */
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

/** What every server answers to a token that is not good, for whatever reason. */
export const REFUSED = [
  -32602,
  'Invalid or expired requestState',
  { reason: 'invalid_request_state' },
];

/** Begins a call. */
export async function begin(
  url: string,
  target: { name: string; arguments: Record<string, unknown> },
  user?: string,
): Promise<Waiting> {
  return waiting(await withClient(url, { user }, (client) => startCall(client, target)));
}

/** Sends answers; the call then waits for more. */
export async function goOn(url: string, call: Waiting, answers: Answers): Promise<Waiting> {
  return waiting(await send(url, call, answers));
}

/** Sends the last answers. @returns The structured result, else its text; or the refusal. */
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

/** The code of the error that an asking tool ends with for a legacy client without a session. */
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
  if (call.done) throw new Error(`nobody was asked: ${JSON.stringify(call.result)}`);
  return call.toJSON();
}

function contentOf({ structuredContent, content: [first] }: CallToolResult): unknown {
  return structuredContent ?? (first?.type === 'text' ? first.text : first);
}
