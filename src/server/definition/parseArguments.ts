/** Validates arguments where McpServer does not do it for us; what it says is what McpServer says. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { describeIssues, isObject } from '../../define/schema.js';
import type { ToolDefinition } from './toolDefinition.js';

/** Valid arguments, or the result that says what is wrong with them. */
export type ParsedArguments =
  { readonly args: Readonly<Record<string, unknown>> } | { readonly problem: CallToolResult };

/** Validates the arguments of a call, once. */
export async function parseArguments(
  { name, inputSchema }: ToolDefinition,
  given: unknown,
): Promise<ParsedArguments> {
  if (inputSchema === undefined) return { args: {} };
  const result = await inputSchema['~standard'].validate(given ?? {});
  if (result.issues === undefined) return { args: isObject(result.value) ? result.value : {} };
  const text = `Input validation error: Invalid arguments for tool ${name}: ${describeIssues(result.issues)}`;
  return { problem: { content: [{ type: 'text', text }], isError: true } };
}
