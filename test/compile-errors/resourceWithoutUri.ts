// A resource has a name, a uri, a configuration and a body. Write defineResource(name, uri, { mimeType }, body)
import { defineResource } from 'mcp-resolve';

export const trip = defineResource(
  'trip',
  { mimeType: 'text/plain' },
  // Mistake:
  () => 'a trip',
);
