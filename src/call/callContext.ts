/**
 * Creates the context that resolvers and bodies receive. It contains neither answers nor request
 * state, because these belong to the library, and a nested call must not read those of the outer
 * call.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Askable, CallContext } from '../author/context.js';
import { CAPABILITIES } from '../question/capability.js';
import type { Call } from './call.js';
import { withoutProgress } from './requestContext.js';

const CALL = Symbol.for('mcp-resolve.call');

/** A function returns the call, so that a logged context does not show it. */
type CallingContext = ServerContext & { readonly [CALL]?: () => Call };

export function callOf(ctx: CallingContext): Call | undefined {
  return ctx[CALL]?.();
}

export function createContext(call: Call, signal: AbortSignal): CallContext {
  const { ctx, id: callId, protocolVersion, clientCapabilities } = call;
  const known: CallContext & CallingContext = {
    ...ctx,
    [CALL]: () => call,
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
  readonly signal = this.controller.signal;
  private readonly follow = (): void => {
    this.controller.abort(this.request.reason);
    this.onCancel?.(this.signal.reason);
  };

  constructor(private readonly request: AbortSignal) {
    request.addEventListener('abort', this.follow, { once: true });
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

function canAskOf(declared: ClientCapabilities = {}): (kind: Askable) => boolean {
  return (kind) => {
    if (Object.hasOwn(CAPABILITIES, kind)) return CAPABILITIES[kind].isDeclaredIn(declared);
    throw new TypeError("canAsk(): `kind` must be 'form', 'url', 'sample' or 'roots'.");
  };
}
