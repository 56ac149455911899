// Property 'id' does not exist on type '{}'.
import { defineResource } from 'mcp-resolve';

export const trip = defineResource(
  'trip',
  'trips://next',
  { mimeType: 'text/plain' },
  // Mistake:
  ({ id }) => String(id),
);
