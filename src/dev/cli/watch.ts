/**
 * Sees the definitions that a module makes, whether or not it exports them: most servers export
 * nothing. Every definition is frozen when it is made, so for the time of a watch whatever is
 * frozen is looked at. This is done in the process of the command alone, which ends soon.
 */
import type { AnyDefinition } from '../../server/definition/definitions.js';
import { isDefinition } from '../readDefinition.js';

/** What some work gave, and the definitions that were made meanwhile. */
export interface Watched<T> {
  readonly result: T;
  readonly made: readonly AnyDefinition[];
}

/** Does some work, and sees which definitions are made. */
export async function watching<T>(work: () => Promise<T>): Promise<Watched<T>> {
  const made: AnyDefinition[] = [];
  const freeze = Object.freeze;
  const watched = (value: unknown): unknown => {
    if (isDefinition(value)) made.push(value);
    return freeze(value);
  };
  // Where the built-in objects are frozen themselves, exports are all that is seen.
  const set = Reflect.set(Object, 'freeze', watched);
  try {
    return { result: await work(), made };
  } finally {
    if (set) Reflect.set(Object, 'freeze', freeze);
  }
}
