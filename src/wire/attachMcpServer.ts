/** Attaches a tool to an McpServer: registered as any other, so listing, enabling and updating work. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { messageOf } from '../errors.js';
import { laneOf } from './boundary.js';
import { callTool } from './callTool.js';
import type { ToolDefinition } from './definition.js';
import { clientFacts } from './era.js';
import type { CheckedOptions } from './options.js';

type Arguments = Readonly<Record<string, unknown>>;
type Answer = CallToolResult | InputRequiredResult;

/** Registers a tool. */
export function attachToMcpServer(
  mcp: McpServer,
  tool: ToolDefinition,
  options: CheckedOptions,
): void {
  const { name, metadata, inputSchema, advertisedOutput } = tool;
  const config = { ...metadata, ...(advertisedOutput && { outputSchema: advertisedOutput }) };
  const answer = async (args: Arguments, ctx: ServerContext): Promise<Answer> => {
    try {
      return await callFor(mcp.server, tool, { args, ctx, options });
    } catch (error) {
      // McpServer would turn it into a tool error, so it takes the lane and the answer is never seen.
      const lane = takesLane(error) ? laneOf(ctx) : undefined;
      if (lane === undefined) throw error;
      lane.error = error as ProtocolError;
      return { content: [], isError: true };
    }
  };
  if (inputSchema === undefined) mcp.registerTool(name, config, (ctx) => answer({}, ctx));
  else
    mcp.registerTool(name, { ...config, inputSchema }, (args, ctx) =>
      answer(args as Arguments, ctx),
    );
}

const URL_ELICITATION_REQUIRED: number = ProtocolErrorCode.UrlElicitationRequired;

/** The one that McpServer lets through is left to the SDK, which has its own answer for each era. */
function takesLane(error: unknown): boolean {
  return error instanceof ProtocolError && error.code !== URL_ELICITATION_REQUIRED;
}

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
  request: ToolRequest,
): Promise<Answer> {
  const { args, ctx, options } = request;
  return callTool(tool, args, {
    ctx,
    ...clientFacts(server, ctx),
    askTimeoutMs: options.askTimeoutMs,
    errors: options.errors,
    onUnexpectedError: (error) => {
      if (ctx.mcpReq.signal.aborted) return;
      server.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
    },
  });
}
