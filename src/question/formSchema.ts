/**
 * The schema of a form on the wire: a flat object of primitives. The SDK converts it. Before that,
 * this file removes keywords that a form does not support but the validation of the answer still
 * checks. Each schema object is converted once.
 */
import { inputRequired } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { lenientAdvertisedJson } from '../author/schema.js';
import { deepFreeze, isObject } from '../values.js';
import type { JsonSchema, Schema } from '../author/schema.js';
import type { FormData } from '../author/question.js';
import { messageOf } from '../errors.js';
import { asciiJson, utf8 } from '../platform.js';
import { formOf } from './formFields.js';
import { visibleText } from '../visibleText.js';

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

/** An initial value that its form cannot show. */
export class InitialValueError extends Error {
  override readonly name = 'InitialValueError';
}

/**
 * Returns the form of a question, with its initial values as defaults.
 *
 * @throws {TypeError} If no form can show the schema.
 * @throws {@link InitialValueError} If a form cannot show an initial value.
 */
export function prefillForm({ schema, initial = {} }: FormData): FormSchema {
  const form = formSchema(schema);
  const given = Object.entries(initial).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  if (given.length === 0) return form;
  const properties = { ...form.json.properties };
  for (const [name, value] of given) {
    properties[name] = findField(form, name, value);
  }
  const json = { ...form.json, properties };
  return { json, text: asciiJson(json) };
}

/**
 * Adds the initial value of each field that the client omitted although it has a default. The form
 * showed the initial value in the place of that default.
 */
export function withInitial({ schema, initial }: FormData, data: unknown): unknown {
  if (initial === undefined || !isObject(data)) return data;
  const { properties } = formSchema(schema).json;
  const shown = Object.entries(initial).filter(
    ([name, value]) =>
      value !== undefined &&
      value !== null &&
      !Object.hasOwn(data, name) &&
      hasDefault(properties[name]),
  );
  return shown.length === 0 ? data : { ...Object.fromEntries(shown), ...data };
}

/** Typed values travel in the state between rounds. */
const MOST_TYPED_BYTES = 8192;

/**
 * Returns the fields of an answer that the form can show again, valid or not. A value of another
 * type, an unknown choice, or a value beyond the limit is left out, so its field is shown without
 * an initial value.
 */
export function keepShowable(
  schema: Schema,
  answer: Readonly<Record<string, unknown>>,
): FieldValues {
  let left = MOST_TYPED_BYTES;
  const shown = Object.entries(formSchema(schema).json.properties).flatMap(([name, field]) => {
    const value = Object.hasOwn(answer, name) ? answer[name] : undefined;
    if (!initialRule(field).fits(value)) return [];
    const size = utf8(JSON.stringify(value)).length;
    if (size > left) return [];
    left -= size;
    return [[name, value] as const];
  });
  return Object.fromEntries(shown);
}

/** The values of a form's fields, by name. */
type FieldValues = Readonly<Record<string, unknown>>;

function hasDefault(field: Field | undefined): boolean {
  return field !== undefined && 'default' in field;
}

type Field = FormSchema['json']['properties'][string];

function findField({ json: { properties } }: FormSchema, name: string, value: unknown): Field {
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (field === undefined) {
    const fields = Object.keys(properties).join(', ');
    throw new InitialValueError(`the form has no field '${name}'. Its fields: ${fields}.`);
  }
  const { fits, words } = initialRule(field);
  if (!fits(value)) throw new InitialValueError(`the field '${name}' must be ${words}.`);
  // The user accepts what the form shows. Choices have to stay as they are.
  const isFreeText = typeof value === 'string' && choicesOf(field) === undefined;
  return { ...field, default: isFreeText ? visibleText(value) : value } as Field;
}

/** The values that a field can show, and a description of them. */
interface Shown {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
}

function initialRule(field: JsonSchema): Shown {
  const { type, items } = field;
  if (type === 'array') {
    const choices = (isObject(items) ? choicesOf(items) : undefined) ?? [];
    const fits = (value: unknown): boolean =>
      Array.isArray(value) && Array.from(value).every((item) => choices.includes(item));
    return { fits, words: `an array of: ${choices.join(', ')}` };
  }
  const choices = choicesOf(field);
  if (choices !== undefined) {
    return { fits: (value) => choices.includes(value), words: `one of: ${choices.join(', ')}` };
  }
  if (type === 'integer') return { fits: Number.isInteger, words: 'an integer' };
  if (type === 'number') return { fits: Number.isFinite, words: 'a finite number' };
  if (type === 'boolean')
    return { fits: (value) => typeof value === 'boolean', words: 'a boolean' };
  return { fits: (value) => typeof value === 'string', words: 'a string' };
}

/** Returns the choices of a field, or `undefined` if it has none. */
function choicesOf({ enum: names, oneOf, anyOf }: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(names)) return names as readonly unknown[];
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return undefined;
  return titled.map((choice) => (isObject(choice) ? choice.const : undefined));
}

function convert(schema: Schema): FormSchema['json'] {
  // Parts that JSON Schema cannot express become "any", so that an error can name the field.
  const flat = formOf(lenientAdvertisedJson(schema));
  const standard = schema['~standard'];
  const requestedSchema: Schema = {
    '~standard': {
      ...standard,
      vendor: standard.vendor,
      jsonSchema: { input: () => flat, output: () => flat },
    },
  };
  return withVisibleTexts(shownBySdk(requestedSchema)) as FormSchema['json'];
}

function shownBySdk(requestedSchema: Schema): ElicitRequestFormParams['requestedSchema'] {
  try {
    const { params } = inputRequired.elicit({ message: '', requestedSchema });
    return (params as ElicitRequestFormParams).requestedSchema;
  } catch (error) {
    const message = messageOf(error).replace(/\.?$/, '.');
    throw new TypeError(
      `${message} Write z.object() with fields such as z.string(), z.number(), z.boolean(), z.enum([…]) and z.array(z.enum([…])).`,
    );
  }
}

/** Returns the schema with visible titles and descriptions, which an author may compute. */
function withVisibleTexts(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withVisibleTexts);
  if (typeof json !== 'object' || json === null) return json;
  const shown: Record<string, unknown> = { ...json };
  for (const [name, value] of Object.entries(json)) {
    if (typeof value === 'object') shown[name] = withVisibleTexts(value);
    else if (TEXTS.includes(name) && typeof value === 'string') shown[name] = visibleText(value);
  }
  return shown;
}

const TEXTS = ['title', 'description'];
