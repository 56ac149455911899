// 'price' needs the argument 'city' with a type other than string | string[]. Describe the template's variables in `variables`. If the template does not have {city}, add it.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { argsOf, defineResource, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const price = resolver({ at: city }, ({ at }) => at.length);

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{city}/{id}', { list: undefined }),
  {
    mimeType: 'text/plain',
    // Mistake:
    resolve: { price },
  },
  ({ price }) => `${price}`,
);
