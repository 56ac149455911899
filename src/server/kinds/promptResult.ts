/** What a prompt answers: from what its body returned, or from what went wrong. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { GetPromptResult } from '@modelcontextprotocol/server';
import { isObject } from '../../define/schema.js';
import { ToolError } from '../../errors.js';
import { shownMessage } from '../call/callable.js';
import type { ErrorPolicy } from '../call/callable.js';
import { assertNotAsking, describeReturned } from '../call/bodyErrors.js';

/**
 * The result of a prompt whose body returned; a text is what the user says.
 *
 * @throws {@link ToolError} If what it returned is no result of a prompt.
 */
export function promptResult(name: string, returned: unknown): GetPromptResult {
  assertNotAsking(name, returned);
  if (typeof returned === 'string') {
    return { messages: [{ role: 'user', content: { type: 'text', text: returned } }] };
  }
  if (isObject(returned) && Array.isArray(returned.messages)) return returned as GetPromptResult;
  throw new ToolError(
    `the body of '${name}' returned ${describeReturned(returned)}; the body of a prompt returns a string or a GetPromptResult`,
  );
}

/** @throws {ProtocolError} Always: a prompt has no other way to fail. */
export function failPrompt(name: string, error: unknown, policy: ErrorPolicy): never {
  throw new ProtocolError(
    ProtocolErrorCode.InternalError,
    `Error getting prompt ${name}: ${shownMessage(error, policy)}`,
  );
}
