/** Checks that the stores of tools with `once` fit the seal of their server. */
import type { CheckedSeal } from '../state/sealOptions.js';
import type { OnceSettings } from '../once/onceSettings.js';

/** The part of a definition that the check reads. */
interface Storing {
  readonly name: string;
  readonly once?: OnceSettings | undefined;
}

const LOCAL = Symbol.for('mcp-resolve.localStore');

/**
 * Checks that a store of this process is not combined with keys that several processes share. With
 * shared keys, a call can continue in another process, which would not know that it has run. Call
 * this before anything is attached, with the policy that will apply. The server, or the handler of
 * one tool, remembers the first tool with such a store, because a seal with shared keys may
 * follow.
 *
 * @throws {TypeError} If a store belongs to this process alone but the keys are shared.
 */
export function assertStoresFit(
  owner: object & { [LOCAL]?: string },
  policy: CheckedSeal | undefined,
  definitions: readonly Storing[] = [],
): void {
  const found = definitions.find(({ once }) => once?.store.onlyThisProcess === true);
  const local = owner[LOCAL] ?? found?.name;
  if (local === undefined) return;
  if (policy?.shared === true) throw misfit(local);
  Object.defineProperty(owner, LOCAL, { value: local, configurable: true });
}

function misfit(tool: string): TypeError {
  return new TypeError(
    `Tool '${tool}': the \`once\` store is visible only to this process, but other processes may share the keys of the seal. Use redisOnceStore(client), or memoryOnceStore({ singleProcess: true }) if there is only one process.`,
  );
}
