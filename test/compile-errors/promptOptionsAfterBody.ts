// A prompt has a name, a configuration and a body. Write definePrompt(name, { argsSchema }, body)
import { definePrompt } from 'mcp-resolve';

export const plan = definePrompt(
  'plan',
  {},
  () => 'Plan a trip.',
  // Mistake:
  { description: 'Plans a trip.' },
);
