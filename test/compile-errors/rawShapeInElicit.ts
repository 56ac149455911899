// This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

export const size = resolver(
  {},
  () =>
    elicit(
      'Which size?',
      // Mistake:
      { size: z.string() },
    ),
  { asks: 'form' },
);
