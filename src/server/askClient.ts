/**
 * What stands between open questions and the client: the capability gate for both eras, and the
 * push of a question in the middle of a call, which clients of the 2025 era need.
 */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/server';
import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { CallContext } from '../define/context.js';
import type { Outcome } from '../define/model.js';
import { ToolError } from '../errors.js';
import type { UnansweredQuestion } from '../engine/round.js';
import type { ClientFacts } from './clientFacts.js';

/**
 * Lets questions through that the client declared it can answer. All open questions pass before any
 * is asked, so that a client never gets half of them.
 *
 * @throws {ProtocolError} For the first, in walk order, that it cannot answer.
 */
export function assertCanAsk(
  open: readonly UnansweredQuestion[],
  { clientCapabilities }: ClientFacts,
): void {
  for (const { node, asked } of open) {
    if (clientCapabilities === undefined) throw noBackChannel(asked.rendered.method);
    const { name, required, isDeclaredIn } = asked.capability;
    if (isDeclaredIn(clientCapabilities)) continue;
    throw new MissingRequiredClientCapabilityError(
      { requiredCapabilities: required },
      `Client did not declare the ${name} capability required by resolver '${node.key}'`,
    );
  }
}

function noBackChannel(method: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Cannot send '${method}': this transport context has no back-channel for server-initiated requests.`,
  );
}

/** Where a question is pushed, and for how long its answer is awaited. */
export interface PushOptions {
  readonly ctx: CallContext;
  readonly askTimeoutMs: number;
}

/**
 * Asks a client of the 2025 era one question and waits for its answer.
 *
 * @throws {@link ToolError} If the answer does not fit, or does not come in time.
 */
export async function pushQuestion(
  open: UnansweredQuestion,
  options: PushOptions,
): Promise<Outcome<unknown>> {
  const response = await send(open, options);
  const { outcome } = await open.asked.read(response, '');
  return outcome;
}

/** Accepts any result: the SDK's own check would answer with its validator's words, ours does not. */
const anyResult: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'mcp-resolve', validate: (value) => ({ value }) },
};

async function send(
  { node, asked }: UnansweredQuestion,
  { ctx, askTimeoutMs }: PushOptions,
): Promise<unknown> {
  const { method, params, pushedParams } = asked.rendered;
  const sent = pushedParams?.() ?? params;
  try {
    // `send` stamps the id of the call, so that the question rides the call's own stream.
    return await ctx.mcpReq.send({ method, ...(sent && { params: { ...sent } }) }, anyResult, {
      timeout: askTimeoutMs,
      signal: ctx.signal,
    });
  } catch (error) {
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      throw new ToolError(
        `No answer to the question of resolver '${node.key}' came within ${askTimeoutMs / 1000} seconds`,
      );
    }
    throw error;
  }
}
