// 'id' is of type 'unknown'.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { defineResource, resolver } from 'mcp-resolve';

const price = resolver({}, () => 500);

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{id}', { list: undefined }),
  { resolve: { price } },
  // Mistake:
  ({ id, price }) => id.length + `${price}`,
);
