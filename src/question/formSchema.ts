/**
 * The schema of a form on the wire: a flat object of primitives. The SDK knows what a form may hold
 * and does the conversion; before it, what a form cannot say but the answer's validation still
 * checks is taken out. Converted once per schema object.
 */
import { inputRequired } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { deepFreeze } from '../define/schema.js';
import type { JsonSchema, Schema } from '../define/schema.js';
import { asciiJson } from '../platform.js';
import { formOf } from './formFields.js';

/** A form's schema, ready for the wire. */
export interface FormSchema {
  readonly json: ElicitRequestFormParams['requestedSchema'];
  /** Its ASCII JSON. */
  readonly text: string;
}

const converted = new WeakMap<Schema, FormSchema>();

/**
 * The form of a schema.
 *
 * @throws {TypeError} If no form can show it; the message names the field.
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
 * What has no JSON Schema becomes "anything" in zod and valibot, so that the field can be named;
 * other libraries ignore the options.
 */
function toFormJson(schema: Schema): JsonSchema {
  return schema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
    libraryOptions: { unrepresentable: 'any', errorMode: 'ignore' },
  });
}
