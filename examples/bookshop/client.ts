/** Checks the results, the questions and the number of inventory lookups. */
import type { ElicitResult } from '@modelcontextprotocol/client';

import { accept, type Answer, cancel, decline } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { buildServer } from './server.js';

const messages: string[] = [];
let answer = cancel;

const story = {
  server: new URL('server.ts', import.meta.url),
  buildServer,
  onForm: ({ message }: { message: string }): ElicitResult => {
    messages.push(message);
    return answer;
  },
};

await runStory(story, async ({ client, call, check, legacy }) => {
  const lookups = async (): Promise<number> => Number((await call('count_lookups', {})).text);
  const order = (title: string, reply: ElicitResult): Promise<Answer> => {
    answer = reply;
    return call('order_book', { title });
  };

  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools.filter(({ name }) => name.endsWith('_book'))) {
    check(`the model sees one argument of ${name}`, Object.keys(inputSchema.properties!), [
      'title',
    ]);
  }

  const dune = await call('reserve_book', { title: 'Dune' });
  check('the stock comes from the inventory', dune.text, "Reserved 'Dune' (6 copies left).");
  const forged = await call('reserve_book', { title: 'Neuromancer', stock: { copies: 99 } });
  check('and not from the caller', forged.text, "'Neuromancer' is out of stock.");

  let before = await lookups();
  const inStock = await order('Dune', cancel);
  check('the tool orders a book in stock', inStock.text, "Ordered 'Dune'; it arrives tomorrow.");
  check('without a question', [inStock.rounds, messages], [[0], []]);
  check('one lookup fills three parameters', (await lookups()) - before, 1);

  before = await lookups();
  const waiting = await order('Neuromancer', accept({ confirm: true }));
  const backordered = "Backordered 'Neuromancer'; it ships in 2-3 weeks.";
  check('the tool orders a book out of stock after an approval', waiting.text, backordered);
  check('of one question', messages, ["'Neuromancer' is out of stock (2-3 weeks). Order anyway?"]);
  const lookupsNow = (await lookups()) - before;
  if (legacy) check('one round takes one lookup', [waiting.rounds, lookupsNow], [[1], 1]);
  else check('each round takes one lookup', [waiting.rounds, lookupsNow], [[1, 0], 2]);

  const unticked = await order('Neuromancer', accept({ confirm: false }));
  const noOrder = [false, 'No order placed.'];
  check('an unticked box is an answer', [unticked.isError, unticked.text], noOrder);

  const prefix =
    "Error executing tool order_book: Resolver for parameter 'backorder' could not resolve";
  for (const reply of [decline, cancel]) {
    const { isError, text } = await order('Neuromancer', reply);
    const expected = `${prefix}: elicitation was ${reply.action}`;
    check(`${reply.action} ends the call`, [isError, text], [true, expected]);
  }
});
