/** Generic functions of authors that create resolvers. The compiler does not know their types. */
import {
  type Arg,
  argsOf,
  type Askable,
  confirm,
  elicit,
  type Question,
  type Req,
  type Reqs,
  resolver,
  type Resolver,
  type Schema,
} from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

const Size = z.object({ size: z.string() });
const args = argsOf(z.object({ order_id: z.string() }));

// A form for any schema, declared by its kind or by the schema.
const form = <S extends Schema>(message: string, schema: S) =>
  resolver({}, () => elicit(message, schema), { asks: 'form' });
const declaredForm = <S extends Schema>(message: string, schema: S) =>
  resolver({}, () => elicit(message, schema), { asks: schema });
typeOf(form('Which size?', Size)).is<Resolver<{ size: string }>>();
typeOf(declaredForm('Which size?', Size)).is<Resolver<{ size: string }>>();

// A question only if the value is missing.
const knownOr = <S extends Schema>(known: () => z.output<S> | undefined, schema: S) =>
  resolver({}, () => known() ?? elicit('Please fill in.', schema), { asks: 'form' });
knownOr(() => ({ size: 'S' }), Size);

// An approval of any value.
const approvalOf = <T, R extends Reqs>(value: Resolver<T, R>, text: (value: T) => string) =>
  resolver({ value }, ({ value }) => (text(value) === '' ? true : confirm(text(value))), {
    asks: 'form',
  });
const cents = resolver({ id: args.order_id }, ({ id }) => id.length);
typeOf(approvalOf(cents, (value) => `Pay ${value.toFixed()} cents?`)).is<
  Resolver<true, Req<'order_id', string>>
>();

// Any function, with a limit on its time or from a cache.
const loaded = <T>(load: () => T) => resolver({}, load);
const limited = <T>(load: () => Promise<T>) =>
  resolver({}, async (_, ctx) => {
    ctx.signal.throwIfAborted();
    return load();
  });
const byId = <N extends string, T extends object>(id: Arg<string, N>, find: (id: string) => T) =>
  resolver({ id }, ({ id }) => find(id));
typeOf(loaded(() => 7)).is<Resolver<number>>();
typeOf(limited(() => Promise.resolve({ cents: 7 }))).is<Resolver<{ cents: number }>>();
typeOf(byId(args.order_id, (id) => ({ id }))).is<
  Resolver<{ id: string }, Req<'order_id', string>>
>();

// Any question, with a kind that the compiler does not know.
const asking = <T>(asks: Askable, ask: () => Question<T>) => resolver({}, ask, { asks });
typeOf(asking('form', () => elicit('Which size?', Size))).is<Resolver<{ size: string }>>();

// Types that can hide a question accept `asks`, and do without it.
const hidden = (): unknown => confirm('Sure?');
const anyOf = (): object => confirm('Sure?');
typeOf(resolver({}, hidden)).is<Resolver<unknown>>();
typeOf(resolver({}, hidden, { asks: 'form' })).is<Resolver<unknown>>();
typeOf(resolver({}, anyOf, { asks: 'form' })).is<Resolver<object>>();
// eslint-disable-next-line @typescript-eslint/no-unsafe-return -- that is the case under test
typeOf(resolver({}, () => JSON.parse('{}'), { asks: 'form' })).is<Resolver<unknown>>();

// An annotated resolver keeps its question.
export const annotated: Resolver<boolean, Req<'order_id', string>> = resolver(
  { id: args.order_id },
  ({ id }) => (id === '' ? false : confirm('Sure?')),
  { asks: 'form' },
);
