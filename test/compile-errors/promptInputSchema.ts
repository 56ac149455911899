// 'inputSchema' does not exist in type
import { definePrompt } from 'mcp-resolve';
import * as z from 'zod';

export const plan = definePrompt(
  'plan',
  {
    description: 'Plan a trip.',
    // Mistake:
    inputSchema: z.object({ city: z.string() }),
  },
  () => 'planned',
);
