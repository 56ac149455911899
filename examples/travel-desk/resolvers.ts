/**
 * The resolvers that the tools, the prompt and the resource share, with a fallback for each client
 * that cannot ask.
 */
import {
  argsOf,
  confirm,
  elicit,
  elicitUrl,
  listRoots,
  type ModelAnswer,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import * as z from 'zod';

import { findDestination } from './destinations.js';

export const Trip = z.object({ city: z.string() });
const args = argsOf(Trip);

// Computed from the records.
export const destination = resolver({ city: args.city }, ({ city }) => findDestination(city));

// A form. Fallback: standard class.
const Travel = z.object({ class: z.enum(['standard', 'first']) });
export const travel = resolver(
  { to: destination },
  ({ to }) =>
    elicit(`How do you travel to ${to.city}?`, Travel, { otherwise: { class: 'standard' } }),
  { asks: Travel },
);

export const price = resolver({ to: destination, travel }, ({ to, travel }) =>
  travel.class === 'first' ? 2 * to.euros : to.euros,
);

// A link. Fallback: not opened.
export const entryRules = resolver(
  { to: destination },
  ({ to }) =>
    elicitUrl(`Please read what ${to.country} asks of visitors.`, to.rules, { otherwise: false }),
  { asks: 'url' },
);

// The client's model. Fallback: the tip from the records.
const suggestion = resolver(
  { to: destination },
  ({ to }) => {
    const text = `Name one thing to see in ${to.city}, in at most five words.`;
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }];
    return sample({ messages, maxTokens: 40 }, { otherwise: () => ownAnswer(to.sight) });
  },
  { asks: 'sample' },
);

export const sight = resolver({ suggestion }, ({ suggestion: { content } }) =>
  content.type === 'text' ? content.text : 'whatever you find',
);

// The client's roots. Fallback: no folder.
const roots = resolver({}, () => listRoots({ otherwise: { roots: [] } }), { asks: 'roots' });
export const folder = resolver({ roots }, ({ roots: { roots } }) => roots[0]?.uri ?? 'no folder');

// An approval, which shows a price from an answer above. It has no default, only advice.
export const approval = resolver(
  { to: destination, travel, price },
  ({ to, travel, price }) =>
    confirm(`Book ${to.city} in ${travel.class} class for ${price} euros?`, {
      otherwise() {
        throw new ToolError(
          'nothing was booked, because this client cannot ask the user for approval: call hold_trip, which keeps the price for a day',
        );
      },
    }),
  { asks: 'form' },
);

function ownAnswer(text: string): ModelAnswer {
  return { role: 'assistant', model: 'travel-desk', content: { type: 'text', text } };
}
