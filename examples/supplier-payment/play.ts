/**
 * Makes a payment for you to approve. It prints the address of the page, makes the same call again
 * every two seconds until somebody has decided, and then makes the next payment. Ctrl-C ends it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { connect, type Story } from '../support/connect.js';
import { bold, green, printLabelled, red } from '../support/terminal.js';

const POLL_MS = 2000;

/** Plays until the process ends. */
export async function playWithYou(story: Story): Promise<void> {
  const boolean = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ options: { interactive: boolean, legacy: boolean } });
  const { call } = await connect(story, { via: 'http', legacy: values.legacy });
  console.log(`The page of the treasury: ${bold((await call('where_to_approve', {})).text)}`);
  console.log('Sign in as bob (bob-demo) or carol (carol-demo). Ctrl-C ends the program.');
  for (let payment = 1; ; payment += 1) {
    const args = { invoice: payment % 2 === 1 ? 'INV-17' : 'INV-18', note: `payment ${payment}` };
    printLabelled('model', `pay_supplier ${JSON.stringify(args)}`);
    let answer = await call('pay_supplier', args);
    printLabelled('waits', answer.text);
    while (answer.text.includes('waits for approval')) {
      await delay(POLL_MS);
      answer = await call('pay_supplier', args);
    }
    printLabelled(answer.isError ? 'denied' : 'paid', answer.text, answer.isError ? red : green);
  }
}
