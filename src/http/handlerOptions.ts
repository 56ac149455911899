/**
 * Checks the options of `createDualEraHandler` and fills in the defaults.
 *
 * In: the options of the author. Out: every setting with its default, or a `TypeError`.
 */
import type { CreateMcpHandlerOptions } from '@modelcontextprotocol/server';

import { createAdmission } from './admission.js';
import type { Admission, AdmissionOptions, AuthenticateRequest } from './admission.js';
import { shownError, STANDARD_ERROR, Warnings } from '../state/warnings.js';
import { checkInteger, checkKnownOptions, describe } from './argumentChecks.js';
import { ByteBudget } from './byteBudget.js';
import type { BodyLimits } from './requestBody.js';
import type { SessionTableSettings } from './sessionTable.js';

/**
 * The options of `createDualEraHandler`: the SDK handler's options, the checks of incoming
 * requests, and the limits on memory and on 2025 sessions.
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
   * The maximum number of bytes that the bodies of all requests in progress may have together. At
   * the limit, a request gets HTTP 503. The calls of 2025 sessions have limits of their own.
   *
   * @defaultValue 67108864 (64 MiB), or `maxRequestBodySize` if that is larger
   */
  maxBufferedBytes?: number;
  /**
   * The maximum number of open 2025 sessions. At the limit, a new handshake ends the least recently
   * used session that has no call in flight and no open question. If there is none, the handshake
   * gets HTTP 503. A client whose session has ended gets HTTP 404 and opens another.
   *
   * @defaultValue 1000
   */
  maxSessions?: number;
  /**
   * The maximum number of open 2025 sessions of one authenticated principal. At the limit, a new
   * handshake ends a session of the same principal, by the same rule. If there is none, the
   * handshake gets HTTP 429.
   *
   * @defaultValue 100
   */
  maxSessionsPerPrincipal?: number;
  /**
   * The maximum number of open questions in one 2025 session. At the limit, a new question is not
   * sent and its call fails.
   *
   * @defaultValue 128
   */
  maxOpenQuestions?: number;
  /**
   * The maximum number of bytes that the open calls and questions of one 2025 session may have
   * together. At the limit, a new call gets HTTP 429, and a new question is not sent and its call
   * fails.
   *
   * @defaultValue 16777216 (16 MiB), or `maxRequestBodySize` if that is larger
   */
  maxSessionBytes?: number;
  /**
   * The maximum number of bytes that the open calls and questions of all 2025 sessions may have
   * together. At the limit, a new call gets HTTP 429, and a new question is not sent and its call
   * fails.
   *
   * @defaultValue 67108864 (64 MiB), or `maxRequestBodySize` if that is larger
   */
  maxTotalSessionBytes?: number;
  /**
   * The time, in milliseconds, that a 2025 session may be unattended before the handler closes it.
   * A session is attended while the client waits for the response of a call or listens on its GET
   * stream.
   *
   * @defaultValue 1800000 (30 minutes)
   */
  sessionIdleMs?: number;
  /**
   * The time, in milliseconds, that a 2025 session with an open question may be unattended before
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

/** The settings of a handler. */
export interface HandlerSettings extends BodyLimits {
  modernOptions: CreateMcpHandlerOptions;
  sessionSettings: Omit<SessionTableSettings, 'factory' | 'inFlight'>;
  admission: Admission;
  authenticate: AuthenticateRequest | undefined;
  onerror: (error: Error) => void;
  /** Receives the errors of `authenticate`. Without `onerror`, it logs them. */
  onAuthenticateError: (error: Error) => void;
}

/**
 * Checks the options and fills in the defaults. Errors name the function `caller`.
 *
 * @throws {TypeError} If an option has an unusable value.
 */
export function handlerSettings(options: DualEraHandlerOptions, caller: string): HandlerSettings {
  checkKnownOptions(options, HANDLER_OPTIONS, caller);
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
  /** Checks a limit on bytes. If it were smaller than one request, such a request could never pass. */
  const byteLimit = (given: number | undefined, name: string, usual: number): number => {
    const value = given ?? Math.max(usual, maxRequestBodySize);
    if (limit(value, name) >= maxRequestBodySize) return value;
    throw new TypeError(
      `${caller}(): \`${name}\` must be at least \`maxRequestBodySize\`, which is ${maxRequestBodySize} bytes, got ${value}.`,
    );
  };
  return {
    modernOptions: { ...modernOptions, legacy: 'reject' },
    sessionSettings: {
      maxSessions: limit(maxSessions ?? 1000, 'maxSessions'),
      maxSessionsPerPrincipal: limit(maxSessionsPerPrincipal ?? 100, 'maxSessionsPerPrincipal'),
      maxOpenQuestions: limit(maxOpenQuestions ?? 128, 'maxOpenQuestions'),
      maxSessionBytes: byteLimit(maxSessionBytes, 'maxSessionBytes', 16 * MEBIBYTE),
      maxTotalSessionBytes: byteLimit(maxTotalSessionBytes, 'maxTotalSessionBytes', 64 * MEBIBYTE),
      sessionIdleMs: limit(sessionIdleMs ?? 30 * 60_000, 'sessionIdleMs'),
      disconnectGraceMs: limit(disconnectGraceMs ?? 60_000, 'disconnectGraceMs'),
      keepAliveMs,
      onerror,
    },
    admission: createAdmission(options, caller),
    authenticate: checkedAuthenticate(authenticate, caller),
    maxRequestBodySize,
    bodyBudget: new ByteBudget(byteLimit(maxBufferedBytes, 'maxBufferedBytes', 64 * MEBIBYTE)),
    onerror,
    onAuthenticateError: options.onerror === undefined ? logAuthenticateError : onerror,
  };
}

const MEBIBYTE = 1024 * 1024;

/**
 * Returns the timeout of `close()`.
 *
 * @throws {TypeError} If the timeout is not an integer that a timer can wait for.
 */
export function closeTimeout({ timeoutMs = 10_000 }: CloseOptions = {}): number {
  return checkInteger(timeoutMs, 'close(): `timeoutMs`', { min: 0, max: 2 ** 31 - 1 });
}

function logAuthenticateError(error: Error): void {
  Warnings.of(STANDARD_ERROR).warn(`\`authenticate\` failed: ${shownError(error)}`);
}

function checkedAuthenticate(
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
