// A resolver can ask only one question. Split it into one resolver per question.
import { argsOf, confirm, elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { full } = argsOf(z.object({ full: z.boolean() }));

// Mistake:
export const scope = resolver({ full }, (values) =>
  values.full ? confirm('All of it?') : elicit('Which?', z.object({ sku: z.string() })),
);
