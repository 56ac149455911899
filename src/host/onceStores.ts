/** Checks that the stores of tools with `once` or `approvals` fit the seal of their server. */
import type { CheckedSeal } from '../state/sealOptions.js';
import type { OnceSettings } from '../once/onceSettings.js';
import type { ParkingPlace } from '../call/parking.js';
import { isLocal } from '../store/recordStore.js';

/** The part of a definition that the check reads. */
interface Storing {
  readonly name: string;
  readonly once?: OnceSettings | undefined;
  readonly approvals?: ParkingPlace | undefined;
}

const LOCAL = Symbol.for('mcp-resolve.localStore');

/** A server, or the handler of one tool. */
type Owner = object & { [LOCAL]?: string | undefined };

/**
 * Checks that a store of this process is not combined with keys that several processes share. With
 * shared keys, a call can continue in another process, which would not know that it has run. Call
 * this before anything is attached, with the policy that will apply.
 *
 * @throws {TypeError} If a store belongs to this process alone but the keys are shared, or if the
 *   keys of the environment are wrong.
 */
export function assertStoresFit(
  owner: Owner,
  policy: CheckedSeal,
  definitions: readonly Storing[] = [],
): void {
  // Read first, because it throws if the keys of the environment are wrong.
  if (!policy.shared) return;
  const local = owner[LOCAL] ?? localIn(definitions)?.name;
  if (local !== undefined) throw misfit(local);
}

/** Checks the stores that were noted before. The keys of the environment can be set later. */
export function assertNotedStoresFit(owner: Owner, policy: CheckedSeal): void {
  if (owner[LOCAL] !== undefined) assertStoresFit(owner, policy);
}

/**
 * Notes the first tool with a store of this process on its server, or on the handler of the tool,
 * because a seal with shared keys may follow.
 */
export function noteStores(owner: Owner, definitions: readonly Storing[]): void {
  const value = owner[LOCAL] ?? localIn(definitions)?.name;
  Object.defineProperty(owner, LOCAL, { value, configurable: true });
}

function localIn(definitions: readonly Storing[]): Storing | undefined {
  return definitions.find(({ once, approvals }) =>
    [once, approvals].some((one) => one !== undefined && isLocal(one.store)),
  );
}

function misfit(tool: string): TypeError {
  return new TypeError(
    `Tool '${tool}': the store of \`once\` or \`approvals\` is visible only to this process, but other processes may have the same keys, from MCP_RESOLVE_KEYS or from the seal. Use redisStore(client) or postgresStore(client), or memoryStore({ singleProcess: true }) if there is only one process.`,
  );
}
