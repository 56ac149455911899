/**
 * Needs that a tool's validated arguments fill. A need carries the name of its argument, so it can
 * fill a parameter of another name and can be passed to a function that creates resolvers.
 */
import { InvalidGraphError } from '../errors.js';
import { isKind, KIND, NOT_A_VALUE } from './brand.js';
import type { ArgsOf } from './infer.js';
import type { NoSchema } from './sentences.js';
import type { Arg, OptionalArg } from './model.js';
import { isSchema, propertyNames } from './schema.js';
import type { Schema } from './schema.js';

/**
 * Creates a need for one of the tool's arguments by name: `arg<string>('order_id')`. If the
 * parameter has the argument's name, `arg<string>()` is enough.
 *
 * Prefer {@link argsOf}, which the compiler checks. With an explicit type argument the compiler does
 * not learn the name, so only a missing argument is found, when the tool is defined.
 *
 * @example
 *
 * ```ts
 * const order = resolver({ id: arg<string>('order_id') }, ({ id }) => findOrder(id));
 * ```
 */
export function arg<T>(): Arg<T>;
export function arg<T, const N extends string = string>(name: N): Arg<T, N>;
export function arg(name?: unknown): Arg<unknown, string | undefined> {
  if (name !== undefined && typeof name !== 'string') {
    throw new InvalidGraphError(
      'ERR_GRAPH_NEED',
      "arg(): `name` must be a string, such as arg('order_id').",
    );
  }
  return Object.freeze({ ...NOT_A_VALUE, [KIND]: 'arg' as const, name });
}

arg.optional = optional;

/**
 * Creates a need for an argument that a tool may lack: `arg.optional(args.note)`. In a tool without
 * the argument, the value is `undefined`, whatever the client sends. With `arg.optional<string>()`,
 * the argument has the name of the parameter.
 *
 * @example
 *
 * ```ts
 * const greeting = resolver({ note: arg.optional<string>() }, ({ note }) => note ?? 'none');
 * ```
 */
function optional<T, N extends string | undefined>(need: Arg<T, N>): OptionalArg<T, N>;
function optional<T>(): OptionalArg<T>;
function optional<T, const N extends string = string>(name: N): OptionalArg<T, N>;
function optional(given?: unknown): OptionalArg<unknown, string | undefined> {
  if (given !== undefined && typeof given !== 'string' && !isKind(given, 'arg')) {
    throw new InvalidGraphError(
      'ERR_GRAPH_NEED',
      'arg.optional() takes an argument or its name. Write arg.optional(args.note).',
    );
  }
  const need = isKind(given, 'arg')
    ? (given as Arg<unknown, string | undefined>)
    : arg(given as string);
  return Object.freeze({ ...need, isOptional: true as const });
}

/**
 * Creates one need per property of a tool's `inputSchema`, named and typed.
 *
 * @example
 *
 * ```ts
 * const RefundInput = z.object({ order_id: z.string() });
 * const args = argsOf(RefundInput);
 * const order = resolver({ id: args.order_id }, ({ id }) => findOrder(id));
 * ```
 *
 * @throws {TypeError} If the schema does not expose its properties.
 */
export function argsOf<S extends Schema>(schema: S | NoSchema): ArgsOf<S> {
  if (!isSchema(schema)) {
    throw new TypeError(
      'argsOf(): `schema` must be a schema that provides JSON Schema, such as z.object({ … }).',
    );
  }
  const names = propertyNames(schema);
  if (names === undefined) {
    throw new TypeError(
      "argsOf() cannot read the properties of this schema. It may end in a transform. Use arg('name') instead.",
    );
  }
  return Object.freeze(
    Object.fromEntries([...names].map((name) => [name, arg(name)])),
  ) as ArgsOf<S>;
}
