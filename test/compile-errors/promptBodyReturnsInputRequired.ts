// A prompt body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { inputRequired } from '@modelcontextprotocol/server';
import { definePrompt } from 'mcp-resolve';

export const plan = definePrompt(
  'plan',
  { description: 'Plan a trip.' },
  // Mistake:
  () => inputRequired({ requestState: 'waiting' }),
);
