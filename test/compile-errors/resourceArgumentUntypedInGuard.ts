// 'guard' needs the argument 'city' as another type than string | string[]: describe the template's variables with 'variables'.
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
    guards: [price],
  },
  ({ id }) => String(id),
);
