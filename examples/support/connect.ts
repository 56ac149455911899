/**
 * How the client of a story reaches its server, and what it can count on the way.
 *
 * Four ways: start the server as a child process (stdio), host it in this process or in a child
 * process (HTTP), or use one that runs already (its URL). Each in both protocol eras. The SDK's
 * client answers questions by itself, so that a call looks like one call; the rounds it took are
 * counted at the transport.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
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
  /** Changes to the environment, for a server that is started as a child process. */
  env?: NodeJS.ProcessEnv;
  /** Answers a form that came in a round of the call, counted from 1. */
  person: (form: Form, round: number) => ElicitResult | Promise<ElicitResult>;
}

/** Where to find the server, and in which era to speak to it. */
export interface Route {
  via: 'stdio' | 'http' | 'http-process' | URL;
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
  const host = await hostOf(story, via);
  const transport =
    host === undefined ? startProgram(story) : new StreamableHTTPClientTransport(host.url);
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
  try {
    await client.connect(transport);
  } catch (error) {
    await host?.close?.();
    throw error;
  }

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
      await host?.close?.();
    },
  };
}

// A person may think about a question for longer than a call usually takes.
const PATIENCE_MS = 10 * 60_000;

/** The server at a URL, and how to stop it where it was started for this. */
interface Host {
  url: URL;
  close?: () => Promise<void>;
}

/** The host of a server that is reached over HTTP. */
async function hostOf(story: Story, via: Route['via']): Promise<Host | undefined> {
  if (via === 'stdio') return undefined;
  if (via === 'http') return serveHttp(story.buildServer);
  if (via === 'http-process') return startHttpProgram(story);
  return { url: via };
}

/** Starts a server over stdio, with the runtime, and the loaders, of this program. */
function startProgram({ server, env }: Story): StdioClientTransport {
  return new OneProcessTransport({
    command: process.execPath,
    args: [...process.execArgv, fileURLToPath(server)],
    env: { ...process.env, ...env } as Record<string, string>,
  });
}

/** The SDK finds out the era with a second process for its own class, and in place for any other. */
class OneProcessTransport extends StdioClientTransport {}

/** Starts a server over HTTP in the same way, and waits until it says where it listens. */
async function startHttpProgram({ server, env }: Story): Promise<Host> {
  const args = [...process.execArgv, fileURLToPath(server), '--http'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = new URL(line.replace('Listening on ', ''));
    const close = async (): Promise<void> => {
      child.kill('SIGINT');
      await ended;
    };
    return { url, close };
  }
  throw new Error(`${server.href} ended before it listened`);
}

function onToolCall(transport: Transport, seen: () => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isJSONRPCRequest(message) && message.method === 'tools/call') seen();
    return send(message, options);
  };
}

function answerOf(result: CallToolResult, rounds: number[]): Answer {
  return {
    text: textOf(result),
    isError: result.isError ?? false,
    structured: result.structuredContent,
    rounds,
  };
}

/** The text of a tool's result. */
export function textOf({ content: [first] }: CallToolResult): string {
  return first?.type === 'text' ? first.text : '';
}

/** The answers of a scripted person. */
export const accept = (content: Record<string, string | number | boolean>): ElicitResult => ({
  action: 'accept',
  content,
});
export const decline: ElicitResult = { action: 'decline' };
export const cancel: ElicitResult = { action: 'cancel' };
