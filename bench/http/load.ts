/** What the drivers have in common: the messages, and what they tell of a slice. */
import type { Era } from './process.js';

/** How many are in flight. */
export const CONNECTIONS = 16;

export interface Sent {
  /** From the first request to the last response. */
  readonly seconds: number;
  /** How many flows there were. */
  readonly flows: number;
  /** How long each flow took, in milliseconds, but for the first of each connection. */
  readonly took: readonly number[];
}

/** Sends so many flows to one server, or a few more. */
export type Load = (flows: number) => Promise<Sent>;

const TOOL = 'delete_folder';
const CALL = { name: TOOL, arguments: { path: '/tmp/reports', reason: 'unused' } };
const CAPABILITIES = { elicitation: { form: {} } };
const CLIENT = { name: 'bench', version: '1.0.0' };

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
};

export const YES = { action: 'accept', content: { confirm: true } };

/** The head of a call, in the session with that id. */
export function headersOf(era: Era, session?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era,
    ...(era === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': TOOL }),
    ...(session !== undefined && { 'mcp-session-id': session }),
  };
}

/** A call of the tool: the whole of it in 2026, with what is carried on from the round before. */
export function callOf(era: Era, id: number, carried: object = {}): string {
  const params = era === '2026-07-28' ? { ...CALL, ...carried, _meta: META } : CALL;
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** The first message of a session of 2025. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, clientInfo: CLIENT },
});

/** What the body said, found in the JSON or the event stream that carries it. */
export function checkDeleted(body: string): void {
  if (!body.includes('"Deleted /tmp/reports with 5 files."'))
    throw new Error(`nothing was deleted: ${body}`);
}
