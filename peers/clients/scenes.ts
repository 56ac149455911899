/** The scenes that every client runs: a call, its questions with their answers, and its end. */
import type { Ending, Question, Reply } from './adapter.js';

export interface Scene {
  /** A phrase with the client as its subject. */
  title: string;
  story: 'refundDesk' | 'kitchen';
  tool: string;
  args: Record<string, unknown>;
  /** The questions of each round, with the user's replies. */
  rounds: (readonly [Question, Reply])[][];
  /** The end of the call. */
  ends: Ending;
  /** The end for a client that cannot answer the questions. */
  unasked: Ending | { refused: string };
}

const accept = (content: Record<string, string | number | boolean>): Reply => ({
  action: 'accept',
  content,
});
const decline: Reply = { action: 'decline' };
const cancel: Reply = { action: 'cancel' };

const text = (text: string): Ending => ({ text, isError: false });
const error = (text: string): Ending => ({ text, isError: true });
const refused = (kind: string, resolver: string): { refused: string } => ({
  refused: `Client did not declare the ${kind} elicitation capability required by resolver '${resolver}'`,
});

const object = (properties: Record<string, unknown>, required: string[]): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties,
  required,
});

const scope: Question = {
  message:
    'ORD-7002 has several items (enamel-mug, canvas-tote, sticker-pack). Refund the whole order, or one SKU?',
  schema: object({ full: { type: 'boolean' }, sku: { type: 'string', default: '' } }, ['full']),
};
const restock = (items: string): Question => ({
  message: `The refund includes physical items (${items}). Return them to stock?`,
  schema: object({ restock: { type: 'boolean' } }, ['restock']),
});

const dish: Question = {
  message: 'What do the 2 of you eat?',
  schema: object(
    {
      dish: { type: 'string', enum: ['soup', 'pie'] },
      portions: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
    },
    ['dish'],
  ),
};
const drink: Question = {
  message: 'And what do the 2 of you drink?',
  schema: object({ drink: { type: 'string', minLength: 2 }, ice: { type: 'boolean' } }, [
    'drink',
    'ice',
  ]),
};
const approval: Question = {
  message: 'Serve 2 pie with tea?',
  schema: {
    type: 'object',
    properties: { confirm: { type: 'boolean' } },
    required: ['confirm'],
  },
};
const bill: Question = {
  message: 'Please pay on our page.',
  url: 'https://kitchen.example/bill?guests=2',
};
const place: Question = {
  message: 'Where would you like to sit?',
  schema: object({ place: { type: 'string', enum: ['inside', 'garden'] } }, ['place']),
};

const refund = (
  order_id: string,
  reason: string,
): Pick<Scene, 'story' | 'tool' | 'args' | 'unasked'> => ({
  story: 'refundDesk',
  tool: 'refund_order',
  args: { order_id, reason },
  unasked: refused('form', 'scope'),
});
const receipt = (reason: string, refunded_cents: number, restocked: boolean): Ending =>
  text(JSON.stringify({ order_id: 'ORD-7002', refunded_cents, restocked, reason }));
const noRefund = (why: string): Ending => error(`Error executing tool refund_order: ${why}`);

const ofTwo = { story: 'kitchen', args: { guests: 2 } } as const;
const dinner = { ...ofTwo, tool: 'order_dinner', unasked: refused('form', 'dish') } as const;
const chosen = [
  [dish, accept({ dish: 'pie', portions: 2 })],
  [drink, accept({ drink: 'tea', ice: false })],
] as const;

export const scenes: Scene[] = [
  {
    title: 'receives no question for an unknown order',
    ...refund('ORD-9999', 'typo'),
    rounds: [],
    ends: noRefund("unknown order 'ORD-9999'"),
    unasked: noRefund("unknown order 'ORD-9999'"),
  },
  {
    title: 'answers two dependent questions and receives the receipt',
    ...refund('ORD-7002', 'arrived broken'),
    rounds: [
      [[scope, accept({ full: true })]],
      [[restock('enamel-mug, canvas-tote'), accept({ restock: true })]],
    ],
    ends: receipt('arrived broken', 4800, true),
  },
  {
    title: 'declines an optional question and receives the receipt',
    ...refund('ORD-7002', 'wrong colour'),
    rounds: [
      [[scope, accept({ full: false, sku: 'canvas-tote' })]],
      [[restock('canvas-tote'), decline]],
    ],
    ends: receipt('wrong colour', 2400, false),
  },
  {
    title: 'receives an error for an answer that contradicts the records',
    ...refund('ORD-7002', 'lost parcel'),
    rounds: [[[scope, accept({ full: false, sku: 'mystery-hat' })]]],
    ends: noRefund("order has no item 'mystery-hat'"),
  },
  {
    title: 'declines a required question and ends the call',
    ...refund('ORD-7002', 'changed mind'),
    rounds: [[[scope, decline]]],
    ends: noRefund("Resolver for parameter 'scope' could not resolve: elicitation was decline"),
  },
  {
    title: 'cancels a required question and ends the call',
    ...refund('ORD-7002', 'closed the window'),
    rounds: [[[scope, cancel]]],
    ends: noRefund("Resolver for parameter 'scope' could not resolve: elicitation was cancel"),
  },
  {
    title: 'answers two questions of one round, and then one that depends on both',
    ...dinner,
    rounds: [[...chosen], [[approval, accept({ confirm: true })]]],
    ends: text('2 pie and tea without ice for 2.'),
  },
  {
    title: 'answers the last question with false and ends the call',
    ...dinner,
    rounds: [[...chosen], [[approval, accept({ confirm: false })]]],
    ends: error(
      "Error executing tool order_dinner: Resolver for parameter 'approved' could not resolve: elicitation was decline",
    ),
  },
  {
    title: 'opens a link, and the call continues',
    ...ofTwo,
    tool: 'pay_bill',
    rounds: [[[bill, { action: 'accept' }]]],
    ends: text('Paid for 2.'),
    unasked: refused('url', 'payment'),
  },
  {
    title: 'does not open a link, and the call ends',
    ...ofTwo,
    tool: 'pay_bill',
    rounds: [[[bill, cancel]]],
    ends: error(
      "Error executing tool pay_bill: Resolver for parameter 'payment' could not resolve: elicitation was cancel",
    ),
    unasked: refused('url', 'payment'),
  },
  {
    title: 'answers a question that has a fallback',
    ...ofTwo,
    tool: 'find_table',
    rounds: [[[place, accept({ place: 'garden' })]]],
    ends: text('A table for 2, garden.'),
    unasked: text('A table for 2, inside.'),
  },
];
