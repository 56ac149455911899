/** The clients that call the apps. A call reports its result, or its error, as plain data. */
import {
  type CallToolResult,
  Client,
  type ElicitResult,
  ProtocolError,
  type RequestId,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { accept, resumeCall, startCall } from 'mcp-resolve/client';

export type Era = 'modern' | 'legacy';
export const ERAS: readonly Era[] = ['modern', 'legacy'];
export const VERSION = { modern: '2026-07-28', legacy: '2025-11-25' } as const;

/** A user of the apps. They do not know Eve. */
export type User = 'alice' | 'bob' | 'eve';

/** A question that arrived at a client. */
export interface Question {
  readonly message: string;
  readonly id: RequestId;
  readonly sessionId: string | undefined;
}
export type Answer = (question: Question) => ElicitResult | Promise<ElicitResult>;

export const yes: Answer = () => ({ action: 'accept', content: { confirm: true } });
export const no: Answer = () => ({ action: 'decline' });

export interface Caller {
  readonly era: Era;
  /** The user's answer. If omitted, the client declares that it cannot be asked. */
  readonly answer?: Answer;
  /** Alice by default. */
  readonly user?: User;
}

/** How a call ended: with a text, with a tool error, or with a protocol error. */
export type Ended =
  | { readonly text: unknown }
  | { readonly failure: unknown }
  | { readonly error: readonly [code: number, message: string] };

/** The arguments of a call, forged ones included. */
export type Args = Readonly<Record<string, unknown>>;

/** A call that waits for its answer, as a client would store it. */
export type Waiting = string;

/** Calls `pay_invoice`, and answers its question. */
export async function pay(
  url: URL,
  caller: Caller,
  args: Args,
): Promise<Ended & { readonly version: string | undefined; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const { answer } = caller;
  const noting: Answer = (question) => {
    asked.push(question.message);
    return answer!(question);
  };
  return withClient(url, { ...caller, ...(answer && { answer: noting }) }, async (client) => {
    const ended = await endOf(client.callTool({ name: 'pay_invoice', arguments: { ...args } }));
    return { version: client.getNegotiatedProtocolVersion(), asked, ...ended };
  });
}

/** Calls `pay_invoice` as Alice, and leaves when it asks. */
export async function begin(url: URL, args: Args): Promise<Waiting> {
  return withClient(url, { era: 'modern', answer: yes }, async (client) =>
    JSON.stringify(await startCall(client, { name: 'pay_invoice', arguments: { ...args } })),
  );
}

/** Approves a call that waits. */
export async function finish(url: URL, call: Waiting, user: User): Promise<Ended> {
  return withClient(url, { era: 'modern', answer: yes, user }, (client) =>
    endOf(
      resumeCall<'tools/call'>(client, call)
        .answer({ approved: accept({ confirm: true }) })
        .then((ended) => {
          if (!ended.done) throw new Error('The app asked again.');
          return ended.result;
        }),
    ),
  );
}

/** A message of a legacy client, perhaps in the session of another one. */
export interface Message {
  readonly user: User;
  readonly message: object;
  readonly sessionId?: string;
}

/** Posts a message. @returns The HTTP status. */
export async function post(url: URL, { user, message, sessionId }: Message): Promise<number> {
  const { status, body } = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': VERSION.legacy,
      ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  await body?.cancel();
  return status;
}

async function withClient<T>(
  url: URL,
  { era, answer, user = 'alice' }: Caller,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(
    { name: 'caller', version: '1.0.0' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  const headers = { authorization: `Bearer ${user}` };
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  if (answer) {
    client.setRequestHandler('elicitation/create', ({ params: { message } }, { mcpReq: { id } }) =>
      answer({ message, id, sessionId: transport.sessionId }),
    );
  }
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function endOf(call: Promise<CallToolResult>): Promise<Ended> {
  try {
    const { content, isError = false } = await call;
    const [first] = content;
    const text = first?.type === 'text' ? first.text : content;
    return isError ? { failure: text } : { text };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { error: [error.code, error.message] };
  }
}
