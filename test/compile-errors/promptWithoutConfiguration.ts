// A prompt has a name, a configuration and a body. Write definePrompt(name, { argsSchema }, body), or {} if there is nothing to configure.
import { definePrompt } from 'mcp-resolve';

export const plan = definePrompt(
  'plan',
  // Mistake:
  () => 'Plan a trip.',
);
