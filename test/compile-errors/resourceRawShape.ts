// 'id' does not exist in type 'StandardSchemaWithJSON<unknown, unknown>'.
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
