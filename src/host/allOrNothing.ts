/** Restores servers if an installation fails, so that it leaves nothing behind. */
import { isRouteMap } from './routeMap.js';

type Restore = () => void;

/**
 * Runs an installation. If it throws, the objects get back their own properties, and the maps and
 * plain objects in these get back their contents: what was registered, capabilities, handlers, and
 * the functions that were replaced. A host may have made a part of these changes.
 */
export function allOrNothing<T>(objects: readonly object[], run: () => T): T {
  const restores = objects.map(remember);
  try {
    return run();
  } catch (error) {
    for (const restore of restores) restore();
    throw error;
  }
}

function remember(object: object): Restore {
  const before = Object.getOwnPropertyDescriptors(object);
  const contents: Restore[] = [];
  // Symbols too: the library keeps its own parts of a server under them.
  for (const key of Reflect.ownKeys(before)) {
    const value: unknown = before[key as string]?.value;
    if (typeof value !== 'object' || value === null) continue;
    if (value instanceof Map) contents.push(rememberMap(value));
    else if (PLAIN.has(Object.getPrototypeOf(value))) {
      const properties = Object.getOwnPropertyDescriptors(value);
      contents.push(() => {
        setProperties(value, properties);
      });
    }
  }
  return () => {
    setProperties(object, before);
    for (const restore of contents) restore();
  };
}

const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

function rememberMap(map: Map<unknown, unknown>): Restore {
  if (isRouteMap(map)) return map.remember();
  const entries = [...map];
  return () => {
    map.clear();
    for (const [key, value] of entries) map.set(key, value);
  };
}

/** Gives an object these own properties and no others. */
function setProperties(object: object, properties: PropertyDescriptorMap): void {
  for (const key of Reflect.ownKeys(object)) {
    if (!Object.hasOwn(properties, key)) Reflect.deleteProperty(object, key);
  }
  Object.defineProperties(object, properties);
}
