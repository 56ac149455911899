// 'guard' needs the argument 'city', which `variables` does not have.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { argsOf, defineResource, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const mayTravel = resolver({ to: city }, ({ to }) => to !== '');

export const trip = defineResource(
  'trip',
  new ResourceTemplate('trips://{city}/{id}', { list: undefined }),
  {
    variables: z.object({ id: z.string() }),
    // Mistake:
    guards: [mayTravel],
  },
  ({ id }) => id,
);
