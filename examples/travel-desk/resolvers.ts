/**
 * What a trip needs and no model can supply. The tools, the prompt and the resource of the desk
 * share these resolvers, and the answers that a client which cannot be asked gets by.
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

// Computed: the records know the place.
export const destination = resolver({ city: args.city }, ({ city }) => findDestination(city));

// A form. Who cannot be asked travels in standard class.
const Travel = z.object({ class: z.enum(['standard', 'first']) });
export const travel = resolver({ to: destination }, ({ to }) =>
  elicit(`How do you travel to ${to.city}?`, Travel, { otherwise: { class: 'standard' } }),
);

export const price = resolver({ to: destination, travel }, ({ to, travel }) =>
  travel.class === 'first' ? 2 * to.euros : to.euros,
);

// A link. Who cannot be asked has not opened it.
export const entryRules = resolver({ to: destination }, ({ to }) =>
  elicitUrl(`Please read what ${to.country} asks of visitors.`, to.rules, { otherwise: false }),
);

// The client's model. Where there is none, the desk's own guide.
const suggestion = resolver({ to: destination }, ({ to }) => {
  const text = `Name one thing to see in ${to.city}, in at most five words.`;
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }];
  return sample({ messages, maxTokens: 40 }, { otherwise: () => inOurWords(to.sight) });
});

export const sight = resolver({ suggestion }, ({ suggestion: { content } }) =>
  content.type === 'text' ? content.text : 'whatever you find',
);

// The client's roots. Where there are none, no folder.
const roots = resolver({}, () => listRoots({ otherwise: { roots: [] } }));
export const folder = resolver({ roots }, ({ roots: { roots } }) => roots[0]?.uri ?? 'no folder');

// A yes, which depends on an answer above. There is no default for it, only another way.
export const approval = resolver({ to: destination, travel, price }, ({ to, travel, price }) =>
  confirm(`Book ${to.city} in ${travel.class} class for ${price} euros?`, {
    otherwise: () => {
      throw new ToolError(
        'nothing is booked, because nobody can be asked here to approve it: hold_trip keeps the price for a day and needs no approval',
      );
    },
  }),
);

function inOurWords(text: string): ModelAnswer {
  return { role: 'assistant', model: 'travel-desk', content: { type: 'text', text } };
}
