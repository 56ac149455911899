/** The second parameter of resolvers and bodies: the SDK's request context and what we know besides. */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';

/** A kind of question, as a client can be asked whether it supports it. */
export type Askable = 'form' | 'url' | 'sample' | 'roots';

/**
 * The context of a call. Everything of the SDK's `ServerContext` works as in any SDK handler,
 * except that `mcpReq.requestState()` and `mcpReq.inputResponses` read as absent: the library owns
 * them.
 */
export interface CallContext extends ServerContext {
  /** Aborted when nobody wants the result any more: the request was cancelled, or the call failed. */
  readonly signal: AbortSignal;
  /** Names this call: 128 random bits, made by the server. */
  readonly callId: string;
  /** The negotiated protocol version; `undefined` outside a connection. */
  readonly protocolVersion: string | undefined;
  /** What the client declared; `undefined` where it is not known. */
  readonly clientCapabilities: ClientCapabilities | undefined;
  /** Returns true if the client declared that it can be asked such a question. */
  readonly canAsk: (kind: Askable) => boolean;
}
