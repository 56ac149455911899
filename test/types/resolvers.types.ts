/** The value type of a resolver, inferred from the return type of its function. */
import type {
  CreateMessageResult,
  CreateMessageResultWithTools,
  ListRootsResult,
} from '@modelcontextprotocol/server';
import {
  type CallContext,
  confirm,
  elicit,
  type Elicit,
  listRoots,
  type Outcome,
  outcome,
  type OutcomeOf,
  resolver,
  type Resolver,
  sample,
} from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

interface Order {
  id: string;
  lines: string[];
}

const order: Order = { id: 'A-1', lines: ['sku-1'] };
const Scope = z.object({ full: z.boolean(), sku: z.string() });
const load = resolver({}, () => order);

// A value or a promise.
typeOf(load).is<Resolver<Order>>();
typeOf(resolver({}, () => 500)).is<Resolver<number>>();
typeOf(resolver({}, async () => order)).is<Resolver<Order>>();
typeOf(resolver({}, () => Promise.resolve(order))).is<Resolver<Order>>();
typeOf(resolver({}, () => ['a', 'b'])).is<Resolver<string[]>>();
typeOf(resolver({}, () => new Map([['a', 1]]))).is<Resolver<Map<string, number>>>();
typeOf(resolver({}, (): string | undefined => undefined)).is<Resolver<string | undefined>>();
typeOf(resolver({ load }, (values) => (values.load.lines.length > 1 ? 'several' : 'single'))).is<
  Resolver<'several' | 'single'>
>();

// undefined, or never.
typeOf(resolver({}, () => undefined)).is<Resolver<undefined>>();
typeOf(
  resolver({}, () => {
    throw new Error('no');
  }),
).is<Resolver<never>>();

// `any` becomes unknown.
typeOf(resolver({}, () => JSON.parse('{}') as unknown)).is<Resolver<unknown>>();
// eslint-disable-next-line @typescript-eslint/no-unsafe-return -- that is the case under test
typeOf(resolver({}, () => JSON.parse('{}'))).is<Resolver<unknown>>();

// A question has the type of its answer.
typeOf(resolver({}, () => elicit('Which?', Scope), { asks: 'form' })).is<
  Resolver<{ full: boolean; sku: string }>
>();
typeOf(resolver({}, async () => elicit('Which?', Scope), { asks: 'form' })).is<
  Resolver<{ full: boolean; sku: string }>
>();
typeOf(resolver({}, () => confirm('Sure?'), { asks: 'form' })).is<Resolver<true>>();
typeOf(resolver({}, () => listRoots(), { asks: 'roots' })).is<Resolver<ListRootsResult>>();
typeOf(resolver({}, () => sample({ messages: [], maxTokens: 1 }), { asks: 'sample' })).is<
  Resolver<CreateMessageResult>
>();
typeOf(
  resolver({}, () => sample({ messages: [], maxTokens: 1, tools: [] }), { asks: 'sample' }),
).is<Resolver<CreateMessageResultWithTools>>();
typeOf(
  resolver({}, () => sample({ messages: [], maxTokens: 1, toolChoice: { mode: 'auto' } }), {
    asks: 'sample',
  }),
).is<Resolver<CreateMessageResultWithTools>>();

// Two questions with the same schema have one type.
typeOf(
  resolver(
    { load },
    (values) =>
      values.load.lines.length > 1 ? elicit('Which one?', Scope) : elicit('Sure?', Scope),
    { asks: 'form' },
  ),
).is<Resolver<{ full: boolean; sku: string }>>();

// A value or a question: one type if both are equal, or else a union.
typeOf(
  resolver(
    { load },
    (values) =>
      values.load.lines.length === 1 ? { full: true, sku: '' } : elicit('Which?', Scope),
    { asks: 'form' },
  ),
).is<Resolver<{ full: boolean; sku: string }>>();
typeOf(
  resolver(
    { load },
    async (values) => {
      if (values.load.lines.length === 1) return { full: true, sku: '' };
      return elicit('Which?', Scope);
    },
    { asks: 'form' },
  ),
).is<Resolver<{ full: boolean; sku: string }>>();
typeOf(
  resolver(
    { load },
    (values) => (values.load.lines.length === 0 ? null : elicit('Which?', Scope)),
    { asks: 'form' },
  ),
).is<Resolver<{ full: boolean; sku: string } | null>>();
typeOf(
  resolver({ load }, (values) => (values.load.lines.length < 9 ? false : confirm('Sure?')), {
    asks: 'form',
  }),
).is<Resolver<boolean>>();

// The answer has the output type of the schema.
const Transformed = z.object({
  amount: z.string().transform(Number),
  currency: z.string().default('EUR'),
  note: z.string().optional(),
});
typeOf(elicit('How much?', Transformed)).is<
  Elicit<{ amount: number; currency: string; note?: string | undefined }>
>();
typeOf(resolver({}, () => elicit('How much?', Transformed), { asks: 'form' })).is<
  Resolver<{ amount: number; currency: string; note?: string | undefined }>
>();

// An outcome instead of the value.
const askScope = resolver({}, () => elicit('Which?', Scope), { asks: 'form' });
typeOf(outcome(askScope)).is<OutcomeOf<{ full: boolean; sku: string }>>();
resolver({ scope: outcome(askScope), bare: askScope }, (values) => {
  typeOf(values).is<{
    scope: Outcome<{ full: boolean; sku: string }>;
    bare: { full: boolean; sku: string };
  }>();
  if (values.scope.action === 'accept') {
    typeOf(values.scope.data).is<{ full: boolean; sku: string }>();
    typeOf(values.scope.asked).is<boolean>();
  } else {
    typeOf(values.scope.action).is<'decline' | 'cancel'>();
  }
});

// The context.
resolver({}, (values, ctx) => {
  typeOf(values).is<{}>();
  typeOf(ctx).is<CallContext>();
  typeOf(ctx.signal).is<AbortSignal>();
  typeOf(ctx.protocolVersion).is<string | undefined>();
  typeOf(ctx.callId).is<string>();
  typeOf(ctx.canAsk('form')).is<boolean>();
});
