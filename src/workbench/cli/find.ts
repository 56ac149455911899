/** Finds definitions in what a module exports: as they are, in lists, and in objects. */
import { isPlainObject } from '../../define/schema.js';
import type { AnyDefinition } from '../../wire/install/definitions.js';
import { isDefinition } from '../graph/explain.js';

/** The definitions among some values, or one level deeper, each one once. */
export function definitionsIn(values: readonly unknown[]): AnyDefinition[] {
  const found = values.flatMap((value) => [value, ...membersOf(value)]).filter(isDefinition);
  return [...new Set(found)];
}

function membersOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) && !isDefinition(value) ? valuesOf(value) : [];
}

/** The members of an object, without those whose getters throw. */
export function valuesOf(object: object): unknown[] {
  return Object.keys(object).flatMap((name): unknown[] => {
    try {
      return [Reflect.get(object, name)];
    } catch {
      return [];
    }
  });
}
