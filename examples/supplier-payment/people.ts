/**
 * The people of the demo: the token of Ann's assistant, and the passwords and the groups of those
 * who sign in on the page. A real service uses its identity provider instead.
 */
import { type AuthInfo, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';

/** A person who can sign in on the page. */
export interface Person {
  who: string;
  password: string;
  groups: string[];
}

export const ann: Person = { who: 'ann', password: 'ann-demo', groups: ['acme/accounts'] };
export const bob: Person = { who: 'bob', password: 'bob-demo', groups: ['acme/treasury'] };
export const carol: Person = { who: 'carol', password: 'carol-demo', groups: ['acme/treasury'] };

const people = [ann, bob, carol];

/** The token that Ann's assistant sends over HTTP. */
export const TOKEN_OF_ANN = 'token-of-ann';

/** Returns the user of a token, for the bearer check in front of the MCP endpoint. */
export async function verifyAccessToken(token: string): Promise<AuthInfo> {
  if (token !== TOKEN_OF_ANN) throw new OAuthError(OAuthErrorCode.InvalidToken, 'Unknown token');
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  return { token, clientId: 'assistant', scopes: [], expiresAt, extra: { sub: ann.who } };
}

/** Returns the user of a request. Over stdio, that is the person who started the process: Ann. */
export function userOf({ http }: { http?: { authInfo?: AuthInfo } | undefined }): string {
  if (http === undefined) return ann.who;
  const sub = http.authInfo?.extra?.sub;
  if (typeof sub !== 'string') throw new Error('the request has no user');
  return sub;
}

/** Returns the person with a name and a password. */
export function personWith(who: string, password: string): Person | undefined {
  return people.find((person) => person.who === who && person.password === password);
}
