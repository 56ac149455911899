/** The parts that both drivers share: the messages, and the result of a slice. */
import type { Era } from './process.js';

/** The number of flows in flight. */
export const CONNECTIONS = 16;

export interface Sent {
  /** The time from the first request to the last response. */
  readonly seconds: number;
  /** The number of flows. */
  readonly flows: number;
  /** The milliseconds of each flow, without the first of each connection. */
  readonly took: readonly number[];
}

/** Sends at least this many flows to one server. */
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

/** Returns the headers of a call, in the session with this id. */
export function headersOf(era: Era, session?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era,
    ...(era === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': TOOL }),
    ...(session !== undefined && { 'mcp-session-id': session }),
  };
}

/** Returns a call of the tool. In 2026-07-28 it also carries data of the round before. */
export function callOf(era: Era, id: number, carried: object = {}): string {
  const params = era === '2026-07-28' ? { ...CALL, ...carried, _meta: META } : CALL;
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** The first message of a 2025-11-25 session. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, clientInfo: CLIENT },
});

/** Checks that a response, JSON or an event stream, has the result of the tool. */
export function checkDeleted(body: string): void {
  if (!body.includes('"Deleted /tmp/reports with 5 files."'))
    throw new Error(`nothing was deleted: ${body}`);
}
