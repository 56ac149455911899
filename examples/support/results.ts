/** Reads the results and the errors of calls. */
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/client';

/** Returns the first text of a result. */
export function textOf({ content: [first] }: CallToolResult): string {
  if (first?.type === 'resource') return 'text' in first.resource ? first.resource.text : '';
  return first?.type === 'text' ? first.text : '';
}

/** Returns the code and the message of the protocol error that a request must end with. */
export async function refusalOf(request: Promise<unknown>): Promise<[number, string]> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ProtocolError) return [error.code, error.message];
    throw error;
  }
  throw new Error('the request did not fail');
}

/** Returns the text of a result, or the code, message and data of the protocol error. */
export async function endOf(result: Promise<CallToolResult>): Promise<unknown> {
  try {
    return textOf(await result);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.code, error.message, error.data];
  }
}
