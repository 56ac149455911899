/**
 * Checks the options of `createDualEraHandler` and fills in the defaults.
 *
 * In: the options of the author. Out: every setting with its default, or a `TypeError`.
 */
import type { CreateMcpHandlerOptions } from '@modelcontextprotocol/server';

import { createAdmission } from './admission.js';
import type { Admission, AdmissionOptions, AuthenticateRequest } from './admission.js';
import { rejectUnknownOptions } from '../options.js';
import { checkInteger, describe } from './argumentChecks.js';
import type { BodyLimits } from './requestBody.js';
import type { SessionTableSettings } from './sessionTable.js';
import { SharedLimit } from './sharedLimit.js';

/**
 * The options of `createDualEraHandler`: the SDK handler's options, the checks of incoming
 * requests, and the limits on memory and on legacy sessions.
 *
 * One user holds at most a quarter of `maxBufferedBytes`, `maxSessions`, `maxTotalSessionBytes` and
 * `maxSubscriptions`. The user is the `principal` of the seal. All requests without a principal are
 * together one user, so without `authenticate` a server uses a quarter of these limits.
 */
export interface DualEraHandlerOptions
  extends Omit<CreateMcpHandlerOptions, 'legacy'>, AdmissionOptions {
  /**
   * Validates the sender of each request, before its body is read. If omitted, requests are
   * anonymous. A request that already has `authInfo` skips it.
   */
  authenticate?: AuthenticateRequest;
  /**
   * The maximum number of bytes of one request body. A larger body gets HTTP 413.
   *
   * @defaultValue 4194304 (4 MiB)
   */
  maxRequestBodySize?: number;
  /**
   * The maximum number of bytes that the bodies of all requests in progress, and the messages that
   * modern clients have not read, may have together. At the limit, a request gets HTTP 503. The
   * requests of one user may have a quarter of it. At that limit, a request gets HTTP 429. The
   * calls of legacy sessions have limits of their own. Must be at least 4 times
   * `maxRequestBodySize`.
   *
   * @defaultValue 67108864 (64 MiB), or 4 times `maxRequestBodySize` if that is larger
   */
  maxBufferedBytes?: number;
  /**
   * The maximum number of open legacy sessions. At the limit, a new handshake ends the least
   * recently used session that has no call in flight and no open question. If there is none, the
   * handshake gets HTTP 503. A client whose session has ended gets HTTP 404 and opens another. One
   * user may have a quarter of the sessions, but at least one.
   *
   * @defaultValue 1000
   */
  maxSessions?: number;
  /**
   * The maximum number of open legacy sessions of one authenticated principal, if that is less than
   * a quarter of `maxSessions`. At the limit, a new handshake ends a session of the same principal,
   * by the same rule. If there is none, the handshake gets HTTP 429. Anonymous sessions together
   * have the quarter.
   *
   * @defaultValue 100
   */
  maxSessionsPerPrincipal?: number;
  /**
   * The maximum number of open questions in one legacy session. At the limit, a new question is not
   * sent and its call fails.
   *
   * @defaultValue 128
   */
  maxOpenQuestions?: number;
  /**
   * The maximum number of bytes that the open calls and questions of one legacy session, and the
   * messages that its client has not read, may have together. At the limit, a new call gets HTTP
   * 429, and a new question is not sent and its call fails.
   *
   * @defaultValue 16777216 (16 MiB), or `maxRequestBodySize` if that is larger
   */
  maxSessionBytes?: number;
  /**
   * The maximum number of bytes that the open calls, questions and unread messages of all legacy
   * sessions may have together. At the limit, a new call gets HTTP 503, and a new question is not
   * sent and its call fails. The sessions of one user may have a quarter of it. At that limit, a
   * new call gets HTTP 429. Must be at least 4 times `maxRequestBodySize`.
   *
   * @defaultValue 67108864 (64 MiB), or 4 times `maxRequestBodySize` if that is larger
   */
  maxTotalSessionBytes?: number;
  /**
   * The time, in milliseconds, that a legacy session may be unattended before the handler closes
   * it. A session is attended while the client waits for the response of a call or listens on its
   * GET stream.
   *
   * @defaultValue 1800000 (30 minutes)
   */
  sessionIdleMs?: number;
  /**
   * The time, in milliseconds, that a legacy session with an open question may be unattended before
   * the handler closes it. Within this time a client can reconnect. According to the protocol, a
   * lost connection alone ends no call.
   *
   * @defaultValue 60000 (1 minute)
   */
  disconnectGraceMs?: number;
}

/** The options of `close()`. */
export interface CloseOptions {
  /**
   * The time, in milliseconds, that calls in flight have to finish before they are aborted. 0
   * aborts them at once.
   *
   * @defaultValue 10000
   */
  timeoutMs?: number;
}

/** The names of all options of a handler. The first five are options of the SDK. */
export const HANDLER_OPTIONS: readonly string[] = [
  'onerror',
  'responseMode',
  'bus',
  'maxSubscriptions',
  'keepAliveMs',
  'maxRequestBodySize',
  'allowedHosts',
  'allowedOrigins',
  'authenticate',
  'maxBufferedBytes',
  'maxSessions',
  'maxSessionsPerPrincipal',
  'maxOpenQuestions',
  'maxSessionBytes',
  'maxTotalSessionBytes',
  'sessionIdleMs',
  'disconnectGraceMs',
];

export interface HandlerSettings extends BodyLimits {
  modernOptions: CreateMcpHandlerOptions;
  /** Counts the open subscriptions of modern clients. */
  subscriptions: SharedLimit;
  sessionSettings: Omit<SessionTableSettings, 'factory' | 'inFlight'>;
  admission: Admission;
  authenticate: AuthenticateRequest | undefined;
  onerror: (error: Error) => void;
}

/**
 * Checks the options and fills in the defaults. Errors name the function `caller`.
 *
 * @throws {TypeError} If an option has an unusable value.
 */
export function checkHandlerOptions(
  options: DualEraHandlerOptions,
  caller: string,
): HandlerSettings {
  rejectUnknownOptions(options, HANDLER_OPTIONS, `${caller}()`);
  const {
    allowedHosts,
    allowedOrigins,
    authenticate,
    maxBufferedBytes,
    maxSessions,
    maxSessionsPerPrincipal,
    maxOpenQuestions,
    maxSessionBytes,
    maxTotalSessionBytes,
    sessionIdleMs,
    disconnectGraceMs,
    ...modernOptions
  } = options;
  const { keepAliveMs } = modernOptions;
  const onerror = reportTo(options.onerror);
  const limit = (value: number, name: string): number =>
    checkInteger(value, `${caller}(): \`${name}\``, { min: 1 });
  const maxRequestBodySize = limit(
    options.maxRequestBodySize ?? 4 * MEBIBYTE,
    'maxRequestBodySize',
  );
  const bytes = byteLimits(maxRequestBodySize, caller);
  return {
    modernOptions: { ...modernOptions, onerror, legacy: 'reject' },
    subscriptions: new SharedLimit(modernOptions.maxSubscriptions ?? SUBSCRIPTIONS_OF_SDK),
    sessionSettings: {
      maxSessions: limit(maxSessions ?? 1000, 'maxSessions'),
      maxSessionsPerPrincipal: limit(maxSessionsPerPrincipal ?? 100, 'maxSessionsPerPrincipal'),
      maxOpenQuestions: limit(maxOpenQuestions ?? 128, 'maxOpenQuestions'),
      maxSessionBytes: bytes.ofSession(maxSessionBytes, 'maxSessionBytes'),
      maxTotalSessionBytes: bytes.ofAll(maxTotalSessionBytes, 'maxTotalSessionBytes'),
      sessionIdleMs: limit(sessionIdleMs ?? 30 * 60_000, 'sessionIdleMs'),
      disconnectGraceMs: limit(disconnectGraceMs ?? 60_000, 'disconnectGraceMs'),
      keepAliveMs,
      onerror,
    },
    admission: createAdmission(options, caller),
    authenticate: checkAuthenticate(authenticate, caller),
    maxRequestBodySize,
    bodyBytes: new SharedLimit(bytes.ofAll(maxBufferedBytes, 'maxBufferedBytes')),
    onerror,
  };
}

/** Checks a limit on bytes, or returns its default. */
type ByteLimit = (given: number | undefined, name: string) => number;

/** Creates the checks of the limits on bytes. The longest request must fit into each limit. */
function byteLimits(longest: number, caller: string): { ofSession: ByteLimit; ofAll: ByteLimit } {
  const check = (value: number, name: string): string => {
    const place = `${caller}(): \`${name}\``;
    checkInteger(value, place, { min: 1 });
    return place;
  };
  const ofSession: ByteLimit = (given = Math.max(16 * MEBIBYTE, longest), name) => {
    const place = check(given, name);
    if (given >= longest) return given;
    throw new TypeError(
      `${place} must be at least \`maxRequestBodySize\`, which is ${longest} bytes, got ${given}.`,
    );
  };
  const ofAll: ByteLimit = (given = Math.max(64 * MEBIBYTE, 4 * longest), name) => {
    const place = check(given, name);
    if (given >= 4 * longest) return given;
    throw new TypeError(
      `${place} must be at least ${4 * longest}, which is 4 times \`maxRequestBodySize\`, got ${given}. One user may hold a quarter of it. Raise it, or lower \`maxRequestBodySize\`.`,
    );
  };
  return { ofSession, ofAll };
}

const MEBIBYTE = 1024 * 1024;

/** The default of `maxSubscriptions`, which the SDK does not export. */
const SUBSCRIPTIONS_OF_SDK = 1024;

/**
 * Returns the timeout of `close()`.
 *
 * @throws {TypeError} If the timeout is not an integer that a timer can wait for.
 */
export function checkCloseTimeout({ timeoutMs = 10_000 }: CloseOptions = {}): number {
  return checkInteger(timeoutMs, 'close(): `timeoutMs`', { min: 0, max: 2 ** 31 - 1 });
}

function checkAuthenticate(
  authenticate: AuthenticateRequest | undefined,
  caller: string,
): AuthenticateRequest | undefined {
  if (authenticate === undefined || typeof authenticate === 'function') return authenticate;
  throw new TypeError(
    `${caller}(): \`authenticate\` must be a function, got ${describe(authenticate)}.`,
  );
}

/** Creates a report function that never throws. */
function reportTo(onerror: ((error: Error) => void) | undefined): (error: Error) => void {
  return (error) => {
    try {
      onerror?.(error);
    } catch {
      // Reporting must not change the answer to the client.
    }
  };
}
