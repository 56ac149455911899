/**
 * Makes the context that resolvers and bodies see. The multi-round material is taken out of it: it
 * belongs to the library, and a tool called from inside another one must not find the outer one's.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallContext } from '../define/context.js';
import { randomId } from '../platform.js';
import { CAPABILITIES } from '../question/capability.js';
import type { ClientFacts } from './era.js';

/** A call's context, and the way to tell its functions that their result is no longer wanted. */
export interface OpenContext {
  readonly context: CallContext;
  readonly abort: () => void;
}

/** Opens the context of a call. */
export function openContext(ctx: ServerContext, facts: ClientFacts): OpenContext {
  const { inputResponses: _, droppedInputResponseKeys: __, ...mcpReq } = ctx.mcpReq;
  const call = new AbortController();
  // Few functions look at the signal, so it is made for the first one that does.
  let signal: AbortSignal | undefined;
  const context: CallContext = {
    ...ctx,
    mcpReq: { ...mcpReq, requestState: () => undefined },
    get signal() {
      return (signal ??= AbortSignal.any([mcpReq.signal, call.signal]));
    },
    protocolVersion: facts.protocolVersion,
    clientCapabilities: facts.clientCapabilities,
    canAsk: (kind) => CAPABILITIES[kind].isDeclaredIn(facts.clientCapabilities ?? {}),
    callId: randomId(),
  };
  return {
    context,
    abort: () => {
      call.abort();
    },
  };
}
