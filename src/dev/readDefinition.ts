/** How the workbench tells definitions from everything else that it may be given. */
import { kindOf } from '../define/brand.js';
import { readDefinitions } from '../server/definition/definitions.js';
import type { AnyDefinition, Installed } from '../server/definition/definitions.js';

/** Whether something is a tool, a prompt or a resource. */
export function isDefinition(value: unknown): value is AnyDefinition {
  const kind = kindOf(value);
  return kind === 'tool' || kind === 'prompt' || kind === 'resource';
}

/** What a definition holds; `undefined` where it is none. */
export function readDefinition(value: unknown): Installed | undefined {
  return isDefinition(value) ? readDefinitions([value])[0] : undefined;
}
