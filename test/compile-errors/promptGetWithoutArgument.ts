// Property 'city' is missing in type '{}' but required in type '{ city: string; days?: string | undefined; }'.
import { definePrompt } from 'mcp-resolve';
import * as z from 'zod';

const plan = definePrompt(
  'plan',
  { argsSchema: z.object({ city: z.string(), days: z.string().default('3') }) },
  ({ city, days }) => city + days,
);

// Mistake:
export const result = plan.get({});
