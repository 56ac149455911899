// Type 'string' is not assignable to type 'boolean | (() => boolean | Promise<boolean>) | undefined'.
import { elicitUrl, resolver } from 'mcp-resolve';

export const opened = resolver(
  {},
  () =>
    elicitUrl('Sign in', 'https://travel.example/in', {
      // Mistake:
      otherwise: 'opened',
    }),
  { asks: 'url' },
);
