// 'price' is both an argument in `variables` and a resolved parameter. Rename one of them.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { defineResource, resolver } from 'mcp-resolve';
import * as z from 'zod';

const price = resolver({}, () => 500);

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{price}', { list: undefined }),
  {
    variables: z.object({ price: z.string() }),
    // Mistake:
    resolve: { price },
  },
  () => 'a trip',
);
