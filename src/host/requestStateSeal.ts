/** Creates sealing policies: those of authors, and the default policy of the process. */
import { KIND } from '../author/brand.js';
import type { Sentences } from '../author/sentences.js';
import { isObject } from '../values.js';
import { lazily, randomBytes } from '../platform.js';
import { ringCodec, tokenLength } from '../state/codec.js';
import { keysOfEnvironment } from '../state/keyRing.js';
import { Seal } from '../state/seal.js';
import { assertKnown, checkSealOptions, completeSeal } from '../state/sealOptions.js';
import type {
  CheckedSeal,
  Keys,
  RequestStateSealOptions,
  SealSettings,
} from '../state/sealOptions.js';
import type { Logger } from '../log.js';
import { protect } from './boundary.js';
import { assertNotedStoresFit, assertStoresFit } from './onceStores.js';
import { lowLevelServer, serverName } from './sdkInternals.js';
import type { AnyServer } from './sdkInternals.js';

/** A sealing policy. Create it once and use it for every server of a service. */
export interface RequestStateSeal {
  /** Protects every handler of a server, including hand-written handlers and those set later. */
  readonly protect: (server: AnyServer) => void;
  readonly [KIND]: 'seal';
  readonly '~policy': CheckedSeal;
}

/**
 * Creates a sealing policy with shared keys or a custom codec. Servers that finish each other's
 * calls need the same keys and the same audience.
 *
 * @example
 *
 * ```ts
 * const seal = requestStateSeal({
 *   keys: [process.env['MCP_RESOLVE_KEYS'] ?? ''],
 *   audience: 'https://mcp.example.com',
 * });
 * install(server, [payInvoice], { seal });
 * ```
 *
 * @throws {TypeError} If an option is missing or invalid.
 */
export function requestStateSeal<K extends Keys | Sentences['keys'] = Keys>(
  options: RequestStateSealOptions<K>,
): RequestStateSeal;
export function requestStateSeal(options: RequestStateSealOptions): RequestStateSeal {
  if (!isObject(options))
    throw new TypeError(
      'requestStateSeal(): `options` must be an object such as { keys, audience }.',
    );
  const { audience } = options as { readonly audience?: string };
  if (audience === undefined) {
    throw new TypeError(
      'requestStateSeal(): `audience` is required. Set it to the name of the service, so that another service with the same keys rejects its tokens.',
    );
  }
  return asSeal(checkSealOptions(options));
}

/** Creates a policy with a new random key, which exists only in this process. */
requestStateSeal.ephemeral = function ephemeral(settings: SealSettings = {}): RequestStateSeal {
  assertKnown(settings, [], 'requestStateSeal.ephemeral');
  return asSeal(completeSeal(settings, ringCodec(newSecret), tokenLength));
};

function asSeal(policy: CheckedSeal): RequestStateSeal {
  return Object.freeze({
    protect: (server: AnyServer) => {
      const target = lowLevelServer(server, 'protect()');
      assertStoresFit(target, policy);
      protect(target, { seal: sealFor(policy, target), explicit: true, coversAll: true });
    },
    [KIND]: 'seal' as const,
    '~policy': policy,
  });
}

/**
 * Creates the seal of a server, or of the handler of one tool. If the policy has no audience, the
 * name of the server is the audience.
 */
export function sealFor(
  policy: CheckedSeal,
  owner: object,
  { audience = serverName(owner), logger }: SealDefaults = {},
): Seal {
  return new Seal(policy, {
    audience: policy.audience ?? audience,
    // The keys of the environment are not known before the first use.
    assertUsable: () => {
      assertNotedStoresFit(owner, policy);
    },
    ...(logger && { logger }),
  });
}

/** The settings of a seal whose policy does not say otherwise. */
interface SealDefaults {
  readonly audience?: string | undefined;
  readonly logger?: Logger | undefined;
}

function newSecret(): readonly Uint8Array[] {
  return [randomBytes(32)];
}

/**
 * Returns the policy for servers without an explicit seal. Its keys are those of the environment,
 * or one key of the process, because HTTP builds a server for every request. A variable that is
 * absent is read again until the first state is sealed or opened, because an author can set it
 * after the servers are built.
 *
 * @throws {TypeError} From `shared`, if the variable is empty or malformed.
 */
export const defaultPolicy: () => CheckedSeal = /* @__PURE__ */ lazily(() => {
  let keys: readonly Uint8Array[] | undefined;
  let isOwn = false;
  const configured = (): typeof keys => (isOwn ? undefined : (keys ??= keysOfEnvironment()));
  const firstUse = (): readonly Uint8Array[] => {
    isOwn = configured() === undefined;
    return keys ?? newSecret();
  };
  return {
    ...completeSeal({}, ringCodec(firstUse), tokenLength),
    get shared() {
      return configured() !== undefined;
    },
    get byDefault() {
      return isOwn;
    },
  };
});
