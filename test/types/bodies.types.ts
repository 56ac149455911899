/** The parameters of a tool's body, and of a direct call. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  argsOf,
  type CallContext,
  confirm,
  defineTool,
  type Outcome,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

const cents = resolver({}, () => 500);
const allowed = resolver({}, async (): Promise<boolean> => true);
const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });

// No arguments.
const bare = defineTool('bare', {}, (values, ctx) => {
  typeOf(values).is<{}>();
  typeOf(ctx).is<CallContext>();
  return 'done';
});
typeOf(bare.call).parameter(0).is<Readonly<Record<string, never>> | undefined>();
typeOf(bare.call({})).is<Promise<CallToolResult & { readonly cause?: unknown }>>();

// Resolved values and outcomes only.
defineTool('resolved', { resolve: { cents, sure, answer: outcome(sure) } }, (values) => {
  typeOf(values).is<{ cents: number; sure: true; answer: Outcome<true> }>();
  return `${values.cents}`;
});

// An empty object schema has no arguments, and no name that could clash.
const empty = defineTool(
  'empty',
  { inputSchema: z.object({}), resolve: { cents } },
  ({ cents }) => {
    typeOf(cents).is<number>();
    return `${cents}`;
  },
);
typeOf(empty.call).parameter(0).is<Record<string, never>>();

// Arguments and resolved values are one plain object.
const strict = defineTool(
  'strict',
  { inputSchema: z.strictObject({ order_id: z.string() }), resolve: { cents } },
  (values) => {
    typeOf(values).is<{ order_id: string; cents: number }>();
    return values.order_id;
  },
);
typeOf(strict.call).parameter(0).is<{ order_id: string }>();

// Loose objects pass unknown arguments on, and keep the types of declared ones.
defineTool(
  'loose',
  { inputSchema: z.looseObject({ order_id: z.string() }), resolve: { cents } },
  (values) => {
    typeOf(values.order_id).is<string>();
    typeOf(values.cents).is<number>();
    typeOf(values.other).is<unknown>();
    return values.order_id;
  },
);

// Optional, default and transformed arguments: the body receives the output, a caller passes the input.
const sides = defineTool(
  'sides',
  {
    inputSchema: z.object({
      note: z.string().optional(),
      limit: z.number().default(10),
      at: z.string().transform((text) => new Date(text)),
    }),
    resolve: { cents },
  },
  (values) => {
    typeOf(values).is<{ note?: string | undefined; limit: number; at: Date; cents: number }>();
    return 'done';
  },
);
typeOf(sides.call)
  .parameter(0)
  .is<{ note?: string | undefined; limit?: number | undefined; at: string }>();

// A discriminated union stays one, so that the body can narrow it.
const Target = z.discriminatedUnion('by', [
  z.object({ by: z.literal('order'), order_id: z.string() }),
  z.object({ by: z.literal('amount'), amount: z.number() }),
]);
const union = defineTool('union', { inputSchema: Target, resolve: { cents } }, (values) => {
  typeOf(values).is<
    | { by: 'order'; order_id: string; cents: number }
    | { by: 'amount'; amount: number; cents: number }
  >();
  if (values.by === 'order') return values.order_id;
  typeOf(values.amount).is<number>();
  return `${values.amount - values.cents}`;
});
typeOf(union.call)
  .parameter(0)
  .is<{ by: 'order'; order_id: string } | { by: 'amount'; amount: number }>();

// A resolver can need an argument that every variant of a union has.
const mark = resolver({ by: argsOf(Target).by }, ({ by }) => {
  typeOf(by).is<'order' | 'amount'>();
  return by;
});
defineTool('marked', { inputSchema: Target, resolve: { mark } }, (values) => values.mark);

// The type of an argument may be narrower than the type that a resolver needs.
const notes = resolver(
  { note: argsOf(z.object({ note: z.string().optional() })).note },
  ({ note }) => note ?? '',
);
const any = resolver(
  { by: argsOf(z.object({ by: z.union([z.string(), z.number()]) })).by },
  ({ by }) => String(by),
);
defineTool(
  'wider',
  {
    inputSchema: z.object({ note: z.string(), by: z.string() }),
    resolve: { notes, any },
  },
  (values) => values.notes + values.any,
);
defineTool(
  'optional',
  { inputSchema: z.object({ note: z.string().optional() }), resolve: { notes } },
  (values) => values.notes,
);

// Guards add no values.
const guarded = defineTool(
  'guarded',
  { inputSchema: z.object({ order_id: z.string() }), guards: [allowed, sure] },
  (values) => {
    typeOf(values).is<{ order_id: string }>();
    return values.order_id;
  },
);
typeOf(guarded.name).is<string>();
const guards = [allowed, sure];
defineTool('listed', { guards, resolve: { cents } }, (values) => {
  typeOf(values).is<{ cents: number }>();
  return 'done';
});

// A guard may have an unknown type, which is checked at run time, and it may always throw.
const parsed = resolver({}, () => JSON.parse('true') as unknown);
const closed = resolver({}, (): never => {
  throw new ToolError('closed');
});
defineTool('unknown', { guards: [parsed, closed, resolver({}, () => true)] }, () => 'done');

// A configuration from outside the call.
const shared = { inputSchema: z.object({ order_id: z.string() }), resolve: { cents } };
defineTool('spread', { ...shared, description: 'Spread.' }, (values) => {
  typeOf(values).is<{ order_id: string; cents: number }>();
  return values.order_id;
});
