/**
 * Which era a request belongs to, and what its client declared. The negotiated version is the
 * truth; the presence of an envelope is not, since clients of the older era can send one.
 */
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server';

/** The first version in which questions ride results instead of being pushed. */
const FIRST_MODERN = '2026-07-28';

/** Whether questions ride `input_required` results. An unknown or absent version counts as old. */
export function isModern(protocolVersion: string | undefined): boolean {
  if (protocolVersion === FIRST_MODERN) return true;
  return (
    protocolVersion !== undefined &&
    /^\d{4}-\d{2}-\d{2}$/.test(protocolVersion) &&
    protocolVersion >= FIRST_MODERN
  );
}

/** What a server knows about the client of a request. */
export interface ClientFacts {
  readonly protocolVersion: string | undefined;
  /** `undefined` where it is not known: older clients that are served without a session. */
  readonly clientCapabilities: ClientCapabilities | undefined;
}

/** Reads what is known about the client: from the request itself, or from its `initialize`. */
export function clientFacts(server: Server, ctx: ServerContext): ClientFacts {
  const protocolVersion = server.getNegotiatedProtocolVersion();
  const clientCapabilities = isModern(protocolVersion)
    ? declaredIn(ctx)
    : server.getClientCapabilities();
  return { protocolVersion, clientCapabilities };
}

/** A request that declares nothing declares that it can do nothing. */
function declaredIn({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Readonly<Record<string, ClientCapabilities>> | undefined = mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
