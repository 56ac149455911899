// A resource has a name, a uri, a configuration and a body.
import { defineResource } from 'mcp-resolve';

export const next = defineResource(
  'next',
  // Mistake:
  'trips://next',
);
