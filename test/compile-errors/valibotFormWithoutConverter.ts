// Property 'jsonSchema' is missing in type
import { elicit } from 'mcp-resolve';
import * as v from 'valibot';

export const question = elicit(
  'Which?',
  // Mistake:
  v.object({ sku: v.string() }),
);
