/**
 * The context that resolvers and bodies see. The multi-round material is taken out of it: it
 * belongs to the library, and a tool called from inside another one must not find the outer one's.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Askable, CallContext } from '../define/context.js';
import { allowManyListeners } from '../platform.js';
import { CAPABILITIES } from '../question/capability.js';
import type { ClientFacts } from './clientFacts.js';

/** What is known about a call, besides its request. */
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

/** The signal of one call. It follows the request's signal until the call has ended. */
export class CallSignal {
  /** Called when the request is cancelled. */
  onCancel: ((reason: unknown) => void) | undefined;
  private readonly controller = new AbortController();
  private readonly follow = (): void => {
    this.controller.abort(this.request.reason);
    this.onCancel?.(this.controller.signal.reason);
  };

  constructor(private readonly request: AbortSignal) {
    allowManyListeners(request);
    request.addEventListener('abort', this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Tells the functions of the call that nobody wants their result any more. */
  abort(): void {
    this.release();
    this.controller.abort();
  }

  /** Ends the call: the request can no longer abort the signal. */
  release(): void {
    this.request.removeEventListener('abort', this.follow);
  }
}

type McpRequest = ServerContext['mcpReq'];

/** The same request without the state that travels with it. */
function withoutState(mcpReq: McpRequest): McpRequest {
  const { requestState } = mcpReq as Partial<McpRequest>;
  if (requestState !== undefined && mcpReq.requestState() === undefined) return mcpReq;
  return { ...mcpReq, requestState: () => undefined };
}

/** The same context without a client's answers, where they are forged or for another call. */
export function withoutAnswers(ctx: ServerContext): ServerContext {
  if (!('inputResponses' in ctx.mcpReq) && !('droppedInputResponseKeys' in ctx.mcpReq)) return ctx;
  const { inputResponses: _, droppedInputResponseKeys: __, ...mcpReq } = ctx.mcpReq;
  return { ...ctx, mcpReq };
}

function canAskOf(declared: ClientCapabilities = {}): (kind: Askable) => boolean {
  return (kind) => {
    if (Object.hasOwn(CAPABILITIES, kind)) return CAPABILITIES[kind].isDeclaredIn(declared);
    throw new TypeError("canAsk() takes 'form', 'url', 'sample' or 'roots'.");
  };
}
