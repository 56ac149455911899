// A resolver can ask only one question. Split it into one resolver per question.
import { elicit, elicitUrl, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Ok = z.object({ ok: z.boolean() });

export const signedIn = resolver(
  {},
  // Mistake:
  async () =>
    Date.now() > 0 ? elicitUrl('Sign in', 'https://travel.example/in') : elicit('Signed in?', Ok),
  { asks: 'url' },
);
