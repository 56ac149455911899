/** The types of zod, arktype and valibot schemas, which are inferred in the same way. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import {
  type Arg,
  argsOf,
  defineTool,
  elicit,
  type Elicit,
  type Req,
  resolver,
  type Resolver,
} from 'mcp-resolve';
import * as v from 'valibot';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

const cents = resolver({}, () => 500);

// zod
const zodInput = z.object({ order_id: z.string(), limit: z.number().default(10) });
typeOf(argsOf(zodInput)).is<{
  readonly order_id: Arg<string, 'order_id'>;
  readonly limit: Arg<number, 'limit'>;
}>();
typeOf(elicit('Which?', z.object({ sku: z.string() }))).is<Elicit<{ sku: string }>>();
const zodTool = defineTool(
  'zod',
  {
    inputSchema: zodInput,
    outputSchema: z.object({ status: z.enum(['ok', 'no']) }),
    resolve: { cents },
  },
  (values) => {
    typeOf(values).is<{ order_id: string; limit: number; cents: number }>();
    return { status: 'ok' };
  },
);
typeOf(zodTool.call).parameter(0).is<{ order_id: string; limit?: number | undefined }>();

// arktype
const arkInput = type({ order_id: 'string', limit: 'number = 10', 'note?': 'string' });
const arkArgs = argsOf(arkInput);
typeOf(arkArgs.order_id).is<Arg<string, 'order_id'>>();
typeOf(arkArgs.limit).is<Arg<number, 'limit'>>();
typeOf(arkArgs.note).is<Arg<string | undefined, 'note'>>();
typeOf(elicit('Which?', type({ sku: 'string' }))).is<Elicit<{ sku: string }>>();
typeOf(
  resolver({ id: arkArgs.order_id }, () => elicit('Which?', type({ sku: 'string' })), {
    asks: 'form',
  }),
).is<Resolver<{ sku: string }, Req<'order_id', string>>>();
const arkTool = defineTool(
  'ark',
  { inputSchema: arkInput, outputSchema: type({ status: "'ok' | 'no'" }), resolve: { cents } },
  ({ order_id, limit, note, cents }) => {
    typeOf(order_id).is<string>();
    typeOf(limit).is<number>();
    typeOf(note).is<string | undefined>();
    typeOf(cents).is<number>();
    return { status: 'ok' };
  },
);
typeOf(arkTool.call).parameter(0).is<{ order_id: string; limit?: number; note?: string }>();

// valibot, through its converter
const valibotInput = toStandardJsonSchema(
  v.object({ order_id: v.string(), limit: v.optional(v.number(), 10) }),
);
typeOf(argsOf(valibotInput)).is<{
  readonly order_id: Arg<string, 'order_id'>;
  readonly limit: Arg<number, 'limit'>;
}>();
typeOf(elicit('Which?', toStandardJsonSchema(v.object({ sku: v.string() })))).is<
  Elicit<{ sku: string }>
>();
const valibotTool = defineTool(
  'valibot',
  {
    inputSchema: valibotInput,
    outputSchema: toStandardJsonSchema(v.object({ status: v.picklist(['ok', 'no']) })),
    resolve: { cents },
  },
  (values) => {
    typeOf(values).is<{ order_id: string; limit: number; cents: number }>();
    return { status: 'ok' };
  },
);
typeOf(valibotTool.call).parameter(0).is<{ order_id: string; limit?: number | undefined }>();
