/**
 * The schema of a form on the wire: a flat object of primitives. The SDK converts it. Before that,
 * this file removes keywords that a form does not support but the validation of the answer still
 * checks. Each schema object is converted once.
 */
import { inputRequired } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { deepFreeze, isObject, lenientJsonSchema } from '../define/schema.js';
import type { Schema } from '../define/schema.js';
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
