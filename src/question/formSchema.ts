/**
 * The schema of a form on the wire: a flat object of primitives. The SDK converts it. Before that,
 * this file removes keywords that a form does not support but the validation of the answer still
 * checks. Each schema object is converted once.
 */
import { inputRequired } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { deepFreeze } from '../define/schema.js';
import type { JsonSchema, Schema } from '../define/schema.js';
import { asciiJson } from '../platform.js';
import { formOf } from './formFields.js';

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
  const flat = formOf(toFormJson(schema));
  const standard = schema['~standard'];
  const requestedSchema: Schema = {
    '~standard': {
      ...standard,
      vendor: standard.vendor,
      jsonSchema: { input: () => flat, output: () => flat },
    },
  };
  const { params } = inputRequired.elicit({ message: '', requestedSchema });
  return (params as ElicitRequestFormParams).requestedSchema;
}

/**
 * Converts a schema to JSON Schema. zod and valibot turn a part that JSON Schema cannot express
 * into "any", so that an error can name the field. Other libraries ignore the options.
 */
function toFormJson(schema: Schema): JsonSchema {
  return schema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
    libraryOptions: { unrepresentable: 'any', errorMode: 'ignore' },
  });
}
