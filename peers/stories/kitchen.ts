/**
 * A kitchen. It asks for the dish and the drink independently, and its last question depends on
 * both answers. The bill is a link. A client that cannot answer gets a table inside.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, elicitUrl, install, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../../examples/support/serve.js';

const Party = z.object({ guests: z.int() });
const args = argsOf(Party);

const Dish = z.object({
  dish: z.enum(['soup', 'pie']),
  portions: z.int().min(1).max(9).default(1),
});
const dish = resolver(
  { guests: args.guests },
  ({ guests }) => elicit(`What do the ${guests} of you eat?`, Dish),
  { asks: 'form' },
);

const Drink = z.object({ drink: z.string().min(2), ice: z.boolean() });
const drink = resolver(
  { guests: args.guests },
  ({ guests }) => elicit(`And what do the ${guests} of you drink?`, Drink),
  { asks: 'form' },
);

const approval = resolver(
  { dish, drink },
  ({ dish, drink }) => confirm(`Serve ${dish.portions} ${dish.dish} with ${drink.drink}?`),
  { asks: 'form' },
);

const orderDinner = defineTool(
  'order_dinner',
  {
    description: 'Order dinner. The guests say what they want.',
    inputSchema: Party,
    resolve: { dish, drink, approved: approval },
  },
  ({ guests, dish, drink }) => {
    const glass = drink.ice ? 'with ice' : 'without ice';
    return `${dish.portions} ${dish.dish} and ${drink.drink} ${glass} for ${guests}.`;
  },
);

const payment = resolver(
  { guests: args.guests },
  ({ guests }) =>
    elicitUrl('Please pay on our page.', `https://kitchen.example/bill?guests=${guests}`),
  { asks: 'url' },
);

const payBill = defineTool(
  'pay_bill',
  { description: 'Let the guests pay.', inputSchema: Party, resolve: { payment } },
  ({ guests }) => `Paid for ${guests}.`,
);

const Place = z.object({ place: z.enum(['inside', 'garden']) });
const place = resolver(
  {},
  () => elicit('Where would you like to sit?', Place, { otherwise: { place: 'inside' } }),
  { asks: 'form' },
);

const findTable = defineTool(
  'find_table',
  { description: 'Find a table.', inputSchema: Party, resolve: { place } },
  ({ guests, place }) => `A table for ${guests}, ${place.place}.`,
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'kitchen', version: '1.0.0' });
  install(server, [orderDinner, payBill, findTable]);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
