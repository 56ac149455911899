// 'price' needs the argument 'city', which is optional in `variables`. Make it required, give it a default, or let the resolver accept undefined.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { argsOf, defineResource, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const price = resolver({ at: city }, ({ at }) => at.length);

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{city}/{id}', { list: undefined }),
  {
    variables: z.object({ city: z.string().optional() }),
    // Mistake:
    resolve: { price },
  },
  ({ price }) => `${price}`,
);
