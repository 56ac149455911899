/**
 * Single rounds and crafted state: what a client of the modern era sends by hand, round by round,
 * and what a client of the legacy era answers by hand. {@link readState} and {@link writeState} are
 * the only places that know what stands inside a `requestState`.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { install, requestStateSeal } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';

import { errorTextOf, questionsOf, textOf } from './results.js';
import { type Factory, httpHandler } from './servers.js';
import { post, rawLegacy } from './wire.js';
import { TokenKey } from './token.js';

/** What a round answers: questions, or the result. */
export type RoundResult = InputRequiredResult | CallToolResult;

/** What a round carries besides the tool and its arguments; sent as it is, however malformed. */
export interface RoundInput {
  readonly args?: Record<string, unknown>;
  readonly inputResponses?: unknown;
  readonly requestState?: unknown;
}

const KEY = 'a key of the tests, 32 bytes or more';

// Large answers are a subject of some tests, the limit on them is that of others.
const seal = requestStateSeal({ keys: [KEY], audience: 'behaviours', maxStateBytes: 32_000_000 });

/** A factory of servers with these tools, and with a key that the tests have too. */
export function serving(...tools: Tool[]): Factory {
  return () => {
    const server = new McpServer({ name: 'behaviours', version: '1.0.0' });
    install(server, tools, { seal });
    return server;
  };
}

const CAPABILITIES = { elicitation: {}, sampling: { tools: {} }, roots: {} };

/** Sends rounds of one tool by hand, from a client that can be asked anything. */
export function roundsOf(tool: Tool): (input?: RoundInput) => Promise<RoundResult> {
  const handler = httpHandler(serving(tool));
  return async ({ args = {}, ...rest } = {}) => {
    const params = { name: tool.name, arguments: args, ...rest };
    const { body } = await post(handler, 'tools/call', params, { capabilities: CAPABILITIES });
    if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
    return body.result as RoundResult;
  };
}

/** The retry of a round: its state, and these answers. */
export function answering(
  result: RoundResult,
  inputResponses: Record<string, unknown>,
): RoundInput {
  return { inputResponses, requestState: questionsOf(result).requestState };
}

/** The messages of the forms that a round asks, by wire key. */
export function messagesOf(result: RoundResult): Record<string, unknown> {
  const { requests } = questionsOf(result);
  return Object.fromEntries(
    Object.entries(requests).map(([key, { params }]) => [key, params?.message]),
  );
}

/** How a call on the legacy era went whose questions were answered by hand. */
export interface LegacyCall {
  readonly result: CallToolResult;
  /** The requests that the server pushed, without their ids. */
  readonly pushed: { method: string; params?: Record<string, unknown> }[];
}

/** Calls a tool on the legacy era; every question gets the next of `responses`, as it is. */
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

/** What a state says. */
export interface StateRecord {
  v: number;
  outcomes: Record<string, StateEntry>;
  asked: Record<string, string>;
}

/** What stands in the state of a round. */
export function readState(result: RoundResult): StateRecord {
  const { id: _, start: __, ...record } = openRecord(result);
  return record;
}

/**
 * A state that the server takes for its own: that of `origin`, with another record inside. A record
 * that is a text is put there as it is.
 */
export function writeState(origin: RoundResult, record: unknown): string {
  const { id, start } = openRecord(origin);
  const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
  const s =
    typeof record === 'string'
      ? record
      : JSON.stringify(isRecord ? { id, start, ...record } : record);
  const claims = JSON.stringify({ ...openClaims(origin), s });
  return key.seal(claims);
}

/** The key that the servers have. */
const key = new TokenKey(KEY);

/** The record with what it says of the call itself, which no test of its own is about. */
function openRecord(result: RoundResult): StateRecord & { id: string; start: number } {
  return JSON.parse(openClaims(result).s) as StateRecord & { id: string; start: number };
}

function openClaims(result: RoundResult): { s: string } {
  return JSON.parse(key.open(questionsOf(result).requestState)) as { s: string };
}

/** The outcome of a round in one line: its text, its error, or what it asks. */
export function summaryOf(result: RoundResult): string {
  if ('inputRequests' in result) return `asks ${questionsOf(result).keys.join(', ')}`;
  return result.isError === true ? errorTextOf(result) : textOf(result);
}
