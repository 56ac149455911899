/** What a tool answers: from what its body returned, or from what went wrong. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { describeIssues, isObject } from '../../define/schema.js';
import type { Schema } from '../../define/schema.js';
import { ToolError } from '../../errors.js';
import { shownMessage } from '../call/callable.js';
import type { ErrorPolicy } from '../call/callable.js';
import { assertNotAsking, describeReturned } from '../call/bodyErrors.js';
import { ONCE_META_KEY, OnceError } from '../../once/onceError.js';

/** What a result is made with. */
export interface ResultSpec {
  readonly name: string;
  readonly outputSchema: Schema | undefined;
}

/**
 * The result of a call whose body returned.
 *
 * @throws {@link ToolError} If what it returned is no result of this tool.
 */
export async function toolResult(
  { name, outputSchema }: ResultSpec,
  returned: unknown,
): Promise<CallToolResult> {
  assertNotAsking(name, returned);
  if (outputSchema !== undefined) return structured(outputSchema, returned);
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] };
  if (isObject(returned) && Array.isArray(returned.content)) return returned as CallToolResult;
  throw new ToolError(
    `the body of '${name}' returned ${describeReturned(returned)}; a body returns a string or a CallToolResult, and another value only with outputSchema`,
  );
}

/** The validated value, so that what the schema does not name never leaves the server. */
async function structured(schema: Schema, returned: unknown): Promise<CallToolResult> {
  const result = await schema['~standard'].validate(returned);
  if (result.issues !== undefined) {
    throw new ToolError(`the result does not match outputSchema: ${describeIssues(result.issues)}`);
  }
  const text = JSON.stringify(result.value) as string | undefined;
  if (text === undefined) throw new ToolError('the result is not JSON');
  return {
    content: [{ type: 'text', text }],
    structuredContent: result.value,
  };
}

/** The result of a call that failed. */
export function toolError(name: string, error: unknown, policy: ErrorPolicy): CallToolResult {
  const text = `Error executing tool ${name}: ${shownMessage(error, policy)}`;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(error instanceof OnceError && { _meta: { [ONCE_META_KEY]: error.reason } }),
  };
}
