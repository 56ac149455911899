/**
 * Makes the context that resolvers and bodies see. The multi-round material is taken out of it: it
 * belongs to the library, and a tool called from inside another one must not find the outer one's.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Askable, CallContext } from '../../define/context.js';
import { CAPABILITIES } from '../../question/capability.js';
import type { ClientFacts } from './era.js';

/** A call's context, and the way to tell its functions that their result is no longer wanted. */
export interface OpenContext {
  readonly context: CallContext;
  readonly abort: () => void;
}

/** What is known about a call and its client. */
export interface CallFacts extends ClientFacts {
  readonly callId: string;
}

/** Opens the context of a call. */
export function openContext(ctx: ServerContext, facts: CallFacts): OpenContext {
  const { mcpReq } = withoutAnswers(ctx);
  const call = new AbortController();
  const abort = (): void => {
    call.abort();
  };
  // Few functions look at the signal, so it follows the request's from the first time one does.
  let follows = false;
  const context: CallContext = {
    ...ctx,
    mcpReq: { ...mcpReq, requestState: () => undefined },
    get signal() {
      if (!follows) followAbort(mcpReq.signal, call);
      follows = true;
      return call.signal;
    },
    protocolVersion: facts.protocolVersion,
    clientCapabilities: facts.clientCapabilities,
    canAsk: (kind) => canAsk(kind, facts.clientCapabilities ?? {}),
    callId: facts.callId,
  };
  return { context, abort };
}

/**
 * The same context without the answers of a client: for whom they are not meant, or where they are
 * forged.
 */
export function withoutAnswers(ctx: ServerContext): ServerContext {
  const { inputResponses: _, droppedInputResponseKeys: __, ...mcpReq } = ctx.mcpReq;
  return { ...ctx, mcpReq };
}

function followAbort(leader: AbortSignal, follower: AbortController): void {
  const abort = (): void => {
    follower.abort(leader.reason);
  };
  if (leader.aborted) abort();
  else leader.addEventListener('abort', abort, { once: true });
}

function canAsk(kind: Askable, declared: ClientCapabilities): boolean {
  if (Object.hasOwn(CAPABILITIES, kind)) return CAPABILITIES[kind].isDeclaredIn(declared);
  throw new TypeError("canAsk() takes 'form', 'url', 'sample' or 'roots'.");
}
