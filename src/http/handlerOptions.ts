/**
 * The options of `createDualEraHandler`, checked and completed.
 *
 * In: what the author wrote. Out: every setting with its default, or a `TypeError` with a sentence.
 */
import {
  type CreateMcpHandlerOptions,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
} from '@modelcontextprotocol/server';

import { type Admission, type AdmissionOptions, createAdmission } from './admission.js';
import type { AuthenticateRequest } from './authenticate.js';
import { checkKnownOptions, checkWholeNumber, describe } from './argumentChecks.js';
import type { SessionTableSettings } from './sessionTable.js';

/**
 * The options of `createDualEraHandler`: those of the SDK's handler, who may come in, and limits on
 * 2025 sessions.
 */
export interface DualEraHandlerOptions
  extends Omit<CreateMcpHandlerOptions, 'legacy'>, AdmissionOptions {
  /**
   * Who may use the server, and as whom. Without it everybody may, as nobody in particular. A
   * request that comes with its `authInfo` has been decided on and is not asked again.
   */
  authenticate?: AuthenticateRequest;
  /**
   * The number of 2025 sessions kept at a time. One more handshake ends the session unused for
   * longest that has no call in flight and no open question; with none such it gets HTTP 503. A
   * client whose session has ended gets 404, and opens another.
   *
   * @defaultValue 1000
   */
  maxSessions?: number;
  /**
   * The number of 2025 sessions kept at a time for one authenticated principal. One more handshake
   * ends a session of the same principal, by the same rule; with none such it gets HTTP 429.
   *
   * @defaultValue 100
   */
  maxSessionsPerPrincipal?: number;
  /**
   * The number of questions that may wait for their answer in one 2025 session. One more is not
   * sent, and fails the call that asks it.
   *
   * @defaultValue 128
   */
  maxOpenQuestions?: number;
  /**
   * How long, in milliseconds, a 2025 session may be unattended before it is closed. It is attended
   * while the client waits for the answer of a call or listens on its GET stream.
   *
   * @defaultValue 1800000 (30 minutes)
   */
  sessionIdleMs?: number;
  /**
   * How long, in milliseconds, a 2025 session with an open question may be unattended before it is
   * closed: the time a client has to come back after it lost its connections. A lost connection
   * alone ends no call, as the protocol has it.
   *
   * @defaultValue 60000 (1 minute)
   */
  disconnectGraceMs?: number;
}

/** The options of `close()`. */
export interface CloseOptions {
  /**
   * How long, in milliseconds, calls in flight may take to finish before they are aborted. 0 aborts
   * them at once.
   *
   * @defaultValue 10000
   */
  timeoutMs?: number;
}

/** The names of all options of a handler; the first six are the SDK's. */
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
  'maxSessions',
  'maxSessionsPerPrincipal',
  'maxOpenQuestions',
  'sessionIdleMs',
  'disconnectGraceMs',
];

/** The settings a handler works with. */
export interface HandlerSettings {
  modernOptions: CreateMcpHandlerOptions;
  sessions: Omit<SessionTableSettings, 'factory' | 'inFlight'>;
  admission: Admission;
  authenticate: AuthenticateRequest | undefined;
  maxRequestBodySize: number;
  onerror: (error: Error) => void;
}

/**
 * Completes the options with their defaults.
 *
 * @throws {TypeError} If one of them cannot be meant.
 */
export function handlerSettings(options: DualEraHandlerOptions): HandlerSettings {
  checkKnownOptions(options, HANDLER_OPTIONS, 'The handler');
  const { allowedHosts, allowedOrigins, authenticate, ...others } = options;
  const { maxSessions, maxSessionsPerPrincipal, maxOpenQuestions, ...timed } = others;
  const { sessionIdleMs, disconnectGraceMs, ...modernOptions } = timed;
  const { maxRequestBodySize = DEFAULT_MAX_REQUEST_BODY_SIZE, keepAliveMs } = modernOptions;
  const onerror = reportTo(options.onerror);
  return {
    modernOptions: { ...modernOptions, legacy: 'reject' },
    sessions: {
      maxSessions: limit(maxSessions ?? 1000, 'maxSessions'),
      maxSessionsPerPrincipal: limit(maxSessionsPerPrincipal ?? 100, 'maxSessionsPerPrincipal'),
      maxOpenQuestions: limit(maxOpenQuestions ?? 128, 'maxOpenQuestions'),
      sessionIdleMs: limit(sessionIdleMs ?? 30 * 60_000, 'sessionIdleMs'),
      disconnectGraceMs: limit(disconnectGraceMs ?? 60_000, 'disconnectGraceMs'),
      maxRequestBodySize,
      keepAliveMs,
      onerror,
    },
    admission: createAdmission(options),
    authenticate: checkedAuthenticate(authenticate),
    maxRequestBodySize,
    onerror,
  };
}

/**
 * Completes the options of `close()`.
 *
 * @throws {TypeError} If the time is none a timer can wait for.
 */
export function closeTimeout({ timeoutMs = 10_000 }: CloseOptions = {}): number {
  return checkWholeNumber(timeoutMs, 'timeoutMs', { min: 0, max: 2 ** 31 - 1 });
}

function limit(value: number, name: string): number {
  return checkWholeNumber(value, name, { min: 1 });
}

function checkedAuthenticate(
  authenticate: AuthenticateRequest | undefined,
): AuthenticateRequest | undefined {
  if (authenticate === undefined || typeof authenticate === 'function') return authenticate;
  throw new TypeError(
    `The option 'authenticate' must be a function, not ${describe(authenticate)}.`,
  );
}

/** A report function which cannot alter an answer by throwing. */
function reportTo(onerror: ((error: Error) => void) | undefined): (error: Error) => void {
  return (error) => {
    try {
      onerror?.(error);
    } catch {
      // Reporting must not change what the client gets.
    }
  };
}
