/**
 * The server and the clients of these tests: tools written by hand against the SDK alone, one of
 * which asks its user, and SDK clients of either era with a person behind them.
 */
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import {
  acceptedContent,
  inputRequired,
  McpServer,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

export type Era = 'legacy' | 'modern';

/** What happened inside the servers of one factory. */
export interface Witness {
  /** How often each tool was entered, by era. */
  entered: string[];
  /** Resolves with the abort signal of the first call of `hang`. */
  hanging: Promise<AbortSignal>;
}

const Name = z.object({ name: z.string() });
const question = 'What is your name?';

/** A factory whose servers have the tools `greet` (asks), `whoami` and `hang`. */
export function askingFactory(): { factory: McpServerFactory; witness: Witness } {
  const hanging = deferred<AbortSignal>();
  const witness: Witness = { entered: [], hanging: hanging.promise };
  const factory: McpServerFactory = ({ era }) => {
    const server = new McpServer({ name: 'asking', version: '1.0.0' });
    server.registerTool(
      'greet',
      { inputSchema: z.object({ greeting: z.string() }) },
      ({ greeting }, ctx) => {
        witness.entered.push(`greet ${era}`);
        return era === 'modern' ? greetByReturning(greeting, ctx) : greetByPushing(greeting, ctx);
      },
    );
    server.registerTool('whoami', { inputSchema: z.object({}) }, (_, ctx) =>
      text(`${String(ctx.http?.authInfo?.extra?.sub)} in ${ctx.sessionId ?? 'no session'}`),
    );
    server.registerTool('hang', { inputSchema: z.object({}) }, async (_, ctx) => {
      hanging.resolve(ctx.mcpReq.signal);
      await new Promise((resolve) => {
        ctx.mcpReq.signal.addEventListener('abort', resolve);
      });
      return text('aborted');
    });
    return server;
  };
  return { factory, witness };
}

function greetByReturning(greeting: string, ctx: ServerContext) {
  const answer = acceptedContent(ctx.mcpReq.inputResponses, 'name', Name);
  if (answer !== undefined) return text(`${greeting}, ${answer.name}!`);
  return inputRequired({
    inputRequests: { name: inputRequired.elicit({ message: question, requestedSchema: Name }) },
  });
}

async function greetByPushing(greeting: string, ctx: ServerContext) {
  const answer = await ctx.mcpReq.send({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: question,
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      },
    },
  });
  return text(`${greeting}, ${String(answer.content?.name)}!`);
}

/** A promise and the function that resolves it. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export function text(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: value }] };
}

/** An SDK client of an era, with a person called `name` who answers every question. */
export function personAt(era: Era, name: string): Client {
  const versionNegotiation: ClientOptions['versionNegotiation'] = {
    mode: era === 'modern' ? 'auto' : 'legacy',
  };
  const client = new Client(
    { name: `client of ${name}`, version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name } }));
  return client;
}

/** Connects a person to an endpoint. */
export async function connect(url: URL, era: Era, name = 'Ada', token?: string): Promise<Client> {
  const client = personAt(era, name);
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(url, headers ? { requestInit: { headers } } : {}),
  );
  return client;
}

/** Calls a tool and returns the text of its answer. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  const result = await client.callTool({ name, arguments: args });
  return result.content[0]?.type === 'text' ? result.content[0].text : result;
}
