// A resource has a name, a uri, a configuration and a body. Write defineResource(name, uri, { mimeType }, body), or {} if there is nothing to configure.
import { defineResource } from 'mcp-resolve';

export const next = defineResource(
  'next',
  'trips://next',
  // Mistake:
  () => 'Oslo',
);
