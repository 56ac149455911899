/** Changes one argument of a call to another valid value, for the cheat that swaps arguments. */
import { isObject } from '../../values.js';

type Args = Readonly<Record<string, unknown>>;

/** The changed arguments, and the change in words. */
export interface Changed {
  readonly args: Args;
  readonly words: string;
}

/**
 * Changes one argument.
 *
 * @throws {TypeError} If there is no argument to change.
 */
export function changeOne(args: Args, schema: Args): Changed {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const [name, value] of Object.entries(args)) {
    const other = otherValue(value, properties[name]);
    if (other === undefined) continue;
    const words = `${name} ${JSON.stringify(other)} in place of ${JSON.stringify(value)}`;
    return { args: { ...args, [name]: other }, words };
  }
  throw new TypeError('The call has no argument that could be changed.');
}

function otherValue(value: unknown, schema: unknown): unknown {
  const choices: unknown = isObject(schema) ? schema.enum : undefined;
  if (Array.isArray(choices)) return (choices as unknown[]).find((choice) => choice !== value);
  if (typeof value === 'string') return `${value}-2`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : undefined;
}
