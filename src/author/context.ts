/**
 * The second parameter of resolvers and bodies: the SDK's request context with additional
 * properties.
 */
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';

/** The kinds of questions to the client. */
export const KINDS = ['form', 'url', 'sample', 'roots'] as const;

/** A kind of question that a client can support. */
export type Askable = (typeof KINDS)[number];

/** A kind of question. An approval goes to somebody else, the others to the client. */
export type AskedKind = Askable | 'approval';

/**
 * The context of a call. The SDK's `ServerContext` works as in any SDK handler, with one exception.
 * `mcpReq.requestState()` and `mcpReq.inputResponses` read as absent, because the library owns
 * them.
 */
export interface CallContext extends ServerContext {
  /** Aborted when the result is no longer needed: the request was cancelled, or the call failed. */
  readonly signal: AbortSignal;
  /** The id of this call: 128 random bits, created by the server. */
  readonly callId: string;
  /** The negotiated protocol version, or `undefined` outside a connection and on SDK 1.x. */
  readonly protocolVersion: string | undefined;
  /** The capabilities that the client declared, or `undefined` if they are not known. */
  readonly clientCapabilities: ClientCapabilities | undefined;
  /** Returns true if the client declared support for that kind of question. */
  readonly canAsk: (kind: Askable) => boolean;
}
