/** Clients that poll tasks with requests written by hand, and the bank that gives them handles. */
import { memoryStore, requestStateSeal } from 'mcp-resolve';
import type { RequestStateSeal, Tool } from 'mcp-resolve';
import { McpServer } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  ClientCapabilities,
  ServerContext,
} from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';

import { httpHandler, onError, SILENT } from '../../support/servers.js';
import { post, type PostOptions } from '../../support/wire.js';
import { INVOICE, payTool, type PayOptions } from '../bank.js';
import { testDesk, type TestDesk } from '../callers.js';
import type { ApprovalDeskOptions } from 'mcp-resolve/approvals';

export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
export const FORMS_AND_TASKS = { ...TASKS, elicitation: { form: {} } };

/** A task, as `tools/call` or `tasks/get` shows it. */
export interface TaskView {
  readonly resultType: string;
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly inputRequests?: Readonly<
    Record<string, { method: string; params: { message: string } }>
  >;
  readonly result?: CallToolResult & { readonly resultType: string };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly _meta?: Record<string, unknown>;
}

/** An error that a client received. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** One client of one server process. */
export interface Poller {
  readonly send: (
    method: string,
    params: Record<string, unknown>,
    options?: PostOptions,
  ) => ReturnType<typeof post>;
  /** Calls the payment, and returns whatever it answers. */
  readonly call: (
    args?: Record<string, unknown>,
    options?: PostOptions,
  ) => Promise<TaskView & CallToolResult>;
  readonly get: (taskId: string, options?: PostOptions) => Promise<TaskView>;
  readonly update: (taskId: string, inputResponses: object) => Promise<unknown>;
  readonly cancel: (taskId: string) => Promise<unknown>;
  /** Sends a request that must fail. */
  readonly error: (
    method: string,
    params: Record<string, unknown>,
    options?: PostOptions,
  ) => Promise<WireError>;
}

/** The server and the client of a test. */
export interface PollerOptions {
  readonly user?: string;
  readonly capabilities?: ClientCapabilities;
  readonly reported?: unknown[];
  /** Changes the server before or after the tool is installed. */
  readonly before?: (server: McpServer) => void;
  readonly after?: (server: McpServer) => void;
}

/** One seal for all clients of a test, which say who they are in a header. */
export const BY_HEADER: RequestStateSeal = requestStateSeal.ephemeral({
  audience: 'bank',
  principal: (ctx: unknown) => (ctx as ServerContext).http?.req?.headers.get('x-user') ?? undefined,
});

/** Serves a tool over HTTP, and returns a client of it. */
export function pollerOf(tool: Tool, options: PollerOptions = {}): Poller {
  const { user = 'ann', capabilities = TASKS, reported, before, after } = options;
  const handler = httpHandler(() => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    before?.(server);
    install(server, [tool], { seal: BY_HEADER, logger: SILENT });
    after?.(server);
    onError(server, (error) => void reported?.push(error));
    return server;
  });
  const send: Poller['send'] = (method, params, more = {}) =>
    post(handler, method, params, {
      capabilities,
      ...more,
      headers: { 'x-user': user, ...more.headers },
    });
  const resultOf = async (...request: Parameters<Poller['send']>): Promise<unknown> => {
    const { body } = await send(...request);
    if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
    return body.result;
  };
  return {
    send,
    call: (args = INVOICE, more) =>
      resultOf('tools/call', { name: tool.name, arguments: args }, more) as never,
    get: (taskId, more) => resultOf('tasks/get', { taskId }, more) as never,
    update: (taskId, inputResponses) => resultOf('tasks/update', { taskId, inputResponses }),
    cancel: (taskId) => resultOf('tasks/cancel', { taskId }),
    error: async (...request) => {
      const { body } = await send(...request);
      if (body.error === undefined) throw new Error(`expected an error: ${JSON.stringify(body)}`);
      return body.error;
    },
  };
}

/** A bank that gives handles, with everything that a test looks at. */
export interface TaskBank extends TestDesk {
  readonly paid: { readonly callId?: string }[];
  readonly tool: Tool;
}

/** Creates the bank. */
export function taskBank(
  pay: Partial<PayOptions> = {},
  desk: Partial<ApprovalDeskOptions> = {},
): TaskBank {
  const store = desk.store ?? memoryStore();
  const at = testDesk({ tasks: true, ...desk, store });
  const paid: { callId?: string }[] = [];
  return { ...at, paid, tool: payTool(paid, { approvals: at.desk, once: store, ...pay }) };
}
