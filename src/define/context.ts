/** The second parameter of resolvers and bodies: the SDK's request context and what we know besides. */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';

/** A kind of question, as a client can be asked whether it supports it. */
export type Askable = 'form' | 'url' | 'sample' | 'roots';

/**
 * What a context makes for the first who looks at it. Declared as members of a class, so that the
 * compiler knows that a copy made with `...` does not have them.
 */
declare abstract class MadeOnDemand {
  /** Aborted when this result is no longer wanted: the request was cancelled, or the call failed. */
  abstract get signal(): AbortSignal;
  /** Names this call: 128 random bits, made by the server. */
  abstract get callId(): string;
}

/**
 * The context of a call. Everything of the SDK's `ServerContext` works as in any SDK handler,
 * except that `mcpReq.requestState()` and `mcpReq.inputResponses` read as absent: the library owns
 * them. Pass it on as it is: a copy made with `...` has neither `signal` nor `callId`.
 */
export interface CallContext extends ServerContext, MadeOnDemand {
  /** The negotiated protocol version; `undefined` outside a connection. */
  readonly protocolVersion: string | undefined;
  /** What the client declared; `undefined` where it is not known. */
  readonly clientCapabilities: ClientCapabilities | undefined;
  /** Whether the client declared that it can be asked such a question. */
  readonly canAsk: (kind: Askable) => boolean;
}
