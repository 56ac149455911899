/** The tools: book a trip, hold a price, rate a trip. */
import { defineTool, elicit, memoryStore, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

import {
  approval,
  destination,
  entryRules,
  folder,
  price,
  sight,
  travel,
  Trip,
} from './resolvers.js';

export const bookTrip = defineTool(
  'book_trip',
  {
    description: 'Book a trip. The traveller decides the class and approves the price.',
    inputSchema: Trip,
    resolve: { travel, rules: outcome(entryRules), sight, folder, price, approved: approval },
    once: memoryStore(),
  },
  ({ city, travel, rules, sight, folder, price }) =>
    [
      `Booked ${city} in ${travel.class} class for ${price} euros`,
      `see ${sight}`,
      rules.action === 'accept' ? 'rules of entry opened' : 'rules of entry not opened',
      `papers go to ${folder}`,
    ].join('; '),
);

export const holdTrip = defineTool(
  'hold_trip',
  {
    description: 'Keep the price of a trip for a day. Needs no approval.',
    inputSchema: Trip,
    resolve: { travel, price },
  },
  ({ city, travel, price }) => `Held ${city} in ${travel.class} class for ${price} euros.`,
);

const Rating = z.object({ stars: z.int().min(1).max(5) });
const rating = resolver({ to: destination }, ({ to }) => elicit(`How was ${to.city}?`, Rating), {
  asks: Rating,
});

// Useless without an answer, so the server hides it from a client that cannot ask.
export const rateTrip = defineTool(
  'rate_trip',
  {
    description: 'Let the traveller rate a trip.',
    inputSchema: Trip,
    resolve: { rating },
    hideWhenCannotAsk: true,
  },
  ({ city, rating }) => `${city}: ${rating.stars} of 5 stars.`,
);
