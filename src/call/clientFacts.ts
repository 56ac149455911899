/**
 * Determines the era of a request and the capabilities of its client. On a server, the negotiated
 * version decides the era. The presence of an envelope does not, because clients of the older era
 * can send one. Without a server, the envelope is all there is.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import { limitCapabilities } from './usableCapabilities.js';
import type { CapabilityLimit, DeclaredClient } from './usableCapabilities.js';

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
  /** The name and version of the client, as it sent them. */
  readonly clientInfo?: unknown;
}

const FACTS = Symbol.for('mcp-resolve.clientFacts');

/** Returns the context with facts that its server does not know. */
export function withFacts(ctx: ServerContext, facts: ClientFacts): ServerContext {
  return Object.assign({}, ctx, { [FACTS]: facts });
}

const LIMITS = Symbol.for('mcp-resolve.capabilityLimits');

type LimitedServer = Server & { readonly [LIMITS]?: readonly CapabilityLimit[] };

/** Limits the capabilities of the clients of a server. Limits of several installations add up. */
export function addLimit(server: LimitedServer, limit: CapabilityLimit): void {
  const value = [...(server[LIMITS] ?? []), limit];
  Object.defineProperty(server, LIMITS, { value, configurable: true });
}

/** Returns the facts about the client, from the request itself or from its `initialize`. */
export function clientFacts(
  server: LimitedServer,
  ctx: ServerContext & { readonly [FACTS]?: ClientFacts },
): ClientFacts {
  const facts = ctx[FACTS] ?? readFacts(server, ctx);
  return server[LIMITS]?.reduce(limitFacts, facts) ?? facts;
}

function readFacts(server: Server, ctx: ServerContext): ClientFacts {
  const protocolVersion = server.getNegotiatedProtocolVersion();
  if (isModern(protocolVersion)) {
    const { clientCapabilities = {}, clientInfo } = envelopeFacts(ctx);
    return { protocolVersion, clientCapabilities, clientInfo };
  }
  return {
    protocolVersion,
    clientCapabilities: server.getClientCapabilities() ?? capabilitiesBeforeInitialize(ctx),
    clientInfo: server.getClientVersion(),
  };
}

/** Returns the facts about a client with only its usable capabilities. */
export function limitFacts(facts: ClientFacts, limit: CapabilityLimit): ClientFacts {
  const { clientCapabilities: declared, clientInfo, protocolVersion } = facts;
  if (declared === undefined) return facts;
  const era = isModern(protocolVersion) ? 'modern' : 'legacy';
  const identity = { ...identityOf(clientInfo), era } as const;
  return { ...facts, clientCapabilities: limitCapabilities(declared, identity, limit) };
}

export function identityOf(clientInfo: unknown): Pick<DeclaredClient, 'name' | 'version'> {
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  const textOf = (value: unknown): string | undefined =>
    typeof value === 'string' ? value : undefined;
  return { name: textOf(name), version: textOf(version) };
}

/**
 * Returns the capabilities of a legacy client whose `initialize` this server did not receive. If
 * the client skipped it, it has none. Without a session, another server received it.
 */
function capabilitiesBeforeInitialize({
  http,
  sessionId,
}: ServerContext): ClientCapabilities | undefined {
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
    clientInfo: envelope[CLIENT_INFO_META_KEY],
  };
}

/**
 * Returns true if the answer to a pushed question can come back. Over HTTP that takes a session.
 * Without one, the answer reaches another server, or a server that all users share.
 */
export function hasBackChannel(http: object | undefined, sessionId: string | undefined): boolean {
  return http === undefined || sessionId !== undefined;
}
