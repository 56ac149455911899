/**
 * The schema of a form on the wire: a flat object of primitives. The SDK converts it. Before that,
 * this file removes keywords that a form does not support but the validation of the answer still
 * checks. Each schema object is converted once.
 */
import { inputRequired } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { deepFreeze, isObject, lenientJsonSchema } from '../define/schema.js';
import type { JsonSchema, Schema } from '../define/schema.js';
import type { FormData } from '../define/question.js';
import { asciiJson } from '../platform.js';
import { formOf } from './formFields.js';
import { visibleText } from './visibleText.js';

/** The schema of a form, ready for the wire. */
export interface FormSchema {
  readonly json: ElicitRequestFormParams['requestedSchema'];
  /** The schema as ASCII JSON. */
  readonly text: string;
}

const converted = new WeakMap<Schema, FormSchema>();

/**
 * Returns the form of a schema.
 *
 * @throws {TypeError} If no form can show the schema. The message names the field.
 */
export function formSchema(schema: Schema): FormSchema {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const json = deepFreeze(convert(schema));
  const form = { json, text: asciiJson(json) };
  converted.set(schema, form);
  return form;
}

/**
 * Returns the form of a question, with its initial values as defaults.
 *
 * @throws {TypeError} If no form can show the schema.
 * @throws {RangeError} If an initial value does not fit a field.
 */
export function prefilledForm({ schema, initial = {} }: FormData): FormSchema {
  const form = formSchema(schema);
  const given = Object.entries(initial).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  if (given.length === 0) return form;
  const properties = { ...form.json.properties };
  for (const [name, value] of given) {
    properties[name] = { ...fieldFor(form, name, value), default: value } as Field;
  }
  const json = { ...form.json, properties };
  return { json, text: asciiJson(json) };
}

type Field = FormSchema['json']['properties'][string];

function fieldFor({ json: { properties } }: FormSchema, name: string, value: unknown): Field {
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (field === undefined) {
    const fields = Object.keys(properties).join(', ');
    throw new RangeError(`the form has no field '${name}'. Its fields: ${fields}.`);
  }
  if (!fits(field, value)) {
    throw new RangeError(`the field '${name}' cannot have this value.`);
  }
  return field;
}

/** Returns true if a value has the type of a field and is one of its choices. */
function fits(field: JsonSchema, value: unknown): boolean {
  const { type, items } = field;
  if (type === 'array') {
    return Array.isArray(value) && isObject(items) && value.every((item) => isChoice(items, item));
  }
  if (type === 'number' || type === 'integer') return Number.isFinite(value);
  if (type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' && isChoice(field, value);
}

function isChoice({ enum: names, oneOf, anyOf }: JsonSchema, value: unknown): boolean {
  if (Array.isArray(names)) return names.includes(value);
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return typeof value === 'string';
  return titled.some((choice) => isObject(choice) && choice.const === value);
}

function convert(schema: Schema): FormSchema['json'] {
  // Parts that JSON Schema cannot express become "any", so that an error can name the field.
  const flat = formOf(lenientJsonSchema(schema));
  const standard = schema['~standard'];
  const requestedSchema: Schema = {
    '~standard': {
      ...standard,
      vendor: standard.vendor,
      jsonSchema: { input: () => flat, output: () => flat },
    },
  };
  const { params } = inputRequired.elicit({ message: '', requestedSchema });
  const { requestedSchema: form } = params as ElicitRequestFormParams;
  return withVisibleTexts(form) as FormSchema['json'];
}

/** Returns the schema with visible titles and descriptions, which an author may compute. */
function withVisibleTexts(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withVisibleTexts);
  if (!isObject(json)) return json;
  const entries = Object.entries(json).map(([name, value]): [string, unknown] =>
    TEXTS.includes(name) && typeof value === 'string'
      ? [name, visibleText(value)]
      : [name, withVisibleTexts(value)],
  );
  return Object.fromEntries(entries);
}

const TEXTS = ['title', 'description'];
