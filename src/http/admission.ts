/**
 * Decides which requests the handler serves: checks Host and Origin first, then calls
 * `authenticate`.
 *
 * Without the first check a web page could make its own name point to this machine and use a local
 * server through its visitor's browser. So by default only loopback names pass, and a public server
 * must name its hosts. The second check refuses a request if `authenticate` throws, if the token
 * has expired, and if the returned value is not a token, because plain JavaScript can return just
 * `true`.
 */
import {
  bearerAuthChallengeResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  OAuthError,
  OAuthErrorCode,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { logAnswered, STANDARD_ERROR, Warnings } from '../log.js';

import { describe } from './argumentChecks.js';
import type { HttpRefusal } from './httpRefusal.js';

/** The hosts that requests may address and the web pages that may send them. */
export interface AdmissionOptions {
  /**
   * The host names, without port, that requests may be addressed to. This protects a local server
   * from web pages that make their own name point to it. `'any'` leaves the check to a proxy in
   * front.
   *
   * @defaultValue localhost, 127.0.0.1 and [::1]
   */
  allowedHosts?: readonly string[] | 'any';
  /**
   * The host names, without scheme and port, of web pages that may send requests. Programs other
   * than browsers send no Origin and are not affected.
   *
   * @defaultValue the names in `allowedHosts`
   */
  allowedOrigins?: readonly string[];
}

/** The headers that the check reads. */
export interface AddressHeaders {
  host: string | null | undefined;
  origin: string | null | undefined;
}

/** Returns the refusal of a request, or undefined if the request passes. */
export type Admission = (headers: AddressHeaders) => HttpRefusal | undefined;

/**
 * Creates the check of Host and Origin. Errors name the function `caller`.
 *
 * @throws {TypeError} If a name could never match.
 */
export function createAdmission(options: AdmissionOptions, caller: string): Admission {
  const hosts = hostsOf(options.allowedHosts, caller);
  const origins = options.allowedOrigins
    ? checkNames(options.allowedOrigins, `${caller}(): \`allowedOrigins\``)
    : (hosts ?? localhostAllowedOrigins());
  assertWildcardsWork(origins, caller);
  return ({ host, origin }) => {
    if (typeof host === 'string' && !HOST_HEADER.test(host)) return invalidHost;
    const hostCheck = hosts && validateHostHeader(host, hosts);
    if (hostCheck?.ok === false) return refuseHeader('allowedHosts', hostCheck.message);
    const originCheck = validateOriginHeader(origin, origins);
    return originCheck.ok ? undefined : refuseHeader('allowedOrigins', originCheck.message);
  };
}

// A name or an address, and a port. A URL would also accept a user name before the host.
const HOST_HEADER = /^([^\s:/?#@\\[\]]*|\[[0-9a-f:.]+\])(:\d*)?$/i;

const invalidHost: HttpRefusal = {
  status: 400,
  code: -32_600,
  message: 'Bad Request: the Host header is not valid',
};

/**
 * Returns the refusal of a request. Warns once about each option that refuses requests. The header
 * may be hostile, so it is not shown.
 */
function refuseHeader(option: 'allowedHosts' | 'allowedOrigins', message: string): HttpRefusal {
  const header = option === 'allowedHosts' ? 'Host' : 'Origin';
  Warnings.of(STANDARD_ERROR).once(
    `A request was refused with HTTP 403, because its ${header} header does not name a host in \`${option}\`. If you serve that host, add it to \`${option}\`.`,
  );
  return { status: 403, code: -32_000, message };
}

/**
 * Returns the Host and Origin of a web-standard request. A request constructed in code has its host
 * only in the URL.
 */
export function addressHeaders({ headers, url }: Request): AddressHeaders {
  return { host: headers.get('host') ?? new URL(url).host, origin: headers.get('origin') };
}

/** Returns the allowed host names, or undefined if any host is allowed. */
function hostsOf(allowed: AdmissionOptions['allowedHosts'], caller: string): string[] | undefined {
  if (allowed === 'any') return undefined;
  return allowed === undefined
    ? localhostAllowedHostnames()
    : checkNames(allowed, `${caller}(): \`allowedHosts\``);
}

/**
 * Returns the names in lower case, as the SDK compares them.
 *
 * @throws {TypeError} If a name has a scheme or port, because it would never match.
 */
function checkNames(list: readonly string[], place: string): string[] {
  if (!Array.isArray(list)) {
    throw new TypeError(`${place} must be an array of host names, got ${describe(list)}.`);
  }
  return list.map((name: unknown) => {
    if (typeof name === 'string' && HOSTNAME.test(name)) return name.toLowerCase();
    throw new TypeError(
      `${place} must contain host names without scheme and port, such as 'example.com' or '[::1]', got ${describe(name)}.`,
    );
  });
}

// A name, an IPv6 address in brackets, or all origins of a scheme other than http(s).
const HOSTNAME = /^([^\s:/[\]]+|\[[0-9a-f:.]+\]|(?!https?:)[a-z][a-z0-9+.-]*:\/\/\*)$/i;

/**
 * Rejects `moz-extension://*` and the like if the SDK does not know such names. It would refuse
 * every page that they allow.
 */
function assertWildcardsWork(origins: string[], caller: string): void {
  const wildcard = origins.find((name) => name.endsWith('://*'));
  if (wildcard === undefined || validateOriginHeader('a://b', ['a://*']).ok) return;
  throw new TypeError(
    `${caller}(): '${wildcard}' in \`allowedOrigins\` requires '@modelcontextprotocol/server' 2.3 or later. Update the package, or list the ids of the extensions.`,
  );
}

/**
 * Validates the sender of a request. It receives the request before its body is read, and returns
 * the validated token. A scheme that signs the body can read it. If `authenticate` returns
 * `undefined` or an expired token, the handler refuses the request with HTTP 401. If it returns a
 * `Response`, the handler answers with it. The result of the SDK's `requireBearerAuth` fits
 * unchanged.
 */
export type AuthenticateRequest = (
  request: Request,
) => AuthInfo | Response | undefined | Promise<AuthInfo | Response | undefined>;

/**
 * Returns the validated token of a request, or the refusal with the challenge of RFC 6750. An error
 * of `authenticate` itself is HTTP 500.
 */
export async function validateToken(
  request: Request,
  authenticate: AuthenticateRequest,
  onerror: (error: Error) => void,
): Promise<AuthInfo | Response> {
  try {
    const decision: unknown = await authenticate(request);
    if (decision instanceof Response) return logServerError(decision);
    if (decision === undefined || decision === null || decision === false) throw tokenRequired();
    assertToken(decision);
    return isExpired(decision) ? refuseExpiredToken() : decision;
  } catch (error) {
    const response = bearerAuthChallengeResponse(error);
    if (response.status === 500) onerror(logAnswered('`authenticate` failed', error));
    return response;
  }
}

/** Logs a response of `authenticate` that hides an error, as the SDK's `requireBearerAuth` does. */
function logServerError(response: Response): Response {
  if (response.status === 500) {
    Warnings.of(STANDARD_ERROR).warn(
      '`authenticate` answered with HTTP 500. If it is `requireBearerAuth`, its verifier threw an error that is not an OAuthError. Catch it in the verifier to see it.',
    );
  }
  return response;
}

/** Returns true if a token has expired. An `expiresAt` that is not a number counts as expired. */
export function isExpired({ expiresAt }: AuthInfo): boolean {
  if (expiresAt === undefined) return false;
  return typeof expiresAt !== 'number' || !(expiresAt > Date.now() / 1000);
}

export function refuseExpiredToken(): Response {
  return bearerAuthChallengeResponse(
    new OAuthError(OAuthErrorCode.InvalidToken, 'Token has expired'),
  );
}

function tokenRequired(): OAuthError {
  return new OAuthError(OAuthErrorCode.InvalidToken, 'A valid token is required');
}

/**
 * Checks that `authenticate` returned a token. The message omits the value, which may be a secret.
 */
function assertToken(decision: unknown): asserts decision is AuthInfo {
  const { clientId } = Object(decision) as Partial<AuthInfo>;
  if (typeof clientId === 'string') return;
  throw new TypeError(
    '`authenticate` returned an invalid value. It must return a validated token with a `clientId`, a Response or undefined.',
  );
}
