// 'once' does not exist in type
import { definePrompt } from 'mcp-resolve';

export const plan = definePrompt(
  'plan',
  {
    description: 'Plan a trip.',
    // Mistake:
    once: 'please',
  },
  () => 'planned',
);
