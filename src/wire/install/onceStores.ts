/** Whether the stores of tools that run once fit the seal of their server. */
import type { Server } from '@modelcontextprotocol/server';
import { InvalidGraphError } from '../../errors.js';
import { sealPolicyOf } from '../boundary/boundary.js';
import type { OnceSettings } from '../call/onceSettings.js';

/** What is installed, as far as it matters here. */
interface Installed {
  readonly definition: { readonly name: string; readonly once?: OnceSettings | undefined };
}

/**
 * Keys that several processes share let a call go on in another one, which would not know that it
 * has run.
 *
 * @throws {@link InvalidGraphError} If a store is only this process's, and the keys are not.
 */
export function assertStoresFit(server: Server, installed: readonly Installed[] = []): void {
  const found = installed.find(({ definition }) => definition.once?.store.onlyThisProcess === true);
  const local = localOn.get(server) ?? found?.definition.name;
  if (local === undefined) return;
  localOn.set(server, local);
  if (sealPolicyOf(server)?.shared !== true) return;
  throw new InvalidGraphError(
    'ERR_DEFINITION',
    `install(): tool '${local}' remembers in this process alone that a call has run, but the seal has keys that other processes may share: use redisOnceStore(client), or memoryOnceStore({ singleProcess: true }) if there is only one process.`,
    [local],
  );
}

/** The first tool of a server with such a store: a seal with shared keys may come after it. */
const localOn = new WeakMap<Server, string>();
