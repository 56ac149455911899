// A prompt body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { definePrompt, elicit } from 'mcp-resolve';
import * as z from 'zod';

export const plan = definePrompt(
  'plan',
  { argsSchema: z.object({ city: z.string() }) },
  // Mistake:
  async ({ city }) => (city === '' ? elicit('Where to?', z.object({ city: z.string() })) : city),
);
