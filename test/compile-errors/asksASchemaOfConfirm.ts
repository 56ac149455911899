// This function asks another question than `asks` declares. Write { asks: 'form' }.
import { confirm, resolver } from 'mcp-resolve';
import * as z from 'zod';

export const sure = resolver(
  {},
  // Mistake:
  () => confirm('Sure?'),
  { asks: z.object({ confirm: z.boolean() }) },
);
