/** Explicit type annotations on resolvers, arguments and tools. */
import {
  type AnyResolver,
  type Arg,
  argsOf,
  type CallContext,
  defineTool,
  type Outcome,
  outcome,
  type Req,
  type Reqs,
  resolver,
  type Resolver,
  type Tool,
} from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

interface Order {
  id: string;
  cents: number;
}

const Input = z.object({ order_id: z.string() });
const args = argsOf(Input);

// An annotation accepts the inferred type.
export const load: Resolver<Order, Req<'order_id', string>> = resolver(
  { id: args.order_id },
  ({ id }) => ({ id, cents: 500 }),
);
export const none: Resolver<number> = resolver({}, () => 500);
export const id: Arg<string, 'order_id'> = args.order_id;
export const refund: Tool<{ order_id: string }> = defineTool(
  'refund',
  { inputSchema: Input, resolve: { order: load } },
  ({ order }) => {
    typeOf(order).is<Order>();
    return order.id;
  },
);

// An annotation may be wider than the inferred type.
export const looser: Resolver<object, Req<'order_id', string> | Req<'region', string>> = load;
export const whichever: AnyResolver = load;
export const tools: Tool[] = [refund];

// Named functions with annotated parameters.
function total({ order }: { order: Order }, ctx: CallContext): number {
  return ctx.signal.aborted ? 0 : order.cents;
}
typeOf(resolver({ order: load }, total)).is<Resolver<number, Req<'order_id', string>>>();

function describe(found: Outcome<Order>): string {
  return found.action === 'accept' ? found.data.id : found.action;
}
defineTool('describe', { inputSchema: Input, resolve: { found: outcome(load) } }, ({ found }) =>
  describe(found),
);

// A generic helper keeps the value and the requirements of a resolver.
const same = <T, R extends Reqs>(inner: Resolver<T, R>): Resolver<T, R> => inner;
typeOf(same(load)).is<Resolver<Order, Req<'order_id', string>>>();
typeOf(same(none)).is<Resolver<number>>();

const boxed = <T, R extends Reqs>(inner: Resolver<T, R>) =>
  resolver({ inner, ended: outcome(inner) }, (values) => {
    const value: T = values.inner;
    const ended: Outcome<T> = values.ended;
    return { box: ended.action === 'accept' ? ended.data : value };
  });
typeOf(boxed(load)).is<Resolver<{ box: Order }, Req<'order_id', string>>>();
defineTool('boxed', { inputSchema: Input, resolve: { order: boxed(load) } }, ({ order }) => {
  typeOf(order).is<{ box: Order }>();
  return order.box.id;
});

// AnyResolver can be used. Its requirements are checked at run time, by defineTool.
defineTool('opaque', { inputSchema: Input, resolve: { value: whichever } }, ({ value }) => {
  typeOf(value).is<unknown>();
  return String(value);
});
