// A prompt body must return a string or a GetPromptResult.
import { definePrompt } from 'mcp-resolve';

export const plan = definePrompt(
  'plan',
  { description: 'Plan a trip.' },
  // Mistake:
  () => ({ messages: [{ role: 'system', content: { type: 'text', text: 'planned' } }] }),
);
