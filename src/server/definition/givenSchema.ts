/** Checks that what an author gave as a schema is one, with the remedy for what was given instead. */
import { isObject, isSchema } from '../../define/schema.js';
import type { JsonSchema, Schema } from '../../define/schema.js';
import { InvalidGraphError, messageOf } from '../../errors.js';

/** Where a schema was given. */
export interface SchemaPlace {
  readonly what: 'Tool' | 'Prompt' | 'Resource';
  /** The name of the definition. */
  readonly name: string;
  readonly field: 'inputSchema' | 'outputSchema' | 'argsSchema' | 'variables';
}

/**
 * Checks the schema of arguments, which has to describe an object.
 *
 * @throws {@link InvalidGraphError} If it does not.
 */
export function assertObjectSchema(place: SchemaPlace, given: unknown): asserts given is Schema {
  const { type } = jsonOf(place, given);
  if (type === undefined || type === 'object') return;
  throw invalid(
    place,
    `${place.field} must describe an object, not ${JSON.stringify(type)}: wrap it in z.object({ … }).`,
  );
}

/**
 * Checks any schema.
 *
 * @throws {@link InvalidGraphError} If it is none.
 */
export function assertAnySchema(place: SchemaPlace, given: unknown): asserts given is Schema {
  jsonOf(place, given);
}

function jsonOf(place: SchemaPlace, given: unknown): JsonSchema {
  const { field } = place;
  if (!isSchema(given)) throw invalid(place, `${field} is not a schema: ${remedy(given)}`);
  const { jsonSchema } = given['~standard'];
  try {
    return jsonSchema[field === 'outputSchema' ? 'output' : 'input']({ target: 'draft-2020-12' });
  } catch (error) {
    throw invalid(place, `${field} cannot be shown as JSON Schema: ${messageOf(error)}`);
  }
}

function remedy(given: unknown): string {
  if (!isObject(given)) return 'use z.object({ … }) or another Standard Schema.';
  if ('~standard' in given) {
    return 'this library version has no JSON Schema; use zod 4.2 or later, or a converter (valibot: toStandardJsonSchema).';
  }
  if (Object.values(given).some((value) => isObject(value) && '~standard' in value)) {
    return 'wrap the raw shape in z.object({ … }).';
  }
  if ('type' in given || 'properties' in given || '$schema' in given) {
    return "wrap the JSON Schema with fromJsonSchema() of '@modelcontextprotocol/server'.";
  }
  return 'use z.object({ … }) or another Standard Schema.';
}

function invalid({ what, name }: SchemaPlace, problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `${what} '${name}': ${problem}`, [name]);
}
