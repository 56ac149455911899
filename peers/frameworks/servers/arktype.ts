/** A paint shop with the schemas of arktype. */
import { type } from 'arktype';
import { argsOf, confirm, defineTool, elicit, resolver, type Tool } from 'mcp-resolve';

import type { PriceList } from './prices.js';

const Order = type({ colour: 'string', litres: 'number >= 1' });
const Quote = type({ cents: 'number' });
const Delivery = type({ when: "'morning' | 'evening'", floor: 'number.integer <= 9 = 0' });
const Receipt = type({ colour: 'string', cents: 'number', delivery: 'string' });
const args = argsOf(Order);

export function paintWithArktype(prices: PriceList): Tool {
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
