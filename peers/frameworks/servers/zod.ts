/** A paint shop with the schemas of zod. */
import { argsOf, confirm, defineTool, elicit, resolver, type Tool } from 'mcp-resolve';
import * as z from 'zod';

import type { PriceList } from './prices.js';

const Order = z.object({ colour: z.string(), litres: z.number().min(1) });
const Quote = z.object({ cents: z.number() });
const Delivery = z.object({
  when: z.enum(['morning', 'evening']),
  floor: z.int().max(9).default(0),
});
const Receipt = z.object({ colour: z.string(), cents: z.number(), delivery: z.string() });
const args = argsOf(Order);

export function paintWithZod(prices: PriceList): Tool {
  const quote = resolver(
    { litres: args.litres },
    ({ litres }) => ({ cents: prices.centsFor(litres) }),
    { pin: Quote },
  );
  const delivery = resolver({}, () => elicit('When, and to which floor?', Delivery), {
    asks: 'form',
  });
  const approval = resolver(
    { colour: args.colour, quote },
    ({ colour, quote }) => confirm(`Mix ${colour} for ${quote.cents} cents?`),
    { asks: 'form' },
  );
  return defineTool(
    'order_paint',
    {
      description: 'Order paint. The price is the shop’s, the rest is up to the customer.',
      inputSchema: Order,
      outputSchema: Receipt,
      resolve: { quote, delivery, approval },
    },
    ({ colour, quote, delivery }) => ({
      colour,
      cents: quote.cents,
      delivery: `${delivery.when}, floor ${delivery.floor}`,
    }),
  );
}
