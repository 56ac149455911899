/** The default principal: whoever the transport's authorization has authenticated. */
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Warnings } from './warnings.js';

/** Client, issuer and subject of a validated token as one text; `undefined` without a token. */
export function principalOf(authInfo: AuthInfo | undefined): string | undefined {
  if (authInfo === undefined) return undefined;
  const { iss, sub } = { ...authInfo.extra };
  return JSON.stringify([authInfo.clientId, iss ?? null, sub ?? null]);
}

/** The same for a request; says once that without a subject all users of a client are one person. */
export function authenticatedPrincipal(ctx: ServerContext, warnings: Warnings): string | undefined {
  const authInfo = ctx.http?.authInfo;
  if (authInfo !== undefined && (authInfo.extra?.sub ?? undefined) === undefined) {
    warnings.once(
      "a validated token has no subject (authInfo.extra.sub), so all users of one OAuth client count as one person; have the token verifier supply 'sub', or give requestStateSeal a 'principal'",
    );
  }
  return principalOf(authInfo);
}
