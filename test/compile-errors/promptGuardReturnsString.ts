// A guard must return a boolean: return true to let the call go on, or throw a ToolError. A guard that asks uses confirm().
import { definePrompt, resolver } from 'mcp-resolve';

const role = resolver({}, () => 'guest');

export const plan = definePrompt(
  'plan',
  {
    // Mistake:
    guards: [role],
  },
  () => 'planned',
);
