/**
 * Asks a client of the 2025 era: the question is pushed in the middle of the call, and its answer
 * awaited.
 */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
import { ToolError } from '../../errors.js';
import { readResponse } from '../../resolve/ledger.js';
import type { OpenQuestion } from '../../resolve/asking.js';
import type { Round } from '../../resolve/round.js';
import type { CallContext } from '../../define/context.js';

/** How a question is pushed. */
export interface PushOptions {
  readonly ctx: CallContext;
  readonly askTimeoutMs: number;
}

/**
 * Asks one open question and settles it in the round.
 *
 * @throws {@link ToolError} If the answer does not fit, or does not come in time.
 */
export async function pushQuestion(
  round: Round,
  open: OpenQuestion,
  options: PushOptions,
): Promise<void> {
  const response = await send(open, options);
  const { outcome } = await readResponse(open.asked, response, '');
  round.settleOpen(open, outcome);
}

/** Takes any result: the SDK's own check would answer with its validator's words, ours does not. */
const anyResult: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'mcp-resolve', validate: (value) => ({ value }) },
};

async function send(
  { node, asked }: OpenQuestion,
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
