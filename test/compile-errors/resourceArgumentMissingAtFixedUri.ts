// 'price' needs the argument 'city', which `variables` does not have.
import { argsOf, defineResource, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const price = resolver({ at: city }, ({ at }) => at.length);

export const trip = defineResource(
  'trip',
  'trips://next',
  {
    mimeType: 'text/plain',
    // Mistake:
    resolve: { price },
  },
  ({ price }) => `${price}`,
);
