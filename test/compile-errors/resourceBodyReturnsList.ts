// A resource body must return a string, bytes or a ReadResourceResult.
import { defineResource } from 'mcp-resolve';

export const trip = defineResource(
  'trip',
  'trips://next',
  { mimeType: 'text/plain' },
  // Mistake:
  () => ['a trip'],
);
