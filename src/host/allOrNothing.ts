/** Restores servers if an installation fails, so that it leaves nothing behind. */
import { isRouteMap } from './routeMap.js';

type Restore = () => void;

/**
 * Runs an installation, and returns what it returns. If it throws, the objects get back their own
 * properties, and the maps, sets and plain objects in these get back their contents: what was
 * registered, capabilities, handlers, and the functions that were replaced. A host may have made a
 * part of these changes.
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

type Values = Record<PropertyKey, unknown>;

type Container = Map<unknown, unknown> | Set<unknown> | Values;

/** The contents of a container, or a function that brings them back. */
type Contents = readonly unknown[] | Values | Restore;

/** Most containers of a new server are empty. All of them share these contents. */
const NO_ENTRIES: readonly unknown[] = [];

/** Keeps values, not descriptors, because HTTP builds a server for every request. */
function remember(object: object): Restore {
  // Symbols too: the library keeps its own parts of a server under them.
  const keys = Reflect.ownKeys(object);
  const before: unknown[] = [];
  const containers: (readonly [Container, Contents])[] = [];
  for (const key of keys) {
    const value = (object as Values)[key];
    before.push(value);
    if (typeof value !== 'object' || value === null) continue;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (value instanceof Map || value instanceof Set) {
      const isPlain = prototype === Map.prototype || prototype === Set.prototype;
      const isRoutes = !isPlain && isRouteMap(value);
      const contents = isRoutes ? value.remember() : value.size === 0 ? NO_ENTRIES : [...value];
      containers.push([value, contents]);
    } else if (prototype === Object.prototype || prototype === null)
      containers.push([value as Values, { ...value }]);
  }
  return () => {
    const values = Object.create(null) as Values;
    for (const [place, key] of keys.entries()) values[key] = before[place];
    setValues(object as Values, values);
    for (const [container, contents] of containers) refill(container, contents);
  };
}

function refill(container: Container, contents: Contents): void {
  if (typeof contents === 'function') contents();
  else if (container instanceof Map) {
    container.clear();
    for (const [key, value] of contents as [unknown, unknown][]) container.set(key, value);
  } else if (container instanceof Set) {
    container.clear();
    for (const member of contents as unknown[]) container.add(member);
  } else setValues(container, contents as Values);
}

/** Gives an object its own properties back, with their values, and removes all others. */
function setValues(object: Values, values: Values): void {
  for (const key of Reflect.ownKeys(object)) {
    if (!Object.hasOwn(values, key)) Reflect.deleteProperty(object, key);
  }
  for (const key of Reflect.ownKeys(values)) {
    const { [key]: value } = values;
    if (object[key] === value && Object.hasOwn(object, key)) continue;
    const present = Object.getOwnPropertyDescriptor(object, key) ?? DELETED;
    // A getter computes its own value.
    if ('value' in present) Object.defineProperty(object, key, { ...present, value });
  }
}

/** The property that an installation has deleted. */
const DELETED = { value: undefined, writable: true, configurable: true, enumerable: true };
