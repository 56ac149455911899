/** The types of arguments in resolvers, and the requirements that they add. */
import {
  type Arg,
  arg,
  argsOf,
  definePrompt,
  defineTool,
  type OptionalReq,
  outcome,
  type Req,
  resolver,
  type Resolver,
} from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

const Input = z.object({
  order_id: z.string(),
  note: z.string().optional(),
  limit: z.number().default(10),
  at: z.string().transform((text) => new Date(text)),
});
const args = argsOf(Input);

// One need per property, with its name and its type after validation.
typeOf(args).is<{
  readonly order_id: Arg<string, 'order_id'>;
  readonly note: Arg<string | undefined, 'note'>;
  readonly limit: Arg<number, 'limit'>;
  readonly at: Arg<Date, 'at'>;
}>();

// An argument under another name requires the original one.
const load = resolver({ id: args.order_id }, ({ id }) => {
  typeOf(id).is<string>();
  return { id, cents: 500 };
});
typeOf(load).is<Resolver<{ id: string; cents: number }, Req<'order_id', string>>>();

// Optional arguments may be undefined, arguments with a default are not.
const wide = resolver({ note: args.note, limit: args.limit, at: args.at }, (values) => {
  typeOf(values).is<{ note: string | undefined; limit: number; at: Date }>();
  return values.limit;
});
typeOf(wide).is<
  Resolver<number, Req<'note', string | undefined> | Req<'limit', number> | Req<'at', Date>>
>();

// The shorthand: the parameter has the name of the argument.
const short = resolver({ order_id: arg<string>(), limit: arg<number>() }, (values) => {
  typeOf(values).is<{ order_id: string; limit: number }>();
  return values.order_id;
});
typeOf(short).is<Resolver<string, Req<'order_id', string> | Req<'limit', number>>>();

// A resolver for tools that may lack an argument.
const greeting = resolver(
  { text: arg.optional(args.order_id), note: arg.optional<string>() },
  (values) => {
    typeOf(values).is<{ text: string | undefined; note: string | undefined }>();
    return values.text ?? values.note ?? '';
  },
);
typeOf(greeting).is<
  Resolver<
    string,
    OptionalReq<'order_id', string | undefined> | OptionalReq<'note', string | undefined>
  >
>();
const longer = resolver({ greeting }, ({ greeting }) => greeting.length);
defineTool('has_both', { inputSchema: Input, resolve: { longer } }, ({ longer }) => `${longer}`);
defineTool('has_none', { resolve: { longer } }, ({ longer }) => `${longer}`);
defineTool(
  'has_others',
  { inputSchema: z.object({ id: z.number() }), guards: [], resolve: { greeting } },
  ({ greeting }) => greeting,
);
definePrompt('lacks_all', { resolve: { longer } }, ({ longer }) => `${longer}`);
// The factory of an author.
const lengthOf = <N extends string>(need: Arg<string, N>) =>
  resolver({ text: arg.optional(need) }, ({ text }) => text?.length ?? 0);
typeOf(lengthOf(args.order_id)).is<Resolver<number, OptionalReq<'order_id', string | undefined>>>();
defineTool(
  'lacks_it',
  { resolve: { length: lengthOf(args.order_id) } },
  ({ length }) => `${length}`,
);

// Requirements add up along the graph, without repetition.
const deep = resolver({ load, short, again: outcome(load) }, (values) => values.short);
typeOf(deep).is<Resolver<string, Req<'order_id', string> | Req<'limit', number>>>();
typeOf(resolver({ deep }, () => 1)).is<
  Resolver<number, Req<'order_id', string> | Req<'limit', number>>
>();
typeOf(resolver({}, () => 1)).is<Resolver<number>>();

// A factory keeps the name of the argument.
const priceOf = <N extends string>(id: Arg<string, N>) =>
  resolver({ id }, (values) => {
    typeOf(values.id).is<string>();
    return values.id.length;
  });
typeOf(priceOf).is<<N extends string>(id: Arg<string, N>) => Resolver<number, Req<N, string>>>();
typeOf(priceOf(args.order_id)).is<Resolver<number, Req<'order_id', string>>>();
defineTool(
  'price',
  { inputSchema: Input, resolve: { cents: priceOf(args.order_id) } },
  ({ cents }) => {
    typeOf(cents).is<number>();
    return `${cents}`;
  },
);

// A name that is only known at run time is checked by defineTool.
defineTool(
  'named',
  {
    inputSchema: Input,
    resolve: { id: resolver({ id: arg<string>('order_id') }, ({ id }) => id) },
  },
  ({ id }) => {
    typeOf(id).is<string>();
    return id;
  },
);

// All variants of a union add needs. Those of only some variants are optional.
const either = argsOf(
  z.discriminatedUnion('by', [
    z.object({ by: z.literal('order'), order_id: z.string() }),
    z.object({ by: z.literal('invoice'), invoice_id: z.string() }),
  ]),
);
typeOf(either).is<{
  readonly by: Arg<'order' | 'invoice', 'by'>;
  readonly order_id: Arg<string | undefined, 'order_id'>;
  readonly invoice_id: Arg<string | undefined, 'invoice_id'>;
}>();

// A schema without declared properties has no needs.
typeOf(argsOf(z.object({}))).is<{}>();
typeOf(argsOf(z.looseObject({ order_id: z.string() }))).is<{
  readonly order_id: Arg<string, 'order_id'>;
}>();
