// A resolver can ask only one question. Split it into one resolver per question.
import { confirm, elicitUrl, resolver } from 'mcp-resolve';

export const signedIn = resolver(
  {},
  // Mistake:
  () =>
    Date.now() > 0 ? elicitUrl('Sign in', 'https://travel.example/in') : confirm('Signed in?'),
  { asks: 'url' },
);
