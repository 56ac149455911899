/** Sample definitions: one with every feature, a plain one, a large one, one with unwieldy names. */
import { ResourceTemplate } from '@modelcontextprotocol/server';
import * as fc from 'fast-check';
import {
  arg,
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  elicitUrl,
  listRoots,
  memoryStore,
  outcome,
  resolver,
  sample,
} from 'mcp-resolve';
import type { AnyResolver, Need, Tool } from 'mcp-resolve';
import * as z from 'zod';

const TransferInput = z.object({
  account: z.string().describe('Where the money comes from'),
  cents: z.int(),
  currency: z.enum(['EUR', 'USD', 'CHF']).default('EUR'),
  note: z.string().optional(),
});
const args = argsOf(TransferInput);
const Rate = z.object({ rate: z.number() });
const Purpose = z.object({ purpose: z.string(), urgent: z.boolean() });
const Approval = z.object({ approve: z.boolean(), comment: z.string().default('') });

const caller = resolver({}, (_, ctx) => ctx.http?.authInfo?.clientId ?? 'anonymous', {
  name: 'caller',
});
const mayTransfer = resolver(
  { who: caller, account: args.account },
  ({ who, account }) => (who === account ? true : confirm(`Is ${account} yours?`)),
  { name: 'may_transfer', asks: 'form' },
);
const connection = resolver({}, () => ({ open: true }), { dispose: () => undefined });
const account = resolver(
  { id: args.account, db: connection },
  ({ id, db }) => ({ id, open: db.open }),
  { name: 'account' },
);
const rate = resolver({ currency: args.currency }, () => ({ rate: 1.07 }), { pin: Rate });
const purpose = resolver(
  { account },
  ({ account: { id } }) => elicit(`What is the transfer from ${id} for?`, Purpose),
  { asks: Purpose },
);
const bank = resolver(
  { account },
  ({ account: { id } }) => elicitUrl('Sign in at your bank.', `https://bank.example/${id}`),
  { asks: 'url' },
);
const risk = resolver(
  { purpose, account },
  ({ purpose: { purpose: text } }) =>
    sample({
      messages: [{ role: 'user', content: { type: 'text', text: `Is this a risk? ${text}` } }],
      maxTokens: 10,
    }),
  { asks: 'sample' },
);
const workspace = resolver({}, () => listRoots(), { asks: 'roots' });
const approval = resolver(
  { cents: args.cents, rate, risk: outcome(risk) },
  ({ cents, rate: { rate: factor } }) => elicit(`Send ${cents * factor}?`, Approval),
  { asks: Approval, name: 'approval' },
);

/** A tool with guards, all kinds of question, a pin, cleanup, an outcome and `once`. */
export const transfer = defineTool(
  'transfer_money',
  {
    description: 'Transfer money to another account, once a person has approved the amount.',
    inputSchema: TransferInput,
    annotations: { destructiveHint: true },
    guards: [mayTransfer],
    resolve: { approval: outcome(approval), signedIn: bank, from: account, folders: workspace },
    once: memoryStore(),
  },
  () => 'Transferred.',
);

/** A tool without resolvers. */
export const ping = defineTool('ping', { description: 'Answers.' }, () => 'pong');

const TripArguments = z.object({ city: z.string(), days: z.string().optional() });
const season = resolver({ city: argsOf(TripArguments).city }, () => 'spring');

/** A prompt. */
export const planTrip = definePrompt(
  'plan_trip',
  { description: 'Plans a trip.', argsSchema: TripArguments, resolve: { season } },
  ({ city, season: when }) => `Plan a trip to ${city} in ${when}.`,
);

const reader = resolver({}, () => 'me');

/** A resource with a template. */
export const note = defineResource(
  'note',
  new ResourceTemplate('notes://{folder}/{+path*}', { list: undefined }),
  { resolve: { reader } },
  ({ folder }) => `A note in ${String(folder)}.`,
);

/** Creates a tool with three chains of ten resolvers, and a resolver that needs two of them. */
export function thirty(): Tool {
  const input = z.object({ start: z.string(), flavour: z.string() });
  const { start, flavour } = argsOf(input);
  const chains = ['fetch', 'price', 'check'].map((chain, chainIndex) => {
    const made: AnyResolver[] = [];
    for (let step = 0; step < 10; step += 1) {
      const before = made.at(-1);
      const skipped = step % 4 === 3 ? made[step - 3] : undefined;
      const needs: Record<string, Need> = {
        ...(before === undefined ? { start } : { before }),
        ...(skipped !== undefined && { earlier: skipped }),
        ...(step === 2 && { flavour }),
      };
      const asks = step === 4 + chainIndex ? ({ asks: 'form' } as const) : {};
      made.push(resolver(needs, (): unknown => step, { name: `${chain}_${step}`, ...asks }));
    }
    return made;
  });
  const [fetches = [], prices = [], checks = []] = chains;
  const bridge = resolver({ price: prices[5]!, fetched: fetches[6]! }, () => 1, { name: 'bridge' });
  return defineTool(
    'thirty_resolvers',
    {
      description: 'Three chains of ten resolvers, and a bridge between two of them.',
      inputSchema: input,
      resolve: { fetched: fetches[9]!, price: prices[9]!, checked: checks[9]!, bridge },
    },
    () => 'done',
  );
}

/** The resolvers that a resolver needs, by the shape of the graph: the indices of earlier ones. */
const SHAPES = {
  chain: (index: number) => [index - 1],
  fan: (index: number, count: number) => (index === count - 1 ? [...Array(index).keys()] : []),
  tree: (index: number) => [index - 1, (index - 1) >> 1],
};

/** Creates a tool with resolvers that depend on each other in a given shape. */
export function shaped(shape: keyof typeof SHAPES, count: number): Tool {
  const inputSchema = z.object({ order_id: z.string(), reason: z.string() });
  const { order_id, reason } = argsOf(inputSchema);
  const made: AnyResolver[] = [];
  for (let index = 0; index < count; index += 1) {
    const before = SHAPES[shape](index, count).filter((one) => one >= 0);
    const needs: Record<string, Need> = {
      ...(before.length === 0 && { order_id }),
      ...(index % 5 === 4 && { reason }),
      ...Object.fromEntries(before.map((one) => [`value_${one}`, made[one]!])),
    };
    const asks = index % 2 === 1 ? ({ asks: 'form' } as const) : {};
    made.push(resolver(needs, (): unknown => index, { name: `resolver_${index}`, ...asks }));
  }
  return defineTool(shape, { inputSchema, resolve: { last: made.at(-1)! } }, () => 'done');
}

const Unwieldy = z.object({
  '<script>&"\'': z.string(),
  an_argument_whose_name_goes_on_and_on_because_its_author_wanted_it_to_say_everything: z.string(),
  اسم_المستخدم: z.string(),
  商品番号: z.enum(['<一>', '二&二', '"三"']),
});
const odd = argsOf(Unwieldy);
const markup = resolver({ '<b>': odd['<script>&"\''] }, () => 1, { name: '<&"\'>]]>`#quot;' });
const long = resolver(
  {
    a_parameter_whose_name_goes_on_and_on_and_on_and_on_and_on:
      odd.an_argument_whose_name_goes_on_and_on_because_its_author_wanted_it_to_say_everything,
    '<b>': markup,
  },
  (): unknown => 1,
  {
    name: 'a_resolver_with_a_name_so_long_that_it_takes_several_lines_in_any_picture_of_a_reasonable_width',
    asks: z.object({
      first_field_of_a_form_with_long_names: z.string(),
      second_field_of_a_form_with_long_names: z.string(),
      third_field: z.string(),
    }),
  },
);
const hebrew = resolver({ שם: odd.اسم_المستخدم }, (): unknown => true, {
  name: 'הרשאת_משתמש',
  asks: 'form',
});
const chinese = resolver({ 编号: odd.商品番号, 授权: hebrew }, (): unknown => 1, {
  name: '確認済みの注文金額',
  asks: 'sample',
});

/** A tool with long names, names that contain markup, and names in other scripts. */
export const unwieldy = defineTool(
  'tool <&"\'> ملف 商品',
  {
    description:
      'A <description> with "quotes" & ampersands,\nin two lines, שני כיוונים and 各種文字, which is long enough to be wrapped when there is not much room in the picture.',
    inputSchema: Unwieldy,
    guards: [hebrew],
    resolve: { long: outcome(long), 金額: chinese },
  },
  () => 'done',
);

/** Random names that a definition accepts. */
export const names: fc.Arbitrary<string> = fc
  .string({ minLength: 1, maxLength: 30, unit: 'binary' })
  .filter((name) => name !== '__proto__');

/** Creates a tool that uses one name for everything in it. */
export function toolNamed(name: string, description: string): Tool {
  const inputSchema = z.object({ [name]: z.string() });
  const asks = z.object({ [name]: z.string() });
  const filler = resolver({ [name]: arg<string>(name) }, (): unknown => true, { name, asks });
  const other = resolver({ [name]: outcome(filler) }, () => 1, { name });
  return defineTool(
    name,
    { description, inputSchema, guards: [filler], resolve: { [`${name}!`]: other } },
    () => 'done',
  );
}
