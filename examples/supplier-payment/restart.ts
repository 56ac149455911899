/**
 * Checks a restart between two decisions on a large payment, which needs two persons.
 *
 * With REDIS_URL or DATABASE_URL the request survives. In memory it is lost, and so is the first
 * decision: the call asks for both again.
 */
import { randomUUID } from 'node:crypto';

import type { Connection } from '../support/connect.js';
import type { StoryRun } from '../support/story.js';
import { approvalsIn, paymentsWith } from './payment.js';
import { bob, carol, type Person } from './people.js';
import { Browser } from './visit.js';

/** Checks a payment whose server starts again while it waits. */
export async function checkRestart({ check, inNewProcess }: StoryRun): Promise<void> {
  if (inNewProcess === undefined) {
    console.log('Leave out --url and --command to check a restart as well.');
    return;
  }
  const steel = { invoice: 'INV-18', note: `steel for the roof, ${randomUUID()}` };
  const before = await inNewProcess({}, async (connection) => {
    const { requests } = await approvalsIn(connection.client, steel);
    return { id: requests[0]?.id, note: await decideAs(bob, connection, requests[0]?.id) };
  });
  check(
    'a large payment waits for a second person',
    before.note,
    'You approved the request. It waits for more approvers.',
  );

  const after = await inNewProcess({}, async (connection) => {
    const { requests } = await approvalsIn(connection.client, steel);
    const [request] = requests;
    if (request?.id !== before.id) await decideAs(bob, connection, request?.id);
    await decideAs(carol, connection, request?.id);
    await connection.call('pay_supplier', steel);
    return { request, payments: await paymentsWith(connection, steel.note) };
  });
  const survives = process.env.REDIS_URL !== undefined || process.env.DATABASE_URL !== undefined;
  check(
    survives
      ? 'after a restart, the call finds its request and the first approval'
      : 'after a restart, a request in memory is lost, and the call makes a new one',
    [after.request?.id === before.id, after.request?.given],
    survives ? [true, 1] : [false, 0],
  );
  check(
    'the second person lets it run',
    after.payments.map((payment) => payment.approved_by),
    [['bob', 'carol']],
  );
}

async function decideAs(person: Person, { call }: Connection, id = ''): Promise<string> {
  const page = (await call('where_to_approve', {})).text;
  const browser = await Browser.of(person, page);
  return (await browser.decide(`${page}/${id}`, 'approve')).note;
}
