/**
 * A travel desk: tools, a prompt and a resource that share resolvers. A booking asks four questions
 * at once (a form, a link, the client's model, the client's roots), and then asks for approval. A
 * client that cannot ask gets the fallbacks.
 */
import { completable, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { definePrompt, defineResource, install } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';
import { citiesThatStartWith } from './destinations.js';
import { destination, price, sight, travel, Trip } from './resolvers.js';
import { bookTrip, holdTrip, rateTrip } from './tools.js';

const planTrip = definePrompt(
  'plan_trip',
  {
    description: 'Plan a day at the destination.',
    argsSchema: z.object({ city: completable(z.string(), citiesThatStartWith) }),
    resolve: { travel, price, sight },
  },
  ({ city, travel, price, sight }) =>
    `Plan a day in ${city}. We come in ${travel.class} class, for ${price} euros, to see ${sight}.`,
);

const tripNotes = defineResource(
  'trip_notes',
  new ResourceTemplate('trips://notes/{city}', { list: undefined }),
  {
    description: 'What to know before the trip.',
    mimeType: 'text/plain',
    variables: Trip,
    resolve: { to: destination, sight },
  },
  ({ to, sight }) => `${to.city}, ${to.country}: see ${sight}. Rules of entry: ${to.rules}`,
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'travel-desk', version: '1.0.0' });
  install(server, [bookTrip, holdTrip, rateTrip, planTrip, tripNotes]);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
