/** What a tool answers: from what its body returned, or from what went wrong. */
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isQuestion } from '../../define/question.js';
import { describeIssues, isObject } from '../../define/schema.js';
import type { Schema } from '../../define/schema.js';
import { messageOf, ToolError } from '../../errors.js';

/** Which errors the model may read: all of them, or only those meant for it. */
export type ErrorPolicy = 'all' | 'toolErrorsOnly';

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
  if (isQuestion(returned) || isInputRequiredResult(returned)) {
    throw new ToolError(
      `the body of '${name}' asked a question, but the multi-round flow is driven either by resolvers or by the tool body: return the question from a resolver`,
    );
  }
  if (outputSchema !== undefined) return structured(outputSchema, returned);
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] };
  if (isObject(returned) && Array.isArray(returned.content)) return returned as CallToolResult;
  throw new ToolError(
    `the body of '${name}' returned ${describe(returned)}; a body returns a string or a CallToolResult, and another value only with outputSchema`,
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

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

/** The result of a call that failed. */
export function toolError(name: string, error: unknown, policy: ErrorPolicy): CallToolResult {
  const shown =
    policy === 'all' || error instanceof ToolError
      ? messageOf(error)
      : 'an unexpected error occurred';
  return {
    content: [{ type: 'text', text: `Error executing tool ${name}: ${shown}` }],
    isError: true,
  };
}
