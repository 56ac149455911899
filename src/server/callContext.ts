/**
 * Creates the context that resolvers and bodies receive. It contains neither answers nor request
 * state, because these belong to the library, and a nested call must not read those of the outer
 * call.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Askable, CallContext } from '../define/context.js';
import { CAPABILITIES } from '../question/capability.js';
import type { ClientFacts } from './clientFacts.js';

/** The facts about a call besides its request. */
export interface CallFacts extends ClientFacts {
  readonly callId: string;
  readonly signal: AbortSignal;
}

/** Creates the context of a call. */
export function createContext(ctx: ServerContext, facts: CallFacts): CallContext {
  const { callId, signal, protocolVersion, clientCapabilities } = facts;
  return {
    ...ctx,
    mcpReq: withoutState(withoutAnswers(ctx).mcpReq),
    protocolVersion,
    clientCapabilities,
    canAsk: canAskOf(clientCapabilities),
    signal,
    callId,
  };
}

/** The signal of one call. It follows the request's signal until the call ends. */
export class CallSignal {
  /** Called when the request is cancelled. */
  onCancel: ((reason: unknown) => void) | undefined;
  private readonly controller = new AbortController();
  private readonly follow = (): void => {
    this.controller.abort(this.request.reason);
    this.onCancel?.(this.controller.signal.reason);
  };

  constructor(private readonly request: AbortSignal) {
    request.addEventListener('abort', this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts the signal, because the results of the call are no longer needed. */
  abort(): void {
    this.release();
    this.controller.abort();
  }

  /** Stops following the request, which can no longer abort the signal. */
  release(): void {
    this.request.removeEventListener('abort', this.follow);
  }
}

type McpRequest = ServerContext['mcpReq'];

/** Returns the same request without its state. */
function withoutState(mcpReq: McpRequest): McpRequest {
  const { requestState } = mcpReq as Partial<McpRequest>;
  if (requestState !== undefined && mcpReq.requestState() === undefined) return mcpReq;
  return { ...mcpReq, requestState: () => undefined };
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

function canAskOf(declared: ClientCapabilities = {}): (kind: Askable) => boolean {
  return (kind) => {
    if (Object.hasOwn(CAPABILITIES, kind)) return CAPABILITIES[kind].isDeclaredIn(declared);
    throw new TypeError("canAsk(): `kind` must be 'form', 'url', 'sample' or 'roots'.");
  };
}
