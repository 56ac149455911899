/** Reads definitions from unknown values, for all developer tools. */
import { kindOf } from '../author/brand.js';
import { readDefinitions } from '../definition/definitions.js';
import type { AnyDefinition, Installed } from '../definition/definitions.js';

/** Returns true for a tool, a prompt or a resource. */
export function isDefinition(value: unknown): value is AnyDefinition {
  const kind = kindOf(value);
  return kind === 'tool' || kind === 'prompt' || kind === 'resource';
}

/** Returns the definition that a value holds, or `undefined` for anything else. */
export function readDefinition(value: unknown): Installed | undefined {
  return isDefinition(value) ? readDefinitions([value])[0] : undefined;
}
