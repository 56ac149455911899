// A resource body returns a string
import { defineResource } from 'mcp-resolve';

export const trip = defineResource(
  'trip',
  'trips://next',
  { mimeType: 'text/plain' },
  // Mistake:
  () => ['a trip'],
);
