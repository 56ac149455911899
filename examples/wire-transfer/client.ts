/**
 * A price that moves while a person thinks, an approval that is sent again and again, a no that
 * somebody wants to turn into a yes, and a server that is killed in the middle of a transfer.
 */
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client';

import { type Form, textOf } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { tellOfCrashes } from './crash.js';
import { buildServer } from './server.js';
import { agreed, begin, chargedOn, ordersOf, priceIn, transferTo } from './transfer.js';

const forms: Form[] = [];
const person = (form: Form): ElicitResult => {
  forms.push(form);
  return agreed;
};

const DECLINED =
  "Error executing tool wire_transfer: Resolver for parameter 'approval' could not resolve: elicitation was decline";

const story = { server: new URL('server.ts', import.meta.url), buildServer, person };
await runStory(story, async (telling) => {
  const { client, call, check, legacy } = telling;

  const first = transferTo('Acme');
  const paid = await call('wire_transfer', first);
  const price = priceIn(forms[0]!.message);
  check('a person sees the price, once', [forms.length, price > 0], [1, true]);
  const [order, ...more] = await ordersOf(telling, first);
  check('the bank gets one order, at that price', [order!.charged_cents, more], [price, []]);
  const receipt = { order: order!.number, charged_cents: price };
  check('and that is what the receipt says', paid.structured, receipt);

  const second = transferTo('Acme');
  await call('wire_transfer', second);
  const [next] = await ordersOf(telling, second);
  const keys = new Set([order!.idempotency_key, next!.idempotency_key]);
  check('the next call sends another order, under another key', keys.size, 2);
  if (legacy) {
    check('a call is one round', paid.rounds, [1]);
    console.log('In the 2025 era no token leaves the server that could be sent again.');
    return;
  }
  check('a call is two rounds', paid.rounds, [1, 0]);

  const early = await begin(client, 'Acme');
  const late = await begin(client, 'Acme');
  check('the rate moves while a person thinks', early.price < late.price, true);
  check('the price that was shown stays', chargedOn(await early.yes()), early.price);

  const eager = await begin(client, 'Acme');
  const receipts = await Promise.all(Array.from({ length: 10 }, () => eager.yes()));
  check('ten approvals at once get one receipt', different(receipts), 1);
  check('with the price that was shown', chargedOn(receipts[0]!), eager.price);
  for (let again = 1; again <= 10; again += 1) receipts.push(await eager.yes());
  check('ten more, one after the other, get it too', different(receipts), 1);
  check('and so does a no that comes too late', different([...receipts, await eager.no()]), 1);
  check('the bank has one order', (await ordersOf(telling, eager)).length, 1);

  const declined = await begin(client, 'Acme');
  const refusal = await declined.no();
  check('a no ends the call', textOf(refusal), DECLINED);
  check('no yes brings it back', different([refusal, await declined.yes()]), 1);
  check('the bank has no order', await ordersOf(telling, declined), []);

  await tellOfCrashes(telling);
});

/** How many different results there are, byte by byte. */
function different(results: CallToolResult[]): number {
  return new Set(results.map((result) => JSON.stringify(result))).size;
}
