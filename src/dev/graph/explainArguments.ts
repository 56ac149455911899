/** Describes the arguments of a definition, from the JSON Schema that clients receive. */
import { followReference, toJsonSchema } from '../../author/schema.js';
import { isObject } from '../../values.js';
import type { JsonSchema, Schema } from '../../author/schema.js';
import type { ResourceDefinition } from '../../definition/definitions.js';
import type { ExplainedArgument } from './explanation.js';

/** Returns the arguments that a schema describes. */
export function argumentsOf(schema: Schema | undefined): ExplainedArgument[] {
  if (schema === undefined) return [];
  const arms = armsOf(toJsonSchema(schema, 'input'));
  const names = new Set(arms.flatMap(({ properties }) => Object.keys(properties)));
  return [...names].map((name) => argument(name, arms));
}

/** Returns the variables of a resource's template, as its schema describes them. */
export function variablesOf({ location, variables }: ResourceDefinition): ExplainedArgument[] {
  if (typeof location === 'string') return [];
  const described = new Map(argumentsOf(variables).map((known) => [known.name, known]));
  return location.uriTemplate.variableNames.map((written) => {
    const name = written.replace('*', '');
    return described.get(name) ?? { name, required: true, type: 'string | string[]' };
  });
}

/** One shape of the arguments: the whole schema, or a member of a union. */
interface Arm {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly unknown[];
  readonly $defs: unknown;
}

function argument(name: string, arms: readonly Arm[]): ExplainedArgument {
  const schemas = arms.flatMap(({ properties, $defs }): JsonSchema[] => {
    const schema = properties[name];
    return isObject(schema) ? [{ $defs, ...schema }] : [];
  });
  const description = schemas.find((schema) => typeof schema.description === 'string')?.description;
  return {
    name,
    required: arms.every(({ required }) => required.includes(name)),
    type: either(schemas.map((schema) => typeWords(schema))),
    ...(typeof description === 'string' && { description }),
  };
}

/** Returns the shapes of an object schema: one, or one for each member of a union. */
function armsOf(json: JsonSchema): Arm[] {
  const target = followReference(json);
  const $defs = target.$defs ?? json.$defs;
  const members = (list: unknown): Arm[][] =>
    Array.isArray(list) ? list.filter(isObject).map((member) => armsOf({ $defs, ...member })) : [];
  const { properties, required } = target;
  const own: Arm = {
    properties: isObject(properties) ? properties : {},
    required: Array.isArray(required) ? required : [],
    $defs,
  };
  const parts = members(target.allOf).flat();
  const whole = parts.reduce(together, own);
  const choices = [...members(target.anyOf), ...members(target.oneOf)].flat();
  return choices.length === 0 ? [whole] : choices.map((choice) => together(whole, choice));
}

function together(one: Arm, other: Arm): Arm {
  return {
    properties: { ...one.properties, ...other.properties },
    required: [...one.required, ...other.required],
    $defs: one.$defs ?? other.$defs,
  };
}

/** The maximum number of enum values to show in a type. */
const SHOWN_CHOICES = 6;

/** The types of references that are already known, by `$ref`. */
type Known = Map<string, string>;

/** Formats a type as an author would write it. A recursive type is `any` inside itself. */
export function typeWords(schema: JsonSchema, known: Known = new Map()): string {
  const { $ref, $defs } = schema;
  if (typeof $ref !== 'string') return wordsFor(schema, known);
  const before = known.get($ref);
  if (before !== undefined) return before;
  known.set($ref, 'any');
  const words = wordsFor({ ...followReference(schema), $defs }, known);
  known.set($ref, words);
  return words;
}

function wordsFor(schema: JsonSchema, known: Known): string {
  const { $defs, type, items } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return choice(schema.enum);
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members)) {
    return either(members.filter(isObject).map((member) => typeWords({ $defs, ...member }, known)));
  }
  if (Array.isArray(type)) return either(type.map(String));
  if (type === 'array')
    return listOf(isObject(items) ? typeWords({ $defs, ...items }, known) : 'any');
  return typeof type === 'string' ? type : 'any';
}

function choice(values: readonly unknown[]): string {
  const shown = values.slice(0, SHOWN_CHOICES).map((value) => JSON.stringify(value));
  return either(values.length > SHOWN_CHOICES ? [...shown, '…'] : shown);
}

function listOf(words: string): string {
  return words.includes(' ') ? `(${words})[]` : `${words}[]`;
}

function either(words: readonly string[]): string {
  return [...new Set(words)].join(' | ') || 'any';
}
