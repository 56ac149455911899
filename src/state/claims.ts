/**
 * The claims inside a token: for which request, by whom, for how long. They are stamped when a
 * round ends with questions and all held against the request that brings the token back.
 *
 * ```
 * v    1                        t    the tool, the prompt, or the uri
 * iat  when, in seconds         a    digest of the arguments as they came over the wire
 * exp  until when               s    the state itself
 * m    the method               aud  which service (if it has an audience)
 *                               p    by whom: salt and salted hash (if there is a principal)
 * ```
 */
import { isObject } from '../define/schema.js';
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

/** Everything besides the state that goes into the claims. */
export interface ClaimContext {
  readonly binding: RequestBinding;
  readonly audience: string | undefined;
  readonly principal: string | undefined;
  /** In seconds, with fractions. */
  readonly now: number;
}

const VERSION = 1;

/** How far the clocks of two servers may be apart, in seconds. */
const SKEW_SECONDS = 60;

/** Writes the claims for a state. */
export async function writeClaims(
  state: string,
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
    aud: audience,
    p: principal === undefined ? undefined : await principalClaim(principal),
  };
  // JSON leaves out what is undefined.
  return utf8(JSON.stringify(claims));
}

/**
 * Reads the state out of claims that hold for a request.
 *
 * @throws {@link InvalidRequestStateError} If one does not.
 */
export async function readClaims(bytes: Uint8Array, context: ClaimContext): Promise<string> {
  const claims = parse(bytes);
  if (claims.v !== VERSION || typeof claims.s !== 'string') throw rejected('malformed');
  checkTimes(claims, context.now);
  checkBinding(claims, context.binding);
  if (claims.aud !== context.audience) throw rejected('audience');
  await checkPrincipal(claims.p, context.principal);
  return claims.s;
}

type Claims = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array): Claims {
  let claims: unknown;
  try {
    claims = JSON.parse(decoder.decode(bytes));
  } catch {
    throw rejected('malformed');
  }
  if (!isObject(claims)) throw rejected('malformed');
  return claims;
}

/** Written so that only a finite number in the right range passes; JSON can hold `1e999`. */
function checkTimes({ iat, exp }: Claims, now: number): void {
  if (!isFiniteNumber(iat) || !isFiniteNumber(exp)) throw rejected('malformed');
  if (!(iat <= now + SKEW_SECONDS)) throw rejected('minted in the future');
  if (!(now < exp)) throw rejected('expired');
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function checkBinding({ m, t, a }: Claims, { method, target, args }: RequestBinding): void {
  if (m !== method || t !== target || a !== args) throw rejected('request binding');
}

/** A principal that has appeared or gone since is as wrong as another one. */
async function checkPrincipal(claim: unknown, principal: string | undefined): Promise<void> {
  if ((claim === undefined) !== (principal === undefined)) throw rejected('principal drift');
  if (principal === undefined) return;
  if (!(await bindsPrincipal(claim, principal))) throw rejected('principal');
}

function rejected(reason: RejectReason): InvalidRequestStateError {
  return new InvalidRequestStateError(reason);
}
