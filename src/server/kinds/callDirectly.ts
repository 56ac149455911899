/** Calls a tool without a request of its own: from a test, a script, or another handler. */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { callAlone } from '../definition/directCall.js';
import type { ToolDefinition } from '../definition/toolDefinition.js';
import { parseArguments } from '../definition/parseArguments.js';

/** Validates the arguments, then calls the tool. */
export async function callDirectly(
  tool: ToolDefinition,
  args: unknown,
  ctx?: ServerContext,
): Promise<CallToolResult> {
  const parsed = await parseArguments(tool, args);
  return 'problem' in parsed ? parsed.problem : callAlone(tool, parsed.args, ctx);
}
