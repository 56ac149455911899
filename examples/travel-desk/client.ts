/** Checks three clients: one answers everything, one cannot ask, and one has only a model. */
import { refusalOf } from '../support/results.js';
import { runStory } from '../support/story.js';
import { asked, asks, halfAsked, unasked } from './script.js';
import { buildServer } from './server.js';
import { makeTraveller } from './traveller.js';

const traveller = makeTraveller();
const { readLog } = traveller;
const lisbon = { city: 'Lisbon' };
const notes = 'trips://notes/Lisbon';

const story = { server: new URL('server.ts', import.meta.url), buildServer, ...traveller };
await runStory(story, async ({ client, call, prompt, read, check, legacy, withClient }) => {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  check('the desk has three tools', names, ['book_trip', 'hold_trip', 'rate_trip']);
  const inputs = tools.map(({ inputSchema }) => Object.keys(inputSchema.properties!));
  check('the model sees one argument of each', inputs, [['city'], ['city'], ['city']]);

  const booked = await call('book_trip', lisbon);
  check('the tool books a trip', booked.text, asked.booked);
  const { travel, rules, sight, roots, approval } = asks;
  check('after questions of four kinds', readLog(), [travel, rules, sight, roots, approval]);
  if (legacy) check('all during one request', booked.rounds, [5]);
  else check('four in one round, and the dependent one in the next', booked.rounds, [4, 1, 0]);

  check('the traveller rates it', (await call('rate_trip', lisbon)).text, asked.rating);
  check('in a form', readLog(), ['form: How was Lisbon?']);

  traveller.willing = false;
  const refused = await call('book_trip', lisbon);
  check('the traveller leaves the link closed and declines', readLog(), [
    travel,
    rules,
    sight,
    roots,
    approval,
  ]);
  check('without an approval the tool books nothing', refused.text, asked.refused);

  const planned = await prompt('plan_trip', lisbon);
  check('a prompt uses the same resolvers', planned.text, asked.plan);
  check('and asks the questions that it needs', readLog(), [travel, sight]);
  check('in rounds like a tool', planned.rounds, legacy ? [2] : [2, 0]);
  const ref = { type: 'ref/prompt', name: 'plan_trip' } as const;
  const typed = await client.complete({ ref, argument: { name: 'city', value: 'ky' } });
  check('the server completes its argument', typed.completion.values, ['Kyoto']);

  const known = await read(notes);
  check('a resource uses them too', known.text, asked.notes);
  check('and asks the question that it needs', [readLog(), known.rounds[0]], [[sight], 1]);

  await withClient({}, async (silent) => {
    const visible = (await silent.client.listTools()).tools.map(({ name }) => name);
    check('a client that cannot ask does not see rate_trip', visible, ['book_trip', 'hold_trip']);
    const rated = await refusalOf(silent.call('rate_trip', lisbon));
    check('and cannot call it', rated, [-32021, unasked.rating]);

    const advised = await silent.call('book_trip', lisbon);
    check('book_trip returns advice', [advised.isError, advised.text], [true, unasked.advice]);
    const held = await silent.call('hold_trip', lisbon);
    check('which the model can follow', held.text, unasked.held);
    const planned = await silent.prompt('plan_trip', lisbon);
    check('the prompt uses the fallbacks', planned.text, unasked.plan);
    check('and so does the resource', (await silent.read(notes)).text, unasked.notes);
  });

  await withClient({ onSample: traveller.onSample }, async (withModel) => {
    const planned = await withModel.prompt('plan_trip', lisbon);
    check('a client with only a model gets the other fallbacks', planned.text, halfAsked.plan);
    check('and its model is asked', readLog(), [sight]);
  });
});
