/**
 * Creates the context that resolvers and bodies receive. It contains neither answers nor request
 * state, because these belong to the library, and a nested call must not read those of the outer
 * call.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Askable, CallContext } from '../define/context.js';
import { CAPABILITIES } from '../question/capability.js';
import type { Logger } from '../state/warnings.js';
import type { ClientFacts } from './clientFacts.js';
import type { ReportError } from './operator.js';

/** The facts about a call besides its request. */
export interface CallFacts extends ClientFacts {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly outer: OuterCall;
}

/** The settings that a nested call takes over from the call around it. */
export interface OuterCall {
  readonly report: ReportError | undefined;
  readonly logger: Logger;
  /** True if the author's code started the call, so there is no client. */
  readonly isDirect: boolean;
}

const OUTER = Symbol.for('mcp-resolve.outerCall');

/** Returns the settings of the call that a context belongs to. */
export function outerCallOf(ctx: ServerContext): OuterCall | undefined {
  return (ctx as { readonly [OUTER]?: OuterCall })[OUTER];
}

/** Creates the context of a call. */
export function createContext(ctx: ServerContext, facts: CallFacts): CallContext {
  const { callId, signal, protocolVersion, clientCapabilities, outer } = facts;
  const known: CallContext & { readonly [OUTER]: OuterCall } = {
    ...ctx,
    [OUTER]: outer,
    mcpReq: withoutProgress(ctx).mcpReq,
    protocolVersion,
    clientCapabilities,
    canAsk: canAskOf(clientCapabilities),
    signal,
    callId,
  };
  return known;
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

/** Returns the same context without state and answers, which belong to another call. */
export function withoutProgress(ctx: ServerContext): ServerContext {
  const { mcpReq } = withoutAnswers(ctx);
  const { requestState } = mcpReq as Partial<ServerContext['mcpReq']>;
  if (requestState !== undefined && mcpReq.requestState() === undefined) return { ...ctx, mcpReq };
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

function canAskOf(declared: ClientCapabilities = {}): (kind: Askable) => boolean {
  return (kind) => {
    if (Object.hasOwn(CAPABILITIES, kind)) return CAPABILITIES[kind].isDeclaredIn(declared);
    throw new TypeError("canAsk(): `kind` must be 'form', 'url', 'sample' or 'roots'.");
  };
}
