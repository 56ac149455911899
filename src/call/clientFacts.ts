/**
 * Determines the era of a request and the capabilities of its client. On a server, the negotiated
 * version decides the era. The presence of an envelope does not, because clients of the older era
 * can send one. Without a server, the envelope is all there is.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';

/** The first version that returns questions in results instead of pushing them. */
const FIRST_MODERN = '2026-07-28';

/**
 * Returns true if a version returns questions in `input_required` results. A malformed or absent
 * version counts as old.
 */
export function isModern(protocolVersion: string | undefined): boolean {
  if (protocolVersion === FIRST_MODERN) return true;
  return (
    protocolVersion !== undefined &&
    /^\d{4}-\d{2}-\d{2}$/.test(protocolVersion) &&
    protocolVersion >= FIRST_MODERN
  );
}

/** The facts that a server knows about the client of a request. */
export interface ClientFacts {
  readonly protocolVersion: string | undefined;
  /** `undefined` for older clients that are served without a session. */
  readonly clientCapabilities: ClientCapabilities | undefined;
}

const FACTS = Symbol.for('mcp-resolve.clientFacts');

/** Returns the context with facts that its server does not know. */
export function withFacts(ctx: ServerContext, facts: ClientFacts): ServerContext {
  return Object.assign({}, ctx, { [FACTS]: facts });
}

/** Returns the facts about the client, from the request itself or from its `initialize`. */
export function clientFacts(
  server: Server,
  ctx: ServerContext & { readonly [FACTS]?: ClientFacts },
): ClientFacts {
  if (ctx[FACTS] !== undefined) return ctx[FACTS];
  const protocolVersion = server.getNegotiatedProtocolVersion();
  const clientCapabilities = isModern(protocolVersion)
    ? (envelopeFacts(ctx).clientCapabilities ?? {})
    : (server.getClientCapabilities() ?? undeclared(ctx));
  return { protocolVersion, clientCapabilities };
}

/**
 * Returns the capabilities of a legacy client whose `initialize` this server did not receive. If
 * the client skipped it, it has none. Without a session, another server received it.
 */
function undeclared({ http, sessionId }: ServerContext): ClientCapabilities | undefined {
  return hasBackChannel(http, sessionId) ? {} : undefined;
}

/** The part of a request's context that carries its envelope. */
export interface EnvelopeContext {
  readonly mcpReq: { readonly envelope?: object | undefined };
}

/** Returns the facts that the envelope of a request states about its client. */
export function envelopeFacts({ mcpReq }: EnvelopeContext): ClientFacts {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  const version = envelope[PROTOCOL_VERSION_META_KEY];
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
  return {
    protocolVersion: typeof version === 'string' ? version : undefined,
    clientCapabilities: isObject(declared) ? declared : undefined,
  };
}

/**
 * Returns true if the answer to a pushed question can come back. Over HTTP that takes a session.
 * Without one, the answer reaches another server, or a server that all users share.
 */
export function hasBackChannel(http: object | undefined, sessionId: string | undefined): boolean {
  return http === undefined || sessionId !== undefined;
}
