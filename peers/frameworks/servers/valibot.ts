/** A paint shop with the schemas of valibot, through its converter to JSON Schema. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { argsOf, confirm, defineTool, elicit, resolver, type Tool } from 'mcp-resolve';
import * as v from 'valibot';

import type { PriceList } from './prices.js';

const Order = toStandardJsonSchema(
  v.object({ colour: v.string(), litres: v.pipe(v.number(), v.minValue(1)) }),
);
const Quote = toStandardJsonSchema(v.object({ cents: v.number() }));
const Delivery = toStandardJsonSchema(
  v.object({
    when: v.picklist(['morning', 'evening']),
    floor: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(9)), 0),
  }),
);
const Receipt = toStandardJsonSchema(
  v.object({ colour: v.string(), cents: v.number(), delivery: v.string() }),
);
const args = argsOf(Order);

export function paintWithValibot(prices: PriceList): Tool {
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
