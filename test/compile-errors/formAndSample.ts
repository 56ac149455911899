// A resolver can ask only one question. Split it into one resolver per question.
import { argsOf, elicit, resolver, sample } from 'mcp-resolve';
import * as z from 'zod';

const { full } = argsOf(z.object({ full: z.boolean() }));

// Mistake:
export const scope = resolver({ full }, (values) =>
  values.full
    ? sample({ messages: [], maxTokens: 100 })
    : elicit('Which?', z.object({ sku: z.string() })),
);
