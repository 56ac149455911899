/**
 * A handler behind the author's `authenticate`: a request without a valid token gets no further.
 *
 * In: requests. Out: what the handler answers, given the validated token, or the refusal with the
 * challenge of RFC 6750. An error thrown by `authenticate` refuses the request too, always.
 *
 * @module
 */
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
} from '@modelcontextprotocol/server';

import type { DualEraHandler } from './dualEra.js';
import type { AuthenticateRequest } from './httpOptions.js';

/** Creates the fetch face of `handler` behind `authenticate`. */
export function authenticated(
  handler: DualEraHandler,
  authenticate: AuthenticateRequest,
  onerror: (error: Error) => void = () => undefined,
): Pick<DualEraHandler, 'fetch'> {
  const decide = async (request: Request): Promise<AuthInfo | Response> => {
    try {
      // A copy, so that a scheme which signs the body can read it.
      return (await authenticate(request.clone())) ?? challenge(tokenRequired());
    } catch (error) {
      if (!(error instanceof OAuthError)) onerror(asError(error));
      return challenge(error);
    }
  };
  return {
    fetch: async (request) => {
      const decision = await decide(request);
      if (decision instanceof Response) return decision;
      return handler.fetch(request, { authInfo: decision });
    },
  };
}

function challenge(error: unknown): Response {
  return bearerAuthChallengeResponse(error);
}

function tokenRequired(): OAuthError {
  return new OAuthError(OAuthErrorCode.InvalidToken, 'A valid token is required');
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
