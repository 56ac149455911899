/** Tests `--interactive` of the supplier payment, with a reader who approves on the page. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

import { bob } from '../../examples/supplier-payment/people.js';
import { Browser } from '../../examples/supplier-payment/visit.js';
import { endProcess } from '../support/processTree.js';
import { ROOT } from './program.js';

it('prints the address of the page, and pays once a reader has approved', async () => {
  const program = 'examples/supplier-payment/client.ts';
  const child = spawn(process.execPath, ['--import', 'tsx', program, '--interactive'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const lineWith = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const next = await lines.next();
      if (next.done === true) throw new Error(`the program ended before it printed ${pattern}`);
      const [, found] = pattern.exec(next.value) ?? [];
      if (found !== undefined) return found;
    }
  };
  try {
    const page = await lineWith(/^The page of the treasury: (http\S+)$/);
    const id = await lineWith(/waits for approval (AP-\S+) by/);
    const browser = await Browser.of(bob, page);
    await browser.decide(`${page}/${id}`, 'approve', 'fine');
    expect(await lineWith(/ paid {2}(.*)$/)).toContain('"approved_by":["bob"]');
  } finally {
    await endProcess(child, 'SIGKILL');
  }
}, 60_000);

it('shows a hint after a wrong password, and never sends a visitor to another site', async () => {
  const { openPayments } = await import('../../examples/supplier-payment/server.js');
  const { url, close } = await openPayments();
  const signIn = async (to: string, password: string): Promise<Response> =>
    fetch(new URL(`/sign-in?to=${encodeURIComponent(to)}`, url), {
      method: 'POST',
      headers: { origin: url.origin },
      body: new URLSearchParams({ name: 'bob', password }),
      redirect: 'manual',
    });
  const wrong = await signIn('/approvals', 'guess');
  expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([403, null]);
  for (const to of ['//evil.example', 'https://evil.example/approvals', '/approvals/../x', ''])
    expect((await signIn(to, bob.password)).headers.get('location')).toBe('/approvals');
  const right = await signIn('/approvals/AP-1', bob.password);
  expect(right.headers.get('location')).toBe('/approvals/AP-1');
  expect(right.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax$/);
  await close();
});
