/** Whether the stores of tools that run once fit the seal of their server. */
import type { Server } from '@modelcontextprotocol/server';
import { InvalidGraphError } from '../../errors.js';
import { sealPolicyOf } from '../boundary/boundary.js';
import type { Installed } from './definitions.js';

/**
 * Keys that several processes share let a call go on in another one, which would not know that it
 * has run.
 *
 * @throws {@link InvalidGraphError} If a store is only this process's, and the keys are not.
 */
export function assertStoresFit(server: Server, installed: readonly Installed[]): void {
  if (sealPolicyOf(server)?.shared !== true) return;
  const misfit = installed.find(
    ({ definition }) => definition.once?.store.onlyThisProcess === true,
  );
  if (misfit === undefined) return;
  throw new InvalidGraphError(
    'ERR_DEFINITION',
    `install(): tool '${misfit.definition.name}' remembers in this process alone that a call has run, but the seal has keys that other processes may share: use redisOnceStore(client), or memoryOnceStore({ singleProcess: true }) if there is only one process.`,
    [misfit.definition.name],
  );
}
