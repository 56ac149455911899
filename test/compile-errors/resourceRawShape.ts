// This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { defineResource } from 'mcp-resolve';
import * as z from 'zod';

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{id}', { list: undefined }),
  {
    // Mistake:
    variables: { id: z.string() },
  },
  () => 'a trip',
);
