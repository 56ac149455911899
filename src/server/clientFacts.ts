/**
 * Determines the era of a request and the capabilities of its client. The negotiated version
 * decides the era. The presence of an envelope does not, because clients of the older era can send
 * one.
 */
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server';

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

/** Returns the facts about the client, from the request itself or from its `initialize`. */
export function clientFacts(server: Server, ctx: ServerContext): ClientFacts {
  const protocolVersion = server.getNegotiatedProtocolVersion();
  const clientCapabilities = isModern(protocolVersion)
    ? declaredIn(ctx)
    : server.getClientCapabilities();
  return { protocolVersion, clientCapabilities };
}

/** Returns the capabilities that a request declares. If it declares none, the client has none. */
function declaredIn({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Readonly<Record<string, ClientCapabilities>> | undefined = mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
