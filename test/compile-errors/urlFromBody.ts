// A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { defineTool, elicitUrl } from 'mcp-resolve';

export const signIn = defineTool(
  'sign_in',
  { description: 'Sign in.' },
  // Mistake:
  () => elicitUrl('Sign in', 'https://travel.example/in'),
);
