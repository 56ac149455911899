/** Formats questions and answers for the messages of failing tests. */
import { isObject } from '../../values.js';
import type { JsonSchema } from '../../author/schema.js';
import type { AskedQuestion } from './askedQuestion.js';

/** Formats the schema of a form as a type: `{ size: 'S' | 'M', note?: string }`. */
export function formatSchema(schema: JsonSchema): string {
  const members = propertiesOf(schema).map(([name, property, required]) => {
    return `${formatKey(name)}${required ? '' : '?'}: ${typeOf(property)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Returns example code for an answer to a question. */
export function exampleAnswer({ kind, schema }: AskedQuestion): string {
  if (kind === 'url') return 'accept()';
  if (kind === 'sample') return "says('…')";
  if (kind === 'roots') return "roots(['file:///work'])";
  const members = propertiesOf(schema ?? {})
    .filter(([, , required]) => required)
    .map(([name, property]) => `${formatKey(name)}: ${exampleOf(property)}`);
  return members.length === 0 ? 'accept({})' : `accept({ ${members.join(', ')} })`;
}

/** Formats a wire key as a property name. */
export function formatKey(key: string): string {
  return /^[\w$]+$/.test(key) ? key : JSON.stringify(key);
}

/** Puts a string on one line and cuts it off after `length` characters. */
export function shorten(text: string, length = 200): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

type Property = readonly [name: string, property: JsonSchema, required: boolean];

function propertiesOf({ properties, required }: JsonSchema): readonly Property[] {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    return [name, isObject(property) ? property : {}, names.includes(name)] as const;
  });
}

function typeOf(property: JsonSchema): string {
  const choices = choicesOf(property);
  if (choices.length > 0) return choices.map(quoteValue).join(' | ');
  if (property.type === 'array') {
    return isObject(property.items) ? `(${typeOf(property.items)})[]` : 'string[]';
  }
  return typeof property.type === 'string' ? property.type : 'unknown';
}

function exampleOf(property: JsonSchema): string {
  const [choice] = choicesOf(property);
  if (choice !== undefined) return quoteValue(choice);
  if (property.default !== undefined) return quoteValue(property.default);
  if (property.type === 'boolean') return 'true';
  if (property.type === 'array')
    return isObject(property.items) ? `[${exampleOf(property.items)}]` : '[]';
  if (property.type === 'number' || property.type === 'integer')
    return typeof property.minimum === 'number' ? String(property.minimum) : '1';
  return "'…'";
}

/** Returns the allowed values of a property, if the schema lists them. */
function choicesOf({ enum: listed, const: only, oneOf, anyOf }: JsonSchema): readonly unknown[] {
  if (Array.isArray(listed)) return listed;
  if (only !== undefined) return [only];
  const titled: unknown[] = [oneOf, anyOf].find(Array.isArray) ?? [];
  const values = titled.map((one) => (isObject(one) ? one.const : undefined));
  return values.includes(undefined) ? [] : values;
}

function quoteValue(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
