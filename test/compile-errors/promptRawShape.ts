// This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().
import { definePrompt } from 'mcp-resolve';
import * as z from 'zod';

export const plan = definePrompt(
  'plan',
  {
    // Mistake:
    argsSchema: { city: z.string() },
  },
  () => 'planned',
);
