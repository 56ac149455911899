/** Restores servers if an installation fails, so that it leaves nothing behind. */
import { isPlainObject } from '../values.js';
import { isRouteMap } from './routeMap.js';

type Restore = () => void;

/**
 * Runs an installation. If it throws, the objects get back their own properties, and the maps,
 * arrays and plain objects in these get back their contents: what was registered, capabilities,
 * handlers, and the functions that were replaced. A host may have made a part of these changes.
 */
export function allOrNothing(objects: readonly object[], run: () => void): void {
  const restores = objects.map(remember);
  try {
    run();
  } catch (error) {
    for (const restore of restores) restore();
    throw error;
  }
}

function remember(object: object): Restore {
  const before = Object.getOwnPropertyDescriptors(object);
  const contents = Object.values(before).map(({ value }) => rememberContents(value));
  return () => {
    deleteOthers(object, before);
    Object.defineProperties(object, before);
    for (const restore of contents) restore?.();
  };
}

function rememberContents(value: unknown): Restore | undefined {
  if (isRouteMap(value)) return value.remember();
  if (value instanceof Map) {
    const entries = [...(value as Map<unknown, unknown>)];
    return () => {
      value.clear();
      for (const [key, entry] of entries) value.set(key, entry);
    };
  }
  if (Array.isArray(value)) {
    const items = [...(value as unknown[])];
    return () => void value.splice(0, value.length, ...items);
  }
  if (!isPlainObject(value)) return undefined;
  const before = Object.getOwnPropertyDescriptors(value);
  return () => {
    deleteOthers(value, before);
    Object.defineProperties(value, before);
  };
}

/** Deletes the properties that an object did not have before. */
function deleteOthers(object: object, before: object): void {
  for (const key of Reflect.ownKeys(object)) {
    if (!Object.hasOwn(before, key)) Reflect.deleteProperty(object, key);
  }
}
