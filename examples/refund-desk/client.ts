/** Checks six refunds with a scripted user: each result, and the number of questions. */
import type { ElicitResult } from '@modelcontextprotocol/client';

import type { Form } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { type Refund, refunds, topicOf } from './script.js';
import { buildServer } from './server.js';

const asked = { scope: 0, restock: 0 };
const messages: string[] = [];
let answers: Refund['answers'] = {};
let rounds: number[] = [];

function onForm(form: Form): ElicitResult {
  const topic = topicOf(form);
  asked[topic] += 1;
  messages.push(form.message);
  const answer = answers[topic];
  if (answer === undefined) throw new Error(`unexpected question '${form.message}'`);
  return answer;
}

const server = new URL('server.ts', import.meta.url);
await runStory({ server, buildServer, onForm }, async ({ client, call, check, legacy }) => {
  const refund = async ({ order_id, reason, ...script }: Refund): Promise<unknown> => {
    answers = script.answers;
    const answer = await call('refund_order', { order_id, reason });
    rounds = answer.rounds;
    return answer.isError ? answer.text : answer.structured;
  };
  const receipt = ({ order_id, reason }: Refund, cents: number, restocked: boolean): unknown => {
    return { order_id, refunded_cents: cents, restocked, reason };
  };
  const error = (message: string): string => `Error executing tool refund_order: ${message}`;

  const { tools } = await client.listTools();
  const { properties, required } = tools[0]!.inputSchema;
  check('the desk has one tool', [tools.length, tools[0]!.name], [1, 'refund_order']);
  check('the model sees two arguments', Object.keys(properties!), ['order_id', 'reason']);
  check('both are required', required, ['order_id', 'reason']);

  const { corrupted, broken, wrongColour, lost, changedMind, typo } = refunds;
  check('one item is refunded', await refund(corrupted), receipt(corrupted, 1500, false));
  check('in one round, without a question', [rounds, asked], [[0], { scope: 0, restock: 0 }]);

  check('three items are refunded', await refund(broken), receipt(broken, 4800, true));
  check('after two questions', messages, [
    'ORD-7002 has several items (enamel-mug, canvas-tote, sticker-pack). Refund the whole order, or one SKU?',
    'The refund includes physical items (enamel-mug, canvas-tote). Return them to stock?',
  ]);
  if (legacy) check('the server asks both during one request', rounds, [2]);
  else check('in one round each, and a third round finishes', rounds, [1, 1, 0]);
  check('two resolvers share the question', asked, { scope: 1, restock: 1 });

  const noRestock = receipt(wrongColour, 2400, false);
  check('the user can decline to restock', await refund(wrongColour), noRestock);
  check('the next call asks again', asked, { scope: 2, restock: 2 });

  const noItem = error("order has no item 'mystery-hat'");
  check('an item of another order is not refunded', await refund(lost), noItem);
  check('and the second question is not asked', asked, { scope: 3, restock: 2 });

  const declined = "Resolver for parameter 'scope' could not resolve: elicitation was decline";
  check('a declined scope ends the call', await refund(changedMind), error(declined));
  check('before the second question', asked, { scope: 4, restock: 2 });

  check('an unknown order is not refunded', await refund(typo), error("unknown order 'ORD-9999'"));
  check('six calls asked six questions', asked, { scope: 4, restock: 2 });
});
