/** Stands for the token verifier of every app. A token is the name of its user. */
const users = ['alice', 'bob'];

/** Returns the validated token of a header `Authorization`, or `undefined` if it is not valid. */
export function verify(authorization: string | null | undefined) {
  const token = authorization?.replace(/^Bearer /, '');
  if (token === undefined || !users.includes(token)) return undefined;
  const extra = { iss: 'https://id.example.com', sub: token };
  return { token, clientId: 'console', scopes: [], expiresAt: 4_000_000_000, extra };
}
