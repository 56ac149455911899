/** The options of a sealing policy, checked. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { ringCodec, tokenLength } from './codec.js';
import type { RequestStateCodec } from './codec.js';
import { readKeys } from './keyRing.js';
import type { RequestStateKey } from './keyRing.js';
import { STANDARD_ERROR } from './warnings.js';
import type { SealLogger } from './warnings.js';

/** A rejected state, for the server's eyes. Never contains the token, the state or the principal. */
export interface Rejection {
  /** A few fixed words, such as `expired`; with an own codec, the first 40 characters of its reason. */
  readonly reason: string;
  /** The method of the request that brought the state. */
  readonly method: string;
}

/** What every policy can be told. */
export interface SealSettings {
  /**
   * Which service the tokens are for; servers that share keys but not the audience reject each
   * other's.
   */
  readonly audience?: string;
  /** How long a client may take for one round. Default: 600. */
  readonly ttlSeconds?: number;
  /** How long one call of a tool with resolvers may take from its first question on. Default: 3600. */
  readonly maxFlowSeconds?: number;
  /** The largest state that is sent or taken, in bytes. Default: 65,536. */
  readonly maxStateBytes?: number;
  /**
   * Who the state belongs to: everything that decides what an id means, the tenant included.
   * Default: client, issuer and subject of the validated token; nobody without one.
   */
  readonly principal?: (ctx: ServerContext) => string | undefined | Promise<string | undefined>;
  /** Told of every rejected state. */
  readonly onReject?: (rejection: Rejection) => void;
  /** Default: standard error. */
  readonly logger?: SealLogger;
}

/** A policy over shared secrets, or over a codec of one's own. Either way it names its audience. */
export type RequestStateSealOptions = SealSettings & { readonly audience: string } & (
    | {
        /** The secrets, at least 32 bytes each: the first one seals, every one opens. */
        readonly keys: readonly RequestStateKey[];
        readonly codec?: never;
      }
    | { readonly codec: RequestStateCodec; readonly keys?: never }
  );

/** A policy, complete. */
export interface CheckedSeal extends Required<
  Omit<SealSettings, 'audience' | 'onReject' | 'principal'>
> {
  readonly codec: RequestStateCodec;
  readonly audience: string | undefined;
  readonly principal: SealSettings['principal'];
  readonly onReject: SealSettings['onReject'];
  /** A token that is longer is malformed before it is decoded. */
  readonly maxTokenLength: number;
  /** Whether other processes may have the keys, and so go on with a call of this one. */
  readonly shared: boolean;
  /** Whether nobody chose the key: then it is one that only this process has. */
  readonly byDefault: boolean;
}

/** @throws {TypeError} If the options make no sense. */
export function checkSealOptions(options: RequestStateSealOptions): CheckedSeal {
  assertKnown(options, ['keys', 'codec']);
  const { keys, codec } = options as {
    keys?: readonly RequestStateKey[];
    codec?: RequestStateCodec | null;
  };
  if ((keys === undefined) === (codec === undefined)) {
    throw new TypeError("requestStateSeal takes exactly one of 'keys' and 'codec'");
  }
  if (codec !== undefined) {
    if (typeof codec?.seal !== 'function' || typeof codec.unseal !== 'function') {
      throw new TypeError("'codec' is an object with seal(bytes) and unseal(token)");
    }
    return { ...completeSeal(options, codec, (bytes) => 4 * bytes + 4096), shared: true };
  }
  return { ...completeSeal(options, ringCodec(readKeys(keys ?? [])), tokenLength), shared: true };
}

/** Fills in the defaults and checks the rest. */
export function completeSeal(
  settings: SealSettings,
  codec: RequestStateCodec,
  tokenLengthFor: (bytes: number) => number,
): CheckedSeal {
  const { ttlSeconds = 600, maxFlowSeconds = 3600, maxStateBytes = 65_536 } = settings;
  assertPositive({ ttlSeconds, maxFlowSeconds, maxStateBytes });
  const { audience, principal, onReject, logger = STANDARD_ERROR } = settings;
  if (audience !== undefined && (typeof audience !== 'string' || audience === '')) {
    throw new TypeError("'audience' is a text that is not empty");
  }
  if (principal !== undefined && typeof principal !== 'function') {
    throw new TypeError("'principal' is a function of the request's context");
  }
  if (onReject !== undefined && typeof onReject !== 'function') {
    throw new TypeError("'onReject' is a function");
  }
  if (typeof logger.warn !== 'function')
    throw new TypeError("'logger' is an object with warn(text)");
  const maxTokenLength = tokenLengthFor(maxStateBytes);
  return {
    codec,
    audience,
    ttlSeconds,
    maxFlowSeconds,
    maxStateBytes,
    principal,
    onReject,
    logger,
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

/** A misspelt setting would leave the default in force, unseen. */
export function assertKnown(options: object, besides: readonly string[] = []): void {
  const unknown = Object.keys(options).find((key) => ![...SETTINGS, ...besides].includes(key));
  if (unknown === undefined) return;
  const known = [...besides, ...SETTINGS].join(', ');
  throw new TypeError(`requestStateSeal has no option '${unknown}' (known: ${known})`);
}

function assertPositive(numbers: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value !== 'number' || !(value > 0 && value < Infinity)) {
      throw new TypeError(`'${name}' is a positive, finite number`);
    }
  }
}
