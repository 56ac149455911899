// 'argsSchema' does not exist in type
import { defineResource } from 'mcp-resolve';
import * as z from 'zod';

export const trip = defineResource(
  'trip',
  'trips://next',
  {
    mimeType: 'text/plain',
    // Mistake:
    argsSchema: z.object({ id: z.string() }),
  },
  () => 'a trip',
);
