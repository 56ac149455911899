/** The messages of both protocol eras, as a client sends them. */

export type Era = '2026-07-28' | '2025-11-25';

/** A call of a tool, and the answers to its questions. */
export interface Flow {
  readonly tool: string;
  readonly args: object;
  /** The content of the form of each round. */
  readonly answers: readonly object[];
  /** A part of the last response. */
  readonly done: string;
}

const folder = {
  tool: 'delete_folder',
  args: { path: '/tmp/reports', reason: 'unused' },
  done: '"Deleted /tmp/reports with 5 files."',
};

/** The flows. A server has the tool of one of them. */
export const flows = {
  plain: { ...folder, answers: [] },
  confirm: { ...folder, answers: [{ confirm: true }] },
  refund: {
    tool: 'refund_order',
    args: { order_id: 'ORD-7002', reason: 'arrived broken' },
    answers: [{ full: true, sku: '' }, { restock: true }],
    done: '4800',
  },
} satisfies Record<string, Flow>;

export type FlowName = keyof typeof flows;

const CAPABILITIES = { elicitation: { form: {} } };
const CLIENT = { name: 'bench', version: '1.0.0' };

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
};

export const accepted = (content: object): object => ({ action: 'accept', content });

/** Returns the headers of a call, in the session with this id. */
export function headersOf(era: Era, tool: string, session?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era,
    ...(era === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': tool }),
    ...(session !== undefined && { 'mcp-session-id': session }),
  };
}

/** Returns a call of the tool. In 2026-07-28 it also carries data of the round before. */
export function callOf(era: Era, { tool, args }: Flow, id: number, carried: object = {}): string {
  const call = { name: tool, arguments: args };
  const params = era === '2026-07-28' ? { ...call, ...carried, _meta: META } : call;
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** The first message of a 2025-11-25 session. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, clientInfo: CLIENT },
});

/** Checks that a response, JSON or an event stream, is the last one of a flow. */
export function checkDone(flow: Flow, body: string): void {
  if (!body.includes(flow.done)) throw new Error(`${flow.tool} did not end: ${body}`);
}
