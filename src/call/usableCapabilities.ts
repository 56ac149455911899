/**
 * Takes away what a client declares and does not do. An author's function returns the capabilities
 * that calls may count on. The result is intersected with what the client declared, so the function
 * can only take away. If the function fails, the client counts as able to nothing.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { isObject, isThenable } from '../values.js';
import { warnCapabilitiesThrew, warnNotCapabilities } from './operator.js';
import type { Logger } from '../log.js';

/** The SDK's `ClientCapabilities`, as an interface, because compilers print the name of one. */

interface Capabilities extends ClientCapabilities {}

/** A client as it describes itself. A client can forge all of it. */
export interface DeclaredClient {
  /** The name of the client program. `undefined` if the client did not send it. */
  readonly name: string | undefined;
  /** The version of the client program. `undefined` if the client did not send it. */
  readonly version: string | undefined;
  /** `modern` for protocol 2026-07-28 and later, `legacy` for everything before. */
  readonly era: 'modern' | 'legacy';
  /** A copy of the capabilities that the client declared. */
  readonly capabilities: Capabilities;
}

/** Returns the capabilities of a client that calls may count on. */
export type UsableCapabilities = (client: DeclaredClient) => Capabilities;

/** A function of an author, and the destination of warnings about it. */
export interface CapabilityLimit {
  readonly usableCapabilities: UsableCapabilities;
  readonly logger: Logger;
}

export function limitCapabilities(
  declared: ClientCapabilities,
  identity: Omit<DeclaredClient, 'capabilities'>,
  { usableCapabilities, logger }: CapabilityLimit,
): ClientCapabilities {
  try {
    const capabilities = structuredClone(declared);
    const usable: unknown = usableCapabilities({ ...identity, capabilities });
    if (isObject(usable) && !isThenable(usable)) return intersectCapabilities(declared, usable);
    if (isThenable(usable)) usable.then(undefined, () => undefined);
    warnNotCapabilities(logger, usable);
  } catch (error) {
    warnCapabilitiesThrew(logger, error);
  }
  return {};
}

type Properties = Readonly<Record<string, unknown>>;

/** Returns the capabilities that are in both. */
function intersectCapabilities(declared: Properties, usable: Properties): ClientCapabilities {
  const shared = intersect(withModes(declared), withModes(usable));
  const { elicitation, ...others } = shared;
  // An empty object would mean forms.
  return isObject(elicitation) && Object.keys(elicitation).length > 0 ? shared : others;
}

/** Names the mode of an `elicitation` that names none, which means forms. */
function withModes({ elicitation, ...others }: Properties): Properties {
  if (!isObject(elicitation)) return others;
  const hasMode = elicitation.form !== undefined || elicitation.url !== undefined;
  return { ...others, elicitation: hasMode ? elicitation : { ...elicitation, form: {} } };
}

/** Returns the properties that both objects have. Values other than objects must be equal. */
function intersect(one: Properties, other: Properties): Properties {
  const shared = Object.entries(one).flatMap(([key, value]) => {
    if (!Object.hasOwn(other, key)) return [];
    const limit = other[key];
    if (isObject(value) && isObject(limit)) return [[key, intersect(value, limit)]];
    return JSON.stringify(value) === JSON.stringify(limit) ? [[key, value]] : [];
  });
  return Object.fromEntries(shared) as Properties;
}
