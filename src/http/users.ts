/**
 * Finds the user of a request, for the limits that users share.
 *
 * A user is the principal of the seal, as for tokens and sessions. All requests without a principal
 * are together one user. A request counts before its server is built, so the `principal` function
 * of the server that was built last finds the user. Before the first server it is the default one.
 * If the function fails, the request counts as anonymous. The seal calls it again where the
 * principal protects something, and refuses the request there.
 */
import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server';
import { asciiJson, digest } from '../platform.js';
import { sealOf } from '../host/boundary.js';
import { tokenPrincipal } from '../state/principal.js';
import type { CheckedSeal } from '../state/sealOptions.js';

/** A user, or undefined for all requests without a principal. */
export type User = string | undefined;

/** Returns the user for a principal: a short digest, because a principal may be a long string. */
export async function userOfPrincipal(principal: string | undefined): Promise<User> {
  return principal === undefined ? undefined : digest(asciiJson(principal));
}

export class Users {
  /** The function of the author, without the seal, which would keep the server. */
  private principal: CheckedSeal['principal'];

  /** Creates a factory that remembers how its servers find the principal. */
  watch(factory: McpServerFactory): McpServerFactory {
    return async (context) => {
      const server = await factory(context);
      this.principal = sealOf(server)?.policy.principal;
      return server;
    };
  }

  /** Returns the user of a request. It never rejects. */
  async of(request: Request, authInfo: AuthInfo | undefined): Promise<User> {
    const { principal } = this;
    const http = { req: request, ...(authInfo !== undefined && { authInfo }) };
    try {
      const found: unknown = principal ? await principal({ http }) : tokenPrincipal(authInfo);
      return typeof found === 'string' ? await userOfPrincipal(found) : undefined;
    } catch {
      return undefined;
    }
  }
}
