/**
 * Ann's assistant pays two invoices. Bob and Carol decide on the page of the treasury, and Ann
 * tries to. Between two decisions, the server starts again.
 *
 * With `--interactive`, you are Bob and Carol, in your own browser.
 */
import { randomUUID } from 'node:crypto';

import { runStory } from '../support/story.js';
import { ann, bob, TOKEN_OF_ANN } from './people.js';
import { playWithYou } from './play.js';
import { checkRestart } from './restart.js';
import { AGAIN, approvalsIn, paymentsWith } from './payment.js';
import { openPayments } from './server.js';
import { Browser } from './visit.js';

const story = {
  server: new URL('server.ts', import.meta.url),
  openHttp: openPayments,
  overStdio: true,
  token: TOKEN_OF_ANN,
};

if (process.argv.includes('--interactive')) await playWithYou(story);
else
  await runStory(story, async (run) => {
    const { call, check, client } = run;
    const page = (await call('where_to_approve', {})).text;
    const paper = { invoice: 'INV-17', note: `paper for May, ${randomUUID()}` };
    const iban = 'DE02 1203 0000 0000 2020 51';
    const pay = (): Promise<unknown> => call('pay_supplier', paper);

    const first = await call('pay_supplier', paper);
    const [id, by] = /approval (AP-\S+) by (\S+)/.exec(first.text)?.slice(1) ?? [];
    check(
      'the call ends, and names who has to approve',
      [first.isError, by],
      [true, 'acme/treasury'],
    );
    check('and tells the model to call again later', first.text.endsWith(AGAIN), true);
    const waiting = await approvalsIn(client, paper);
    check(
      'the same call finds the same request, and its _meta says so to programs',
      [waiting.state, waiting.requests.map((request) => request.id)],
      ['pending', [id]],
    );

    const request = `${page}/${id}`;
    const hers = await Browser.of(ann, page);
    check('the page shows ann nothing of it', (await hers.open(request)).status, 404);
    const his = await Browser.of(bob, page);
    const shown = await his.open(request);
    check(
      'bob sees what is paid, to which account, and the words of the assistant',
      [shown.title, shown.facts.slice(0, 3)],
      ['Pay 4900.00 EUR to Nordwind Paper', ['INV-17', iban, paper.note]],
    );
    await his.open(`${request}?verdict=approve`);
    check('a link decides nothing', (await approvalsIn(client, paper)).state, 'pending');

    const supplier = 'Nordwind Paper';
    await call('change_account', { supplier, iban: 'LT60 1010 0123 4567 8901' });
    const decided = await his.decide(request, 'approve', 'as agreed');
    check(
      'bob approves',
      decided.note,
      'You approved the request. The call runs when its user makes it again.',
    );
    await Promise.all([pay(), pay(), pay()]);
    const [payment, ...more] = await paymentsWith(run, paper.note);
    check(
      'three calls make one payment, approved by bob',
      [payment?.approved_by, more],
      [['bob'], []],
    );
    check(
      'to the account that bob saw, although the records have another one now',
      payment?.iban,
      iban,
    );
    await call('change_account', { supplier, iban });
    check('the approval is used', (await approvalsIn(client, paper)).state, 'used');

    const again = { ...paper, note: `${paper.note}, once more` };
    const another = await approvalsIn(client, again);
    const refused = await his.decide(`${page}/${another.requests[0]?.id}`, 'deny', 'paid already');
    check('bob denies the next one', refused.note, 'You denied the request.');
    const denial = await call('pay_supplier', again);
    check(
      'and the model reads why',
      denial.text.includes('The approver wrote: "paid already".'),
      true,
    );
    check('the bank has no such payment', await paymentsWith(run, again.note), []);

    await checkRestart(run);
  });
