/**
 * Finds definitions among the exports of a module: directly, in arrays, in objects, and by name.
 */
import { isPlainObject } from '../../values.js';
import { isDefinition } from '../../definition/definitions.js';
import type { AnyDefinition } from '../../definition/definitions.js';

import { didYouMean, CommandFailure } from './failure.js';

/** The arguments that all commands that load a module take. */
export interface ModuleCommand {
  /** The path of the module, as typed. */
  readonly file: string;
  /** The name of the definition to use. If `undefined`, the command uses all definitions. */
  readonly name: string | undefined;
  /** The name of an exported function to call. */
  readonly factory: string | undefined;
  readonly timeoutMs: number;
}

/** Returns the definitions among the values and one level deeper, without duplicates. */
export function definitionsIn(values: readonly unknown[]): AnyDefinition[] {
  const found = values.flatMap((value) => [value, ...membersOf(value)]).filter(isDefinition);
  return [...new Set(found)];
}

/**
 * Returns the definitions for a command: all of them, or those with the given name.
 *
 * @throws {@link CommandFailure} If there are none.
 */
export function chosen(
  { file, name }: ModuleCommand,
  definitions: readonly AnyDefinition[],
): readonly AnyDefinition[] {
  if (definitions.length === 0) {
    throw new CommandFailure(
      `${file} has no definitions. Neither it nor its imports call defineTool(), definePrompt() or defineResource(). ` +
        'If a function creates the definitions, export it and pass its name: --factory <name>',
    );
  }
  if (name === undefined) return definitions;
  const named = definitions.filter((definition) => definition.name === name);
  if (named.length > 0) return named;
  const names = [...new Set(definitions.map((definition) => definition.name))];
  const hint = didYouMean(name, { title: 'Known definitions', names });
  throw new CommandFailure(`${file} has no definition '${name}'. ${hint}`);
}

function membersOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) && !isDefinition(value) ? valuesOf(value) : [];
}

/** Returns the property values of an object. Skips properties whose getters throw. */
export function valuesOf(object: object): unknown[] {
  return Object.keys(object).flatMap((name): unknown[] => {
    try {
      return [Reflect.get(object, name)];
    } catch {
      return [];
    }
  });
}
