/**
 * How the client of a story reaches its server, and what it can count on the way.
 *
 * Three ways: start the server as a child process (stdio), host it in this process (HTTP), or use
 * one that runs already (its URL). Each in both protocol eras. The SDK's client answers questions
 * by itself, so that a call looks like one call; the rounds it took are counted at the transport.
 */
import { fileURLToPath } from 'node:url';
import {
  type CallToolResult,
  Client,
  type ElicitRequestFormParams,
  type ElicitResult,
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveHttp } from 'mcp-resolve/node';

/** A form as a client gets it. */
export type Form = ElicitRequestFormParams;

/** A story: its server, and the person who answers the server's questions. */
export interface Story {
  /** The server's program, a file next to the caller's. */
  server: URL;
  buildServer: McpServerFactory;
  /** Answers a form that came in a round of the call, counted from 1. */
  person: (form: Form, round: number) => ElicitResult | Promise<ElicitResult>;
}

/** Where to find the server, and in which era to speak to it. */
export interface Route {
  via: 'stdio' | 'http' | URL;
  legacy: boolean;
}

/** The end of a call. */
export interface Answer {
  text: string;
  isError: boolean;
  structured: unknown;
  /** How many questions the person got in each round of the call. */
  rounds: number[];
}

/** A client with a person behind it, connected to the server of a story. */
export interface Connection {
  client: Client;
  /** The protocol version that both sides agreed on. */
  protocolVersion: string | undefined;
  call: (tool: string, args: Record<string, unknown>) => Promise<Answer>;
  close: () => Promise<void>;
}

/** Connects to the server of a story. */
export async function connect(story: Story, { via, legacy }: Route): Promise<Connection> {
  const host = via === 'http' ? await serveHttp(story.buildServer) : undefined;
  const transport =
    via === 'stdio'
      ? startProgram(story.server)
      : new StreamableHTTPClientTransport(host?.url ?? (via as URL));
  let rounds: number[] = [];
  onToolCall(transport, () => rounds.push(0));

  const client = new Client(
    { name: 'story-client', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: legacy ? 'legacy' : 'auto' },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    rounds.push((rounds.pop() ?? 0) + 1);
    return story.person(params as Form, rounds.length);
  });
  await client.connect(transport);

  return {
    client,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    call: async (name, args) => {
      rounds = [];
      const result = await client.callTool({ name, arguments: args }, { timeout: PATIENCE_MS });
      return answerOf(result, rounds);
    },
    close: async () => {
      await client.close();
      await host?.close();
    },
  };
}

// A person may think about a question for longer than a call usually takes.
const PATIENCE_MS = 10 * 60_000;

/** Starts a program with the runtime, and the loaders, of this one. */
function startProgram(program: URL): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [...process.execArgv, fileURLToPath(program)],
    env: process.env as Record<string, string>,
  });
}

function onToolCall(transport: Transport, seen: () => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isJSONRPCRequest(message) && message.method === 'tools/call') seen();
    return send(message, options);
  };
}

function answerOf(result: CallToolResult, rounds: number[]): Answer {
  const [first] = result.content;
  return {
    text: first?.type === 'text' ? first.text : '',
    isError: result.isError ?? false,
    structured: result.structuredContent,
    rounds,
  };
}

/** The answers of a scripted person. */
export const accept = (content: Record<string, string | number | boolean>): ElicitResult => ({
  action: 'accept',
  content,
});
export const decline: ElicitResult = { action: 'decline' };
export const cancel: ElicitResult = { action: 'cancel' };
