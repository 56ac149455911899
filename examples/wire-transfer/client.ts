/**
 * Checks a price that changes while the user decides, an approval that is sent many times, an
 * approval after a decline, and a server that crashes during a transfer.
 */
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client';

import type { Form } from '../support/connect.js';
import { textOf } from '../support/results.js';
import { runStory } from '../support/story.js';
import { checkCrashes } from './crash.js';
import { buildServer } from './server.js';
import { approval, begin, chargedOn, ordersOf, priceIn, transferTo } from './transfer.js';

const forms: Form[] = [];
const onForm = (form: Form): ElicitResult => {
  forms.push(form);
  return approval;
};

const DECLINED =
  "Error executing tool wire_transfer: Resolver for parameter 'approval' could not resolve: elicitation was decline";

const story = { server: new URL('server.ts', import.meta.url), buildServer, onForm };
await runStory(story, async (run) => {
  const { client, call, check, legacy } = run;

  const first = transferTo('Acme');
  const paid = await call('wire_transfer', first);
  const price = priceIn(forms[0]!.message);
  check('the user sees one question with the price', [forms.length, price > 0], [1, true]);
  const [order, ...more] = await ordersOf(run, first);
  check('the bank receives one order at that price', [order!.charged_cents, more], [price, []]);
  const receipt = { order: order!.number, charged_cents: price };
  check('the receipt shows that order and that price', paid.structured, receipt);

  const second = transferTo('Acme');
  await call('wire_transfer', second);
  const [next] = await ordersOf(run, second);
  const keys = new Set([order!.idempotency_key, next!.idempotency_key]);
  check('the next call has another idempotency key', keys.size, 2);
  if (legacy) {
    check('the call takes one round', paid.rounds, [1]);
    console.log('A legacy client never receives a token, so it cannot send an approval again.');
    return;
  }
  check('the call takes two rounds', paid.rounds, [1, 0]);

  const early = await begin(client, 'Acme');
  const late = await begin(client, 'Acme');
  check('the rate changes while the user decides', early.price < late.price, true);
  check('the user pays the price in the question', chargedOn(await early.approve()), early.price);

  const eager = await begin(client, 'Acme');
  const receipts = await Promise.all(Array.from({ length: 10 }, () => eager.approve()));
  check('ten approvals at once receive one receipt', different(receipts), 1);
  check('with the price in the question', chargedOn(receipts[0]!), eager.price);
  for (let again = 1; again <= 10; again += 1) receipts.push(await eager.approve());
  check('ten later approvals receive the same receipt', different(receipts), 1);
  check('and so does a later decline', different([...receipts, await eager.decline()]), 1);
  check('the bank has one order', (await ordersOf(run, eager)).length, 1);

  const declined = await begin(client, 'Acme');
  const refusal = await declined.decline();
  check('a decline ends the call', textOf(refusal), DECLINED);
  check(
    'a later approval receives the same error',
    different([refusal, await declined.approve()]),
    1,
  );
  check('the bank has no order', await ordersOf(run, declined), []);

  await checkCrashes(run);
});

/** Returns the number of different results. */
function different(results: CallToolResult[]): number {
  return new Set(results.map((result) => JSON.stringify(result))).size;
}
