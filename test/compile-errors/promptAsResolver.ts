// A parameter takes a resolver or outcome(resolver). Wrap a function or a question in resolver({}, () => …).
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
