// Expected 2-3 arguments, but got 1.
import { elicitUrl, resolver } from 'mcp-resolve';

export const signedIn = resolver(
  {},
  // Mistake:
  () => elicitUrl('Sign in'),
  { asks: 'url' },
);
