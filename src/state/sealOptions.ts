/** Validates the options of a sealing policy and fills in the defaults. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { rejectUnknownOptions } from '../options.js';
import { ringCodec, tokenLength } from './codec.js';
import type { RequestStateCodec } from './codec.js';
import { readKeys } from './keyRing.js';
import type { RequestStateKey } from './keyRing.js';
import { checkLogger } from '../log.js';
import type { Logger } from '../log.js';

/**
 * A rejected state, for the server only. It never contains the token, the state or the principal.
 */
export interface Rejection {
  /**
   * A short fixed reason, such as `expired`. With a custom codec, the first 40 characters of its
   * message, with control characters escaped.
   */
  readonly reason: string;
  /** The method of the request that carried the state. */
  readonly method: string;
}

/**
 * The part of the request's context that determines its principal. `http` is missing over stdio.
 * `http.authInfo` is the validated token, if there is one.
 */
export type PrincipalContext = Pick<ServerContext, 'http'>;

/** The settings of every policy. */
export interface SealSettings {
  /**
   * The service that the tokens are for. Servers with the same keys but different audiences reject
   * each other's tokens.
   */
  readonly audience?: string;
  /** The time that a client may take for one round, in seconds. Default: 600. */
  readonly ttlSeconds?: number;
  /** The maximum time from a call's first question to its last round, in seconds. Default: 3600. */
  readonly maxFlowSeconds?: number;
  /** The largest state that is sent or accepted, in bytes. Default: 65,536. */
  readonly maxStateBytes?: number;
  /**
   * Returns the user of a request, who owns the state of a call and the legacy session. Include
   * everything that decides what an id means, such as the tenant. Default: the client, issuer and
   * subject of the validated token. If there is no token, requests are anonymous.
   */
  readonly principal?: (
    ctx: Pick<ServerContext, 'http'>,
  ) => string | undefined | Promise<string | undefined>;
  /** Called for every rejected state. */
  readonly onReject?: (rejection: Rejection) => void;
  /** The destination of warnings. Default: the `logger` of `install`, or standard error. */
  readonly logger?: Logger;
}

/** The options of a policy with shared secrets or with a custom codec. The audience is required. */
export type RequestStateSealOptions<K = Keys> = SealSettings & { readonly audience: string } & (
    | {
        /**
         * The secrets, at least 32 bytes each. The first one seals, and every one opens. A function
         * is called when the first state is sealed or opened.
         */
        readonly keys: K;
        readonly codec?: never;
      }
    | { readonly codec: RequestStateCodec; readonly keys?: never }
  );

/** The secrets, or a function that returns them. */
export type Keys = readonly RequestStateKey[] | KeysFunction;

/** Returns the secrets, for runtimes that have no configuration while modules load. */
export type KeysFunction = () => readonly RequestStateKey[] | Promise<readonly RequestStateKey[]>;

/** A policy with all defaults filled in. */
export interface CheckedSeal extends Required<
  Omit<SealSettings, 'audience' | 'logger' | 'onReject' | 'principal'>
> {
  readonly codec: RequestStateCodec;
  readonly audience: string | undefined;
  readonly principal: SealSettings['principal'];
  readonly onReject: SealSettings['onReject'];
  /** The author's logger. If `undefined`, warnings go to the logger of the server. */
  readonly logger: Logger | undefined;
  /** The maximum length of a token. A longer one is rejected as malformed before it is decoded. */
  readonly maxTokenLength: number;
  /** True if other processes may have the keys, and so may continue a call of this process. */
  readonly shared: boolean;
  /** True if the policy uses a key of this process, because none was configured. */
  readonly byDefault: boolean;
}

/**
 * Validates the options of a policy.
 *
 * @throws {TypeError} If an option is invalid.
 */
export function checkSealOptions(options: RequestStateSealOptions): CheckedSeal {
  assertKnown(options, ['keys', 'codec'], 'requestStateSeal');
  const { keys, codec } = options as {
    keys?: Keys;
    codec?: RequestStateCodec | null;
  };
  if ((keys === undefined) === (codec === undefined)) {
    throw new TypeError('requestStateSeal() takes exactly one of `keys` and `codec`.');
  }
  if (codec !== undefined) {
    if (typeof codec?.seal !== 'function' || typeof codec.unseal !== 'function') {
      throw new TypeError(
        'requestStateSeal(): `codec` must be an object with `seal(bytes)` and `unseal(token)`.',
      );
    }
    return { ...completeSeal(options, codec, (bytes) => 4 * bytes + 4096), shared: true };
  }
  const secrets =
    typeof keys === 'function' ? async () => readKeys(await keys()) : readKeys(keys ?? []);
  return { ...completeSeal(options, ringCodec(secrets), tokenLength), shared: true };
}

/** Fills in the defaults and validates the settings. */
export function completeSeal(
  settings: SealSettings,
  codec: RequestStateCodec,
  tokenLengthFor: (bytes: number) => number,
): CheckedSeal {
  const { ttlSeconds = 600, maxFlowSeconds = 3600, maxStateBytes = 65_536 } = settings;
  assertPositive({ ttlSeconds, maxFlowSeconds, maxStateBytes });
  const { audience, principal, onReject, logger } = settings;
  if (audience !== undefined && (typeof audience !== 'string' || audience === '')) {
    throw new TypeError('requestStateSeal(): `audience` must be a non-empty string.');
  }
  if (principal !== undefined && typeof principal !== 'function') {
    throw new TypeError(
      "requestStateSeal(): `principal` must be a function that takes the request's context.",
    );
  }
  if (onReject !== undefined && typeof onReject !== 'function') {
    throw new TypeError('requestStateSeal(): `onReject` must be a function.');
  }
  const maxTokenLength = tokenLengthFor(maxStateBytes);
  return {
    codec,
    audience,
    ttlSeconds,
    maxFlowSeconds,
    maxStateBytes,
    principal,
    onReject,
    logger: logger === undefined ? undefined : checkLogger(logger, 'requestStateSeal(): `logger`'),
    maxTokenLength,
    shared: false,
    byDefault: false,
  };
}

const SETTINGS: readonly string[] = [
  'audience',
  'ttlSeconds',
  'maxFlowSeconds',
  'maxStateBytes',
  'principal',
  'onReject',
  'logger',
];

/** @throws {TypeError} If a setting is unknown. */
export function assertKnown(options: object, besides: readonly string[], caller: string): void {
  rejectUnknownOptions(options, [...besides, ...SETTINGS], `${caller}()`);
}

function assertPositive(numbers: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value !== 'number' || !(value > 0 && value < Infinity)) {
      throw new TypeError(`requestStateSeal(): \`${name}\` must be a positive, finite number.`);
    }
  }
}
