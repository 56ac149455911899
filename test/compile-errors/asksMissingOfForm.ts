// This function can ask. Add { asks: 'form' }.
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

// Mistake:
export const size = resolver({}, () => elicit('Which size?', z.object({ size: z.string() })));
