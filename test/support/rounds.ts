/**
 * Single rounds and forged states. {@link roundsOf} sends the rounds of a modern call by hand, and
 * {@link callOnLegacy} answers the questions of a legacy call by hand. Only {@link readState} and
 * {@link writeState} know the content of a `requestState`.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
} from '@modelcontextprotocol/server';
import { install, requestStateSeal } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';

import { errorTextOf, questionsOf, textOf } from './results.js';
import { type Factory, httpHandler } from './servers.js';
import { post, rawLegacy } from './wire.js';
import { TokenKey } from './token.js';

/** The result of a round: questions, or the result of the call. */
export type RoundResult = InputRequiredResult | CallToolResult;

/** The input of a round. It is sent unchanged, even if it is malformed. */
export interface RoundInput {
  /** The capabilities that this round declares. Default: those for all kinds of question. */
  readonly capabilities?: ClientCapabilities;
  readonly args?: Record<string, unknown>;
  readonly inputResponses?: unknown;
  readonly requestState?: unknown;
}

const KEY = 'a key of the tests, 32 bytes or more';

// Some tests send large answers. Other tests cover the limit.
const seal = requestStateSeal({
  keys: [KEY],
  audience: 'behaviours',
  maxStateBytes: 32_000_000,
  principal: () => 'the user of the tests',
});

/** Creates servers with these tools. The tests have the key of their seal. */
export function serving(...tools: Tool[]): Factory {
  return () => {
    const server = new McpServer({ name: 'behaviours', version: '1.0.0' });
    install(server, tools, { seal });
    return server;
  };
}

const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
} as const satisfies ClientCapabilities;

/** Returns a function that sends single rounds of a tool. */
export function roundsOf(tool: Tool): (input?: RoundInput) => Promise<RoundResult> {
  const handler = httpHandler(serving(tool));
  return async ({ args = {}, capabilities = CAPABILITIES, ...rest } = {}) => {
    const params = { name: tool.name, arguments: args, ...rest };
    const { body } = await post(handler, 'tools/call', params, { capabilities });
    if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
    return body.result as RoundResult;
  };
}

/** Creates the input of the next round: the state of this one, and the answers. */
export function answering(
  result: RoundResult,
  inputResponses: Record<string, unknown>,
): RoundInput {
  return { inputResponses, requestState: questionsOf(result).requestState };
}

/** Returns the messages of a round's forms, by wire key. */
export function messagesOf(result: RoundResult): Record<string, unknown> {
  const { requests } = questionsOf(result);
  return Object.fromEntries(
    Object.entries(requests).map(([key, { params }]) => [key, params?.message]),
  );
}

/** The result of {@link callOnLegacy}. */
export interface LegacyCall {
  readonly result: CallToolResult;
  /** The requests that the server sent, without their ids. */
  readonly pushed: { method: string; params?: Record<string, unknown> }[];
}

/** Calls a tool on the legacy era, and answers its questions with `responses`, in order. */
export async function callOnLegacy(
  tool: Tool,
  responses: readonly unknown[],
  args: Record<string, unknown> = {},
): Promise<LegacyCall> {
  const remaining = [...responses];
  const client = await rawLegacy(serving(tool), {
    capabilities: CAPABILITIES,
    answer: () => ({ result: remaining.shift() }),
  });
  const { result, error } = await client.request('tools/call', {
    name: tool.name,
    arguments: args,
  });
  if (result === undefined) throw new Error(`expected a result: ${JSON.stringify(error)}`);
  return {
    result: result as unknown as CallToolResult,
    pushed: client.received.map(({ method, params }) => ({ method, ...(params && { params }) })),
  };
}

/** One recorded answer. */
export interface StateEntry {
  action: string;
  data?: unknown;
  q?: string;
}

/** The record inside a state. */
export interface StateRecord {
  v: number;
  outcomes: Record<string, StateEntry>;
  asked: Record<string, string>;
}

/** Reads the state of a round, without what it says of the call. */
export function readState(result: RoundResult): StateRecord {
  const { id, definition, args, start, deadline, ...record } = openRecord(result);
  return record;
}

/**
 * Creates a state that the server accepts: the state of `origin`, with another record. A string is
 * used as the record's JSON.
 */
export function writeState(origin: RoundResult, record: unknown): string {
  const { id, definition, args, start, deadline } = openRecord(origin);
  const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
  const s =
    typeof record === 'string'
      ? record
      : JSON.stringify(isRecord ? { id, definition, args, start, deadline, ...record } : record);
  const claims = JSON.stringify({ ...openClaims(origin), s });
  return key.seal(claims);
}

type WholeRecord = StateRecord & {
  id: string;
  definition: string;
  args: string;
  start: number;
  deadline: number;
};

/** The key of the servers. */
const key = new TokenKey(KEY);

/** Reads the whole record, with the id and the times of the call. */
function openRecord(result: RoundResult): WholeRecord {
  return JSON.parse(openClaims(result).s) as WholeRecord;
}

function openClaims(result: RoundResult): { s: string } {
  return JSON.parse(key.open(questionsOf(result).requestState)) as { s: string };
}

/** Summarizes a round in one line: its text, its error message, or the keys of its questions. */
export function summaryOf(result: RoundResult): string {
  if ('inputRequests' in result) return `asks ${questionsOf(result).keys.join(', ')}`;
  return result.isError === true ? errorTextOf(result) : textOf(result);
}
