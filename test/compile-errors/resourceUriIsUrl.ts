// Argument of type 'URL' is not assignable to parameter of type 'Location'.
import { defineResource } from 'mcp-resolve';

export const trip = defineResource(
  'trip',
  // Mistake:
  new URL('trips://next'),
  { mimeType: 'text/plain' },
  () => 'a trip',
);
