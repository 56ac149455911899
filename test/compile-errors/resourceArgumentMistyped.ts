// 'price' needs the argument 'city', which has a different type in `variables`. Make the types match.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { argsOf, defineResource, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const price = resolver({ at: city }, ({ at }) => at.length);

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{city}/{id}', { list: undefined }),
  {
    variables: z.object({ city: z.coerce.number() }),
    // Mistake:
    resolve: { price },
  },
  ({ price }) => `${price}`,
);
