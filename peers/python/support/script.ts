/**
 * Scripts for two clients, that of the Python SDK (`client.py`) and that of the TypeScript SDK
 * (here). Both return what they saw as the same plain data.
 */
import {
  type CallToolResult,
  Client,
  type CreateMessageResult,
  type ElicitResult,
  type ListRootsResult,
  ProtocolError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Answer, resumeCall, startCall } from 'mcp-resolve/client';

import { output, python } from './python.js';

export interface Program {
  readonly command: string;
  readonly args: string[];
  readonly env?: Record<string, string>;
}

export interface ScriptedCall {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** The name of the tool or prompt, or the URI. */
  readonly name: string;
  readonly arguments: Record<string, string>;
  /** The answers by topic: the first field of a form, or `link`, `model`, `roots`. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Calls round by round, and records the keys of each round. */
  readonly byHand?: boolean;
  /** A string to append to the state. */
  readonly tamper?: string;
}

export interface Script {
  readonly server: string | Program;
  readonly mode: 'auto' | 'legacy';
  /** A client without capabilities. */
  readonly silent?: boolean;
  readonly calls: readonly ScriptedCall[];
}

interface Question {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

export interface Told {
  readonly asked: readonly Question[];
  readonly rounds: readonly (readonly string[])[];
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Transcript {
  readonly protocolVersion: string;
  readonly tools: readonly Record<string, unknown>[];
  readonly calls: readonly Told[];
}

/** Runs a script with the Python client. */
export async function inPython(script: Script): Promise<Transcript> {
  const told = await output(python, ['client.py'], { input: JSON.stringify(script) });
  return plain(JSON.parse(told) as Transcript);
}

/** Runs a script with the TypeScript client. */
export async function inTypeScript({ server, mode, silent, calls }: Script): Promise<Transcript> {
  const capabilities = silent
    ? {}
    : { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  const versionNegotiation = { mode: mode === 'legacy' ? ('legacy' as const) : ('auto' as const) };
  const info = { name: 'peer-client', version: '1.0.0' };
  const client = new Client(info, { capabilities, versionNegotiation });
  const person = new Person();
  if (!silent) person.answerFor(client);
  await client.connect(transportTo(server));
  try {
    const { tools } = await client.listTools();
    const told: Told[] = [];
    for (const call of calls) told.push(await tell(client, call, person));
    const protocolVersion = client.getNegotiatedProtocolVersion()!;
    return plain({ protocolVersion, tools, calls: told });
  } finally {
    await client.close();
  }
}

/** Creates a transport to a URL, or to a program that it starts. */
export function transportTo(server: string | Program): Transport {
  if (typeof server === 'string') return new StreamableHTTPClientTransport(new URL(server));
  return new OneProcessTransport({ ...server, stderr: 'ignore' });
}

/** A subclass, because the SDK's own class starts a second process to detect the era. */
class OneProcessTransport extends StdioClientTransport {}

class Person {
  answers: ScriptedCall['answers'] = {};
  diary: Question[] = [];

  answerFor(client: Client): void {
    client.setRequestHandler('elicitation/create', (asked) => this.answer(asked) as ElicitResult);
    client.setRequestHandler(
      'sampling/createMessage',
      (asked) => this.answer(asked) as CreateMessageResult,
    );
    client.setRequestHandler('roots/list', (asked) => this.answer(asked) as ListRootsResult);
  }

  answer({ method, params }: { method: string; params?: object | undefined }): Answer {
    const question = { method, ...(params !== undefined && { params: { ...params } }) };
    this.diary.push(question);
    return this.answers[topicOf(question)]!;
  }
}

function topicOf({ method, params }: Question): string {
  if (method === 'roots/list') return 'roots';
  if (method === 'sampling/createMessage') return 'model';
  const schema = params?.requestedSchema as { properties: object } | undefined;
  return schema === undefined ? 'link' : Object.keys(schema.properties)[0]!;
}

async function tell(client: Client, call: ScriptedCall, person: Person): Promise<Told> {
  person.answers = call.answers;
  person.diary = [];
  const rounds: string[][] = [];
  try {
    const result = await (call.byHand
      ? makeByHand(client, call, { person, rounds })
      : make(client, call));
    return { asked: person.diary, rounds, result: result };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    // Neither client reports the rounds of a failed call.
    return { asked: person.diary, rounds: [], error: { code, message, data } };
  }
}

async function make(client: Client, { method, name, arguments: args }: ScriptedCall) {
  if (method === 'tools/call') return client.callTool({ name, arguments: args });
  if (method === 'prompts/get') return client.getPrompt({ name, arguments: args });
  return client.readResource({ uri: name });
}

async function makeByHand(
  client: Client,
  { name, arguments: args, tamper = '' }: ScriptedCall,
  { person, rounds }: { person: Person; rounds: string[][] },
): Promise<CallToolResult> {
  let call = await startCall(client, { name, arguments: args });
  while (!call.done) {
    rounds.push(Object.keys(call.questions));
    const answers = Object.entries(call.questions).map(([key, question]) => {
      return [key, person.answer(question)] as const;
    });
    const { requestState = '', ...saved } = call.toJSON();
    const next = resumeCall(client, { ...saved, requestState: requestState + tamper });
    call = await next.answer(Object.fromEntries(answers));
  }
  return call.result;
}

// Properties that one of the SDKs adds or omits.
const OWN_ACCOUNT = ['_meta', 'resultType', 'elicitationId', 'ttlMs', 'cacheScope'];

/** Removes the properties that depend on the SDK and not on the call. */
function plain(transcript: Transcript): Transcript {
  const text = JSON.stringify(transcript, (key, value: unknown) => {
    if (OWN_ACCOUNT.includes(key) || value === null) return undefined;
    return key === 'isError' && value === false ? undefined : value;
  });
  return JSON.parse(text) as Transcript;
}
