/** Reads the results of calls, and fails the test if a result is of another kind. */
import {
  isInputRequiredResult,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';

/** Returns the text of a result that is not an error. */
export function textOf(result: CallToolResult | InputRequiredResult): string {
  if (isInputRequiredResult(result) || result.isError === true) {
    throw new Error(`expected a complete result, got ${JSON.stringify(result)}`);
  }
  return onlyText(result);
}

/** Returns the text of a tool error. */
export function errorTextOf(result: CallToolResult | InputRequiredResult): string {
  if (isInputRequiredResult(result) || result.isError !== true) {
    throw new Error(`expected a tool error, got ${JSON.stringify(result)}`);
  }
  return onlyText(result);
}

function onlyText({ content }: CallToolResult): string {
  const [block] = content;
  if (content.length !== 1 || block?.type !== 'text') {
    throw new Error(`expected one text block, got ${JSON.stringify(content)}`);
  }
  return block.text;
}

/** The questions of a round, by wire key, and the state for the next round. */
export interface RoundQuestions {
  readonly requests: Record<string, { method: string; params?: Record<string, unknown> }>;
  readonly keys: string[];
  readonly requestState: string;
}

/** Returns the questions of a round. */
export function questionsOf(result: CallToolResult | InputRequiredResult): RoundQuestions {
  if (!isInputRequiredResult(result)) {
    throw new Error(`expected questions, got ${JSON.stringify(result)}`);
  }
  const requests = (result.inputRequests ?? {}) as RoundQuestions['requests'];
  return { requests, keys: Object.keys(requests), requestState: result.requestState! };
}

/** A JSON-RPC error as a comparable value. `data` is absent if there is none. */
export interface ProtocolFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns the protocol error that a call ends with. */
export async function protocolErrorOf(call: Promise<unknown>): Promise<ProtocolFailure> {
  const error: unknown = await call.then(
    (result) => {
      throw new Error(`expected a protocol error, got ${JSON.stringify(result)}`);
    },
    (reason: unknown) => reason,
  );
  const { code, message, data } = error as ProtocolFailure;
  if (typeof code !== 'number') throw error as Error;
  return { code, message, ...(data !== undefined && { data }) };
}
