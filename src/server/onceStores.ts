/** Whether the stores of tools that run once fit the seal of their server. */
import type { Server } from '@modelcontextprotocol/server';
import { InvalidGraphError } from '../errors.js';
import type { CheckedSeal } from '../state/sealOptions.js';
import type { OnceSettings } from '../once/onceSettings.js';

/** A definition, as far as it matters here. */
interface Storing {
  readonly name: string;
  readonly once?: OnceSettings | undefined;
}

const LOCAL = Symbol.for('mcp-resolve.localStore');

/**
 * Keys that several processes share let a call go on in another one, which would not know that it
 * has run. To be called before anything is attached, with the policy that will apply: the first
 * such tool of a server is remembered, because a seal with shared keys may come after it.
 *
 * @throws {@link InvalidGraphError} If a store is only this process's, and the keys are not.
 */
export function assertStoresFit(
  server: Server & { [LOCAL]?: string },
  policy: CheckedSeal | undefined,
  definitions: readonly Storing[] = [],
): void {
  const found = definitions.find(({ once }) => once?.store.onlyThisProcess === true);
  const local = server[LOCAL] ?? found?.name;
  if (local === undefined) return;
  if (policy?.shared === true) throw misfit(local);
  Object.defineProperty(server, LOCAL, { value: local, configurable: true });
}

function misfit(tool: string): InvalidGraphError {
  return new InvalidGraphError(
    'ERR_DEFINITION',
    `install(): tool '${tool}' remembers in this process alone that a call has run, but the seal has keys that other processes may share: use redisOnceStore(client), or memoryOnceStore({ singleProcess: true }) if there is only one process.`,
    [tool],
  );
}
