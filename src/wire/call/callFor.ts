/**
 * A request for a tool, as a server received it: what is known about its client is read here, and
 * what went wrong unexpectedly is reported to the server's operator.
 */
import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { errorOf } from '../../errors.js';
import { callTool } from './callTool.js';
import type { ToolDefinition } from '../tool/definition.js';
import { clientFacts } from './era.js';
import type { CheckedOptions } from '../install/options.js';

/** A tool's arguments, after validation. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a tool answers: a result, or questions. */
export type Answer = CallToolResult | InputRequiredResult;

/** One request for a tool. */
export interface ToolRequest {
  readonly args: Arguments;
  readonly ctx: ServerContext;
  readonly options: CheckedOptions;
}

/** Calls a tool for a request that a server received. */
export function callFor(
  server: Server,
  tool: ToolDefinition,
  { args, ctx, options }: ToolRequest,
): Promise<Answer> {
  return callTool(tool, args, {
    ctx,
    ...clientFacts(server, ctx),
    askTimeoutMs: options.askTimeoutMs,
    errors: options.errors,
    onUnexpectedError: (error) => {
      if (!ctx.mcpReq.signal.aborted) report(server, error);
    },
  });
}

/** Tells the server's operator; what their function throws must not change the answer. */
function report(server: Server, error: unknown): void {
  try {
    server.onerror?.(errorOf(error));
  } catch {
    // There is nobody left to tell.
  }
}
