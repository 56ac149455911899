// is not assignable to type 'Filler'.
import { definePrompt } from 'mcp-resolve';

const hello = definePrompt('hello', {}, () => 'hello');

export const plan = definePrompt(
  'plan',
  {
    // Mistake:
    resolve: { hello },
  },
  () => 'planned',
);
