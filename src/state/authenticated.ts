/** The default principal: whoever the transport's authorization has authenticated. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Warnings } from './warnings.js';

/** Client, issuer and subject of the validated token as one text; `undefined` without a token. */
export function authenticatedPrincipal(ctx: ServerContext, warnings: Warnings): string | undefined {
  const authInfo = ctx.http?.authInfo;
  if (authInfo === undefined) return undefined;
  const { iss, sub } = { ...authInfo.extra };
  if (typeof sub !== 'string') {
    warnings.once(
      "a validated token has no subject (authInfo.extra.sub), so all users of one OAuth client count as one person; have the token verifier supply 'sub', or give requestStateSeal a 'principal'",
    );
  }
  return JSON.stringify([authInfo.clientId, textOrNull(iss), textOrNull(sub)]);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
