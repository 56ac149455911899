/** Three clients at the desk: one can be asked everything, one nothing, one has a model only. */
import { refusalOf } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { asked, asks, halfAsked, unasked } from './script.js';
import { buildServer } from './server.js';
import { makeTraveller } from './traveller.js';

const traveller = makeTraveller();
const { readDiary } = traveller;
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
  check('a trip is booked', booked.text, asked.booked);
  const { travel, rules, sight, roots, approval } = asks;
  check('after questions of four kinds', readDiary(), [travel, rules, sight, roots, approval]);
  if (legacy) check('all in the middle of one call', booked.rounds, [5]);
  else check('four in one round, and one that depends on them', booked.rounds, [4, 1, 0]);

  check('it can be rated', (await call('rate_trip', lisbon)).text, asked.rating);
  check('by the traveller', readDiary(), ['form: How was Lisbon?']);

  traveller.willing = false;
  const refused = await call('book_trip', lisbon);
  check('a link may stay closed', readDiary(), [travel, rules, sight, roots, approval]);
  check('without a yes nothing is booked', refused.text, asked.refused);

  const planned = await prompt('plan_trip', lisbon);
  check('a prompt rests on the same answers', planned.text, asked.plan);
  check('to the same questions', readDiary(), [travel, sight]);
  check('which come as in a call', planned.rounds, legacy ? [2] : [2, 0]);
  const ref = { type: 'ref/prompt', name: 'plan_trip' } as const;
  const typed = await client.complete({ ref, argument: { name: 'city', value: 'ky' } });
  check('its argument is completed', typed.completion.values, ['Kyoto']);

  const known = await read(notes);
  check('a resource rests on them too', known.text, asked.notes);
  check('and asks for what it needs', [readDiary(), known.rounds[0]], [[sight], 1]);

  await withClient({}, async (silent) => {
    const visible = (await silent.client.listTools()).tools.map(({ name }) => name);
    check('who cannot be asked sees no rate_trip', visible, ['book_trip', 'hold_trip']);
    const rated = await refusalOf(silent.call('rate_trip', lisbon));
    check('and cannot call it', rated, [-32021, unasked.rating]);

    const advised = await silent.call('book_trip', lisbon);
    check('a booking ends with advice', [advised.isError, advised.text], [true, unasked.advice]);
    const held = await silent.call('hold_trip', lisbon);
    check('which the model can take', held.text, unasked.held);
    const planned = await silent.prompt('plan_trip', lisbon);
    check('the prompt has what the desk knows', planned.text, unasked.plan);
    check('and the resource', (await silent.read(notes)).text, unasked.notes);
  });

  await withClient({ model: traveller.model }, async (withModel) => {
    const planned = await withModel.prompt('plan_trip', lisbon);
    check('who has a model only gets by for the rest', planned.text, halfAsked.plan);
    check('and is asked what it can answer', readDiary(), [sight]);
  });
});
