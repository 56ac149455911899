/** Removes from the context of a request what does not belong to a call. */
import type { ServerContext } from '@modelcontextprotocol/server';

/** Returns the same context without state and answers, which belong to another call. */
export function withoutProgress(ctx: ServerContext): ServerContext {
  const inner = withoutAnswers(ctx);
  const { mcpReq } = inner;
  const { requestState } = mcpReq as Partial<ServerContext['mcpReq']>;
  if (requestState !== undefined && mcpReq.requestState() === undefined) return inner;
  return { ...ctx, mcpReq: { ...mcpReq, requestState: () => undefined } };
}

/**
 * Returns the same context without the client's answers, which are forged or belong to another
 * call.
 */
export function withoutAnswers(ctx: ServerContext): ServerContext {
  if (!('inputResponses' in ctx.mcpReq) && !('droppedInputResponseKeys' in ctx.mcpReq)) return ctx;
  const { inputResponses: _, droppedInputResponseKeys: __, ...mcpReq } = ctx.mcpReq;
  return { ...ctx, mcpReq };
}
