// 'city' does not exist in type 'StandardSchemaWithJSON<unknown, unknown>'.
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
