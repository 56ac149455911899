/**
 * The claims inside a token: its request, its principal and its lifetime. The server writes them
 * when a round ends with questions, and checks all of them against the request that returns the
 * token.
 *
 * ```
 * v    1                        t    tool name, prompt name or uri
 * iat  issued at, in seconds    a    digest of the arguments as sent by the client
 * exp  expires at, in seconds   s    the state itself
 * m    the method               aud  the audience, if there is one
 * r    1 for a record of a      p    the principal, if there is one: salt and salted hash
 *      call, not for the state
 *      of a handler
 * ```
 */
import { isObject } from '../values.js';
import { InvalidRequestStateError } from '../errors.js';
import type { RejectReason } from '../errors.js';
import { utf8 } from '../platform.js';
import { bindsPrincipal, principalClaim } from './principal.js';

/** The request that a token is bound to. */
export interface RequestBinding {
  readonly method: string;
  readonly target: string;
  /** The digest of the arguments. */
  readonly args: string;
}

/** The content of the claims besides the state. */
export interface ClaimContext {
  readonly binding: RequestBinding;
  readonly audience: string | undefined;
  readonly principal: string | undefined;
  /** The current time in seconds, with fractions. */
  readonly now: number;
}

const VERSION = 1;

/** The accepted difference between the clocks of two servers, in seconds. */
const SKEW_SECONDS = 60;

/** A state, and its author. */
export interface AuthoredState {
  readonly state: string;
  /** True if the state is the record of a call. A handler may have written any other text. */
  readonly isRecord: boolean;
}

/** A state, and the time of its sealing in seconds. */
export interface ReadState extends AuthoredState {
  readonly issuedAt: number;
}

/** Writes the claims for a state. */
export async function writeClaims(
  { state, isRecord }: AuthoredState,
  ttlSeconds: number,
  { binding, audience, principal, now }: ClaimContext,
): Promise<Uint8Array> {
  const claims = {
    v: VERSION,
    iat: now,
    exp: now + ttlSeconds,
    m: binding.method,
    t: binding.target,
    a: binding.args,
    s: state,
    r: isRecord ? 1 : undefined,
    aud: audience,
    p: principal === undefined ? undefined : await principalClaim(principal),
  };
  // `JSON.stringify` omits undefined properties.
  return utf8(JSON.stringify(claims));
}

/**
 * Checks the claims against a request and returns the state.
 *
 * @throws {@link InvalidRequestStateError} If a claim does not match.
 */
export async function readClaims(bytes: Uint8Array, context: ClaimContext): Promise<ReadState> {
  const claims = parse(bytes);
  if (claims.v !== VERSION || typeof claims.s !== 'string') throw rejection('malformed');
  const issuedAt = checkTimes(claims, context.now);
  checkBinding(claims, context.binding);
  if (claims.aud !== context.audience) throw rejection('audience');
  await checkPrincipal(claims.p, context.principal);
  return { state: claims.s, isRecord: claims.r === 1, issuedAt };
}

type Claims = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array): Claims {
  let claims: unknown;
  try {
    claims = JSON.parse(decoder.decode(bytes));
  } catch {
    throw rejection('malformed');
  }
  if (!isObject(claims)) throw rejection('malformed');
  return claims;
}

/**
 * Returns the time of sealing. Accepts only finite numbers in the right range. JSON can contain
 * `1e999`.
 */
function checkTimes({ iat, exp }: Claims, now: number): number {
  if (!isFiniteNumber(iat) || !isFiniteNumber(exp)) throw rejection('malformed');
  if (!(iat <= now + SKEW_SECONDS)) throw rejection('minted in the future');
  if (!(now < exp)) throw rejection('expired');
  return iat;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function checkBinding({ m, t, a }: Claims, { method, target, args }: RequestBinding): void {
  if (m !== method || t !== target || a !== args) throw rejection('request binding');
}

/** Rejects a principal that differs, appeared or disappeared since the token was issued. */
async function checkPrincipal(claim: unknown, principal: string | undefined): Promise<void> {
  if ((claim === undefined) !== (principal === undefined)) throw rejection('principal drift');
  if (principal === undefined) return;
  if (!(await bindsPrincipal(claim, principal))) throw rejection('principal');
}

function rejection(reason: RejectReason): InvalidRequestStateError {
  return new InvalidRequestStateError(reason);
}
