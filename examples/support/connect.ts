/**
 * Connects the client of a story to its server, in either protocol era.
 *
 * The SDK's client answers questions and retries by itself, so a call of several rounds looks like
 * one call. The connection counts the rounds at the transport.
 */
import {
  type CallToolResult,
  Client,
  type ElicitResult,
  isJSONRPCRequest,
  type Transport,
} from '@modelcontextprotocol/client';

import { capabilitiesOf, type Handlers, setHandlers } from './handlers.js';
import { textOf } from './results.js';
import { reach, type StoryServer, type Via } from './servers.js';

export type { Form, Handlers, Link } from './handlers.js';

/** A client: its handlers, and the token that it sends over HTTP. */
export interface ClientSetup extends Handlers {
  token?: string;
}

/** A story: its server and its client. */
export type Story = StoryServer & ClientSetup;

/** The way to a server, and the protocol era. */
export interface Route {
  via: Via;
  legacy: boolean;
  /** Another client than that of the story. */
  setup?: ClientSetup;
}

/** The result of a call. */
export interface Answer {
  text: string;
  isError: boolean;
  structured: unknown;
  /** The number of questions in each round of the call. */
  rounds: number[];
}

/** A client that is connected to the server of a story. */
export interface Connection {
  client: Client;
  /** The negotiated protocol version. */
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
  const { via, legacy, setup = story } = route;
  const { transport, stop } = await reach(story, via, setup.token);
  let rounds: number[] = [];
  onRound(transport, () => rounds.push(0));

  const client = new Client(
    { name: 'story-client', version: '1.0.0' },
    {
      capabilities: capabilitiesOf(setup),
      versionNegotiation: { mode: legacy ? 'legacy' : 'auto' },
    },
  );
  setHandlers(client, setup, () => {
    rounds.push((rounds.pop() ?? 0) + 1);
    return rounds.length;
  });
  try {
    await client.connect(transport);
  } catch (error) {
    await stop();
    throw error;
  }

  const counted = async (request: () => Promise<Omit<Answer, 'rounds'>>): Promise<Answer> => {
    rounds = [];
    return { ...(await request()), rounds };
  };
  const options = { timeout: TIMEOUT_MS };
  return {
    client,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    call: (name, args) =>
      counted(async () => answerOf(await client.callTool({ name, arguments: args }, options))),
    prompt: (name, args) =>
      counted(async () => {
        const { messages } = await client.getPrompt({ name, arguments: args }, options);
        return answerOf({ content: messages.map(({ content }) => content) });
      }),
    read: (uri) =>
      counted(async () => {
        const { contents } = await client.readResource({ uri }, options);
        return answerOf({ content: contents.map((resource) => ({ type: 'resource', resource })) });
      }),
    close: async () => {
      await client.close();
      await stop();
    },
  };
}

// The user may need longer for a question than the SDK's default timeout of a call.
const TIMEOUT_MS = 10 * 60_000;

const METHODS_THAT_ASK = ['tools/call', 'prompts/get', 'resources/read'];

function onRound(transport: Transport, count: () => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isJSONRPCRequest(message) && METHODS_THAT_ASK.includes(message.method)) count();
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

/** The answers of a scripted user. */
export const accept = (content: Record<string, string | number | boolean>): ElicitResult => ({
  action: 'accept',
  content,
});
export const decline: ElicitResult = { action: 'decline' };
export const cancel: ElicitResult = { action: 'cancel' };
