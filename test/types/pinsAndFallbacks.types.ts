/** The types of `pin`, `dispose` and `otherwise`. */
import type { CreateMessageResult, ListRootsResult } from '@modelcontextprotocol/server';
import {
  type Confirm,
  confirm,
  elicit,
  type Elicit,
  elicitUrl,
  type ElicitUrl,
  type End,
  listRoots,
  type Outcome,
  outcome,
  resolver,
  type Resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

interface Lease {
  readonly id: string;
  release: () => void;
}

const lease: Lease = { id: 'L-1', release: () => undefined };
const Quote = z.object({ cents: z.number(), at: z.string() });
const Stay = z.object({ nights: z.number(), note: z.string().optional() });

// A pin has the type of the computed value, and does not change the type of the resolver.
typeOf(resolver({}, () => 500, { pin: z.number() })).is<Resolver<number>>();
typeOf(resolver({}, async () => ({ cents: 500, at: 'now' }), { pin: Quote })).is<
  Resolver<{ cents: number; at: string }>
>();
typeOf(resolver({}, (): string | null => null, { pin: z.string().nullable() })).is<
  Resolver<string | null>
>();

// A pin may be narrower than the computed type.
resolver({}, (): string | undefined => 'x', { pin: z.string() });
resolver({}, (): string => 'x', { pin: z.enum(['x', 'y']) });

// With a question, a pin has the type that consumers receive.
typeOf(
  resolver({}, () => (Date.now() > 0 ? { nights: 3 } : elicit('How long?', Stay)), {
    asks: 'form',
    pin: Stay,
  }),
).is<Resolver<{ nights: number; note?: string | undefined }>>();

// dispose receives the computed value and the end of the call, but never an answer.
resolver({}, () => lease, {
  dispose: (value, end) => {
    typeOf(value).is<Lease>();
    typeOf(end).is<End>();
    typeOf(end).is<'completed' | 'asked' | 'failed' | 'cancelled'>();
    value.release();
  },
});
resolver({}, async () => lease, {
  dispose: async (value) => {
    typeOf(value).is<Lease>();
  },
});
resolver({}, () => (Date.now() > 0 ? lease : elicit('How long?', Stay)), {
  asks: 'form',
  dispose: (value) => {
    typeOf(value).is<Lease>();
  },
});
resolver({}, () => confirm('Sure?'), {
  asks: 'form',
  dispose: (value) => {
    typeOf(value).is<never>();
  },
});
resolver({}, () => lease, { dispose: 'auto' });
const close = (value: { release: () => void }): void => {
  value.release();
};
typeOf(resolver({}, () => lease, { dispose: close, name: 'lease' })).is<Resolver<Lease>>();

// otherwise is an answer, or a function that returns one, returns a promise of one, or throws.
typeOf(elicit('How long?', Stay, { otherwise: { nights: 1 } })).is<
  Elicit<{ nights: number; note?: string | undefined }>
>();
elicit('How long?', Stay, { otherwise: () => ({ nights: 1, note: 'short' }) });
elicit('How long?', Stay, { otherwise: async () => ({ nights: 1 }) });
elicit('How long?', Stay, {
  otherwise: () => {
    throw new ToolError('Ask the user how long they stay.');
  },
});
typeOf(confirm('Sure?', { otherwise: false })).is<Confirm>();
confirm('Sure?', { otherwise: async () => true });
typeOf(elicitUrl('Sign in', 'https://travel.example/in', { otherwise: false })).is<ElicitUrl>();
elicitUrl('Sign in', new URL('https://travel.example/in'), { otherwise: () => false });
listRoots({ otherwise: { roots: [] } });
sample(
  { messages: [], maxTokens: 9 },
  {
    otherwise: async () => ({
      role: 'assistant',
      model: 'our own',
      content: { type: 'text', text: 'Bring a coat' },
    }),
  },
);

// A fallback is not transformed, so it has the output type of the schema.
elicit('When?', z.object({ at: z.string().transform((text) => new Date(text)) }), {
  otherwise: { at: new Date() },
});

// A fallback does not change the type that consumers receive.
typeOf(
  resolver({}, () => elicit('How long?', Stay, { otherwise: { nights: 1 } }), { asks: 'form' }),
).is<Resolver<{ nights: number; note?: string | undefined }>>();
typeOf(resolver({}, () => confirm('Sure?', { otherwise: true }), { asks: 'form' })).is<
  Resolver<true>
>();
typeOf(resolver({}, () => elicitUrl('Sign in', 'https://travel.example/in'), { asks: 'url' })).is<
  Resolver<true>
>();
typeOf(resolver({}, () => listRoots({ otherwise: { roots: [] } }), { asks: 'roots' })).is<
  Resolver<ListRootsResult>
>();
typeOf(resolver({}, () => sample({ messages: [], maxTokens: 9 }, {}), { asks: 'sample' })).is<
  Resolver<CreateMessageResult>
>();

// An outcome marks a fallback.
const asked = resolver({}, () => confirm('Sure?', { otherwise: true }), { asks: 'form' });
resolver({ asked: outcome(asked) }, (values) => {
  typeOf(values.asked).is<Outcome<true>>();
  if (values.asked.action === 'accept') {
    typeOf(values.asked.fallback).is<true | undefined>();
    typeOf(values.asked.asked).is<boolean>();
  }
});
