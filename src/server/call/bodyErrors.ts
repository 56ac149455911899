/** What no body may do or return, whatever it is the body of. */
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import { isQuestion } from '../../define/question.js';
import { ToolError } from '../../errors.js';

/** @throws {@link ToolError} If a body asked. */
export function assertNotAsking(name: string, returned: unknown): void {
  if (isQuestion(returned) || isInputRequiredResult(returned)) throw asking(name);
}

/** What a body gets that asks, or makes a question that nobody is asked. */
export function asking(name: string): ToolError {
  return new ToolError(
    `the body of '${name}' asked a question, but the multi-round flow is driven either by resolvers or by the tool body: return the question from a resolver`,
  );
}

/** A value that is no result, for the sentence about it. */
export function describeReturned(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
