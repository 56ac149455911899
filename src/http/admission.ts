/**
 * Which hosts a handler answers for, and which web pages may reach it.
 *
 * In: the Host and the Origin of a request. Out: the refusal it gets, or nothing. Without it a web
 * page could make its own name point to this machine and use a local server through its visitor's
 * browser. So by default only loopback names pass; a server for others has to say its name.
 */
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';

import { describe } from './argumentChecks.js';
import type { Refusal } from './httpRefusal.js';

/** The names of hosts and pages that may be addressed and come in. */
export interface AdmissionOptions {
  /**
   * The host names, without port, that requests may be addressed to: what protects a local server
   * from web pages that make their own name point to it. `'any'` leaves the check to a proxy in
   * front.
   *
   * @defaultValue localhost, 127.0.0.1 and [::1]
   */
  allowedHosts?: readonly string[] | 'any';
  /**
   * The host names, without scheme and port, of web pages that may send requests. Programs that are
   * no browser send no Origin and are not affected.
   *
   * @defaultValue the names in `allowedHosts`
   */
  allowedOrigins?: readonly string[];
}

/** The headers that decide. */
export interface Addressed {
  host: string | null | undefined;
  origin: string | null | undefined;
}

/** Decides whether a request may come in; the refusal says why not. */
export type Admission = (addressed: Addressed) => Refusal | undefined;

/**
 * Creates the admission check.
 *
 * @throws {TypeError} If a name could never match.
 */
export function createAdmission(options: AdmissionOptions): Admission {
  const hosts = hostsOf(options.allowedHosts);
  const origins = options.allowedOrigins
    ? names(options.allowedOrigins, 'allowedOrigins')
    : (hosts ?? localhostAllowedOrigins());
  return ({ host, origin }) => {
    const checks = [
      ...(hosts ? [validateHostHeader(host, hosts)] : []),
      validateOriginHeader(origin, origins),
    ];
    const failed = checks.find((check) => !check.ok);
    return failed && { status: 403, code: -32_000, message: failed.message };
  };
}

/** The headers of a web-standard request that decide; one made by hand has its host in the URL only. */
export function addressedBy({ headers, url }: Request): Addressed {
  return { host: headers.get('host') ?? new URL(url).host, origin: headers.get('origin') };
}

/** The allowed host names; undefined stands for any. */
function hostsOf(allowed: AdmissionOptions['allowedHosts']): string[] | undefined {
  if (allowed === 'any') return undefined;
  return allowed === undefined ? localhostAllowedHostnames() : names(allowed, 'allowedHosts');
}

/** The names as the SDK compares them; an entry with scheme or port would silently never match. */
function names(list: readonly string[], option: string): string[] {
  if (!Array.isArray(list)) {
    throw new TypeError(`The option '${option}' must be a list of names, not ${describe(list)}.`);
  }
  return list.map((name: unknown) => {
    if (typeof name === 'string' && HOSTNAME.test(name)) return name.toLowerCase();
    throw new TypeError(
      `The option '${option}' takes host names without scheme and port, like 'example.com' or '[::1]', not ${describe(name)}.`,
    );
  });
}

// A name, an IPv6 address in brackets, or all origins of a scheme other than http(s).
const HOSTNAME = /^([^\s:/[\]]+|\[[0-9a-f:.]+\]|(?!https?:)[a-z][a-z0-9+.-]*:\/\/\*)$/i;
