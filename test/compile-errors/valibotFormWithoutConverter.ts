// This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().
import { elicit } from 'mcp-resolve';
import * as v from 'valibot';

export const question = elicit(
  'Which?',
  // Mistake:
  v.object({ sku: v.string() }),
);
