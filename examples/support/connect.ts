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
  type ElicitResult,
  isJSONRPCRequest,
  ProtocolError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveHttp } from 'mcp-resolve/node';

import { type Behind, capabilitiesOf, letAnswer } from './person.js';

export type { Behind, Form, Link } from './person.js';

/** A client, told by who is behind it, and by the token that it carries over HTTP. */
export interface Visitor extends Behind {
  token?: string;
}

/** A server as a program, a file next to the caller's. */
export interface Program {
  server: URL;
  /** Changes to the environment, where it is started as a child process. */
  env?: NodeJS.ProcessEnv;
}

/** The server of a story: how to build it or, where it is more than an MCP server, how to open it. */
export type StoryServer = Program &
  ({ buildServer: McpServerFactory } | { openHttp: () => Promise<Host> });

/** A story: its server, and who answers the server's questions. */
export type Story = StoryServer & Visitor;

/** Where to find the server, and in which era to speak to it. */
export interface Route {
  via: 'stdio' | 'http' | 'http-process' | URL;
  legacy: boolean;
  /** Whose client it is, if not the story's own. */
  visitor?: Visitor;
}

/** The end of a call. */
export interface Answer {
  text: string;
  isError: boolean;
  structured: unknown;
  /** How many questions were asked in each round of the call. */
  rounds: number[];
}

/** A client, connected to the server of a story. */
export interface Connection {
  client: Client;
  /** The protocol version that both sides agreed on. */
  protocolVersion: string | undefined;
  /** Calls a tool. */
  call: (tool: string, args: Record<string, unknown>) => Promise<Answer>;
  /** Gets a prompt. */
  prompt: (name: string, args: Record<string, string>) => Promise<Answer>;
  /** Reads a resource. */
  read: (uri: string) => Promise<Answer>;
  close: () => Promise<void>;
}

/** Connects to the server of a story. */
export async function connect(story: Story, route: Route): Promise<Connection> {
  const { via, legacy, visitor = story } = route;
  const host = await hostOf(story, via);
  const transport = host === undefined ? startProgram(story) : transportTo(host.url, visitor.token);
  let rounds: number[] = [];
  onRound(transport, () => rounds.push(0));

  const client = new Client(
    { name: 'story-client', version: '1.0.0' },
    {
      capabilities: capabilitiesOf(visitor),
      versionNegotiation: { mode: legacy ? 'legacy' : 'auto' },
    },
  );
  letAnswer(client, visitor, () => {
    rounds.push((rounds.pop() ?? 0) + 1);
    return rounds.length;
  });
  try {
    await client.connect(transport);
  } catch (error) {
    await host?.close?.();
    throw error;
  }

  const counted = async (request: () => Promise<Omit<Answer, 'rounds'>>): Promise<Answer> => {
    rounds = [];
    return { ...(await request()), rounds };
  };
  const patiently = { timeout: PATIENCE_MS };
  return {
    client,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    call: (name, args) =>
      counted(async () => answerOf(await client.callTool({ name, arguments: args }, patiently))),
    prompt: (name, args) =>
      counted(async () => {
        const { messages } = await client.getPrompt({ name, arguments: args }, patiently);
        return answerOf({ content: messages.map(({ content }) => content) });
      }),
    read: (uri) =>
      counted(async () => {
        const { contents } = await client.readResource({ uri }, patiently);
        return answerOf({ content: contents.map((resource) => ({ type: 'resource', resource })) });
      }),
    close: async () => {
      await client.close();
      await host?.close?.();
    },
  };
}

// A person may think about a question for longer than a call usually takes.
const PATIENCE_MS = 10 * 60_000;

/** The server at a URL, and how to stop it where it was started for this. */
export interface Host {
  url: URL;
  close?: () => Promise<void>;
}

/** The host of a server that is reached over HTTP. */
export async function hostOf(story: StoryServer, via: Route['via']): Promise<Host | undefined> {
  if (via === 'stdio') return undefined;
  if (via === 'http') return 'openHttp' in story ? story.openHttp() : serveHttp(story.buildServer);
  if (via === 'http-process') return startHttpProgram(story);
  return { url: via };
}

/** Starts a server over stdio, with the runtime, and the loaders, of this program. */
function startProgram({ server, env }: Program): StdioClientTransport {
  return new OneProcessTransport({
    command: process.execPath,
    args: [...process.execArgv, fileURLToPath(server)],
    env: { ...process.env, ...env } as Record<string, string>,
  });
}

/** The SDK finds out the era with a second process for its own class, and in place for any other. */
class OneProcessTransport extends StdioClientTransport {}

/** Starts a server over HTTP in the same way, and waits until it says where it listens. */
async function startHttpProgram({ server, env }: Program): Promise<Host> {
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

function transportTo(url: URL, token: string | undefined): Transport {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(url, { requestInit: { headers } });
}

const THAT_MAY_ASK = ['tools/call', 'prompts/get', 'resources/read'];

function onRound(transport: Transport, seen: () => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isJSONRPCRequest(message) && THAT_MAY_ASK.includes(message.method)) seen();
    return send(message, options);
  };
}

function answerOf(result: CallToolResult): Omit<Answer, 'rounds'> {
  return {
    text: textOf(result),
    isError: result.isError ?? false,
    structured: result.structuredContent,
  };
}

/** The text of a result: of a tool, or of what was read into the same form. */
export function textOf({ content: [first] }: CallToolResult): string {
  if (first?.type === 'resource') return 'text' in first.resource ? first.resource.text : '';
  return first?.type === 'text' ? first.text : '';
}

/** The answers of a scripted person. */
export const accept = (content: Record<string, string | number | boolean>): ElicitResult => ({
  action: 'accept',
  content,
});
export const decline: ElicitResult = { action: 'decline' };
export const cancel: ElicitResult = { action: 'cancel' };

/** The code and the message of the protocol error that a request must end with. */
export async function refusalOf(request: Promise<unknown>): Promise<[number, string]> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ProtocolError) return [error.code, error.message];
    throw error;
  }
  throw new Error('the request was not refused');
}
