/**
 * Asks the author's `authenticate` who sent a request: without a valid token it gets no further.
 *
 * In: a request. Out: the validated token, or the refusal with the challenge of RFC 6750. An error
 * thrown by `authenticate` refuses the request too, always, and so does what is no token: plain
 * JavaScript can return a mere yes or no.
 */
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
} from '@modelcontextprotocol/server';
import { errorOf } from '../errors.js';

/**
 * Decides who is asking. It gets a copy of the request and returns the validated token; `undefined`
 * refuses the request with HTTP 401, a `Response` refuses it with that answer. The gate made by the
 * SDK's `requireBearerAuth` fits as it is.
 */
export type AuthenticateRequest = (
  request: Request,
) => AuthInfo | Response | undefined | Promise<AuthInfo | Response | undefined>;

/** Decides who sent `request`; what goes wrong inside `authenticate` is reported to `onerror`. */
export async function whoSent(
  request: Request,
  authenticate: AuthenticateRequest,
  onerror: (error: Error) => void,
): Promise<AuthInfo | Response> {
  try {
    // A copy, so that a scheme which signs the body can read it.
    const decision: unknown = await authenticate(request.clone());
    if (decision instanceof Response) return decision;
    if (isRefusal(decision)) return bearerAuthChallengeResponse(tokenRequired());
    assertToken(decision);
    return decision;
  } catch (error) {
    if (!(error instanceof OAuthError)) {
      onerror(errorOf(error));
    }
    return bearerAuthChallengeResponse(error);
  }
}

function isRefusal(decision: unknown): boolean {
  return decision === undefined || decision === null || decision === false;
}

/** Does not say what was returned instead: it may be a secret. */
function assertToken(decision: unknown): asserts decision is AuthInfo {
  const { clientId } = Object(decision) as Partial<AuthInfo>;
  if (typeof clientId === 'string') return;
  throw new TypeError(
    "'authenticate' returned neither a validated token, which has a 'clientId', nor undefined, nor a Response.",
  );
}

function tokenRequired(): OAuthError {
  return new OAuthError(OAuthErrorCode.InvalidToken, 'A valid token is required');
}
