/** The story of one call of a tool, from validated arguments to the result. */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { ToolError } from '../../errors.js';
import type { ToolDefinition } from '../tool/definition.js';
import { resolveArguments } from './resolveArguments.js';
import type { ResolveOptions } from './resolveArguments.js';
import { toolError, toolResult } from '../tool/toolResult.js';
import type { ErrorPolicy } from '../tool/toolResult.js';

/** What a call is made with, besides its arguments. */
export interface CallOptions extends ResolveOptions {
  readonly errors: ErrorPolicy;
  /** Told of every error that was not meant for the model, so that nothing is lost. */
  readonly onUnexpectedError: (error: unknown) => void;
}

/**
 * Calls a tool: resolves its parameters, asks if it has to, runs the body, and answers.
 *
 * @throws {ProtocolError} For the client; everything else becomes a tool error, for the model.
 */
export async function callTool(
  tool: ToolDefinition,
  args: Readonly<Record<string, unknown>>,
  options: CallOptions,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const resolution = await resolveArguments(tool.plan, args, options);
    if (!resolution.done) return resolution.result;
    const returned = await tool.body({ ...args, ...resolution.values }, resolution.ctx);
    return await toolResult(tool, returned);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!(error instanceof ToolError)) options.onUnexpectedError(error);
    return toolError(tool.name, error, options.errors);
  }
}
