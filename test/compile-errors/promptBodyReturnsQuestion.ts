// A prompt body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { confirm, definePrompt } from 'mcp-resolve';
import * as z from 'zod';

export const plan = definePrompt(
  'plan',
  { argsSchema: z.object({ city: z.string() }) },
  // Mistake:
  ({ city }) => confirm(`Plan a trip to ${city}?`),
);
