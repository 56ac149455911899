// Property 'toUpperCase' does not exist on type 'string | string[]'.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { defineResource } from 'mcp-resolve';

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{id}', { list: undefined }),
  { mimeType: 'text/plain' },
  // Mistake:
  ({ id }) => id.toUpperCase(),
);
