/** Attaches a tool to an McpServer: registered as any other, so listing, enabling and updating work. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { laneOf } from '../boundary/boundary.js';
import { callFor } from '../call/callFor.js';
import type { Answer, Arguments } from '../call/callFor.js';
import type { ToolDefinition } from '../tool/definition.js';
import type { CheckedOptions } from './options.js';

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
      const lane = laneOf(ctx);
      if (lane === undefined || !takesLane(error)) throw error;
      lane.error = error;
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
function takesLane(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.code !== URL_ELICITATION_REQUIRED;
}
