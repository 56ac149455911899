/**
 * The page of approvals in a real browser, with several people who are signed in. With
 * SCREENSHOTS=<folder>, the tests save pictures of the page there.
 */
import path from 'node:path';
import { serve } from '@hono/node-server';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { approvalPage } from '../../src/approvals/page/approvalPage.js';
import type { ApprovalDesk } from '../../src/approvals/desk.js';
import { startChromium } from '../browser/chromium.js';
import { openOtherSite } from '../browser/otherSite.js';
import { requested, testDesk } from './callers.js';

const people: Readonly<Record<string, readonly string[]>> = {
  ann: ['acme/treasury'],
  bob: ['acme/treasury'],
  carol: ['acme/treasury', 'acme/legal'],
  mallory: ['acme/sales'],
};

const PAYMENT = {
  message: 'Pay a supplier',
  facts: {
    Amount: '4,900.00 EUR',
    'Pay to': 'Globex Logistics GmbH',
    IBAN: 'DE02 1203 0000 0000 2020 51',
    Invoice: 'INV-2026-0117',
  },
};

const HOSTILE = {
  message: 'Pay <b>nobody</b>\nApproved by the board',
  facts: {
    Amount: '49 EUR\u202E00.009,4',
    'Pay to': '</dd></dl><script>document.title="owned"</script><button>Approve</button>',
    Note: `${'ignore previous instructions '.repeat(60)}the end`,
    IBAN: 'x'.repeat(300),
  },
};

let chromium: Browser;
let closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chromium = await startChromium();
  return () => chromium.close();
});

afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

/** Serves the page of a desk, with the person of a cookie. */
async function open() {
  const { desk, clock } = testDesk();
  const page = approvalPage(desk, {
    at: '/approvals',
    signedIn: ({ headers }) => {
      const who = /who=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '';
      return { who, groups: people[who] ?? [] };
    },
  });
  const port = await new Promise<number>((resolve) => {
    const server = serve({ fetch: page, port: 0, hostname: '127.0.0.1' }, (info) => {
      resolve(info.port);
    });
    closing.push(
      () =>
        new Promise((closed) => {
          server.close(closed);
        }),
    );
  });
  return { desk, clock, home: `http://127.0.0.1:${port}/approvals` };
}

async function browserOf(who: string, home: string, options: BrowserContextOptions = {}) {
  const context = await chromium.newContext(options);
  closing.unshift(() => context.close());
  await context.addCookies([{ name: 'who', value: who, url: home }]);
  return context;
}

async function visit(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Opens the page as a person. */
const as = async (who: string, url: string, options?: BrowserContextOptions): Promise<Page> =>
  visit(await browserOf(who, new URL('/', url).href, options), url);

const stateOf = async (desk: ApprovalDesk, id: string) => (await desk.read(id))?.state;

const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined)
    await page.screenshot({ path: path.join(folder, `approvals-${name}.png`), fullPage: true });
};

describe('the page of approvals in a browser', () => {
  it('two people of a group approve, and a third cannot see the request', async () => {
    const { desk, home } = await open();
    const id = await requested(desk, { ...PAYMENT, quorum: 2 });
    const bob = await as('bob', home);
    await shot(bob, 'list');
    await bob.getByRole('link', { name: 'Pay a supplier' }).click();
    await shot(bob, 'request');
    await bob.getByRole('button', { name: 'Approve' }).click();
    await bob.getByRole('status').waitFor();
    expect(await bob.getByRole('status').textContent()).toContain('waits for more approvers');
    const carol = await as('carol', `${home}/${id}`);
    expect(await carol.getByText('1 of 2 approved').count()).toBe(1);
    await carol.getByLabel(/Comment/).fill('The order fits.');
    await carol.getByRole('button', { name: 'Approve' }).click();
    await carol.getByRole('status').waitFor();
    await shot(carol, 'approved');
    expect(await stateOf(desk, id)).toBe('approved');
    const mallory = await as('mallory', `${home}/${id}`);
    expect(await mallory.getByRole('heading').textContent()).toBe('Not found');
    await shot(mallory, 'not-found');
  });

  it('people of two groups see their own requests, and one denies with a comment', async () => {
    const { desk, home } = await open();
    await requested(desk, { message: 'Pay Globex', key: 'pay' });
    const id = await requested(desk, { message: 'Sign a contract', by: 'acme/legal', key: 'sign' });
    const bob = await as('bob', home);
    expect(await bob.getByRole('listitem').count()).toBe(1);
    const carol = await as('carol', home);
    expect(await carol.getByRole('listitem').count()).toBe(2);
    await carol.getByRole('link', { name: 'Sign a contract' }).click();
    await carol.getByLabel(/Comment/).fill('Clause 4\nis missing');
    await carol.getByRole('button', { name: 'Deny' }).click();
    await carol.getByRole('status').waitFor();
    await shot(carol, 'denied');
    const [decision] = (await desk.read(id))?.decisions ?? [];
    expect(decision).toMatchObject({
      who: 'carol',
      verdict: 'deny',
      comment: 'Clause 4\nis missing',
    });
    expect(await carol.getByRole('button').count()).toBe(0);
  });

  it('a request that changes while it is open is not decided', async () => {
    const { desk, home } = await open();
    const id = await requested(desk, { ...PAYMENT });
    const bob = await as('bob', `${home}/${id}`);
    const next = await requested(desk, { ...PAYMENT, facts: { Amount: '49,000.00 EUR' } });
    await bob.getByRole('button', { name: 'Approve' }).click();
    await bob.getByText('Nothing was decided').waitFor();
    expect((await desk.read(next))?.decisions).toEqual([]);
    await bob.getByRole('link', { name: 'What waits for you' }).click();
    await bob.getByRole('link', { name: 'Pay a supplier' }).click();
    expect(await bob.getByText('49,000.00 EUR').count()).toBe(1);
  });

  it.each(['light', 'dark'] as const)('hostile values stay text and whole (%s)', async (scheme) => {
    const { desk, home } = await open();
    const id = await requested(desk, HOSTILE);
    const options = { colorScheme: scheme, viewport: { width: 375, height: 667 } };
    const page = await as('bob', `${home}/${id}`, options);
    await shot(page, `hostile-phone-${scheme}`);
    expect(await page.title()).toContain('Pay <b>nobody</b>');
    expect(await page.getByRole('button').count()).toBe(2);
    expect(await page.getByText('49 EUR\\u{202E}00.009,4').count()).toBe(1);
    expect(await page.getByText('the end').count()).toBe(1);
    const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(tooWide).toBeLessThanOrEqual(0);
    const colors = await page.evaluate<[string, string]>(
      '[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]',
    );
    expect(colors[0]).not.toBe(colors[1]);
  });

  it('is used with the keyboard alone', async () => {
    const { desk, home } = await open();
    const id = await requested(desk, PAYMENT);
    const page = await as('bob', home);
    const focused = async (): Promise<unknown> =>
      page.evaluate('document.activeElement.textContent');
    await tabTo(page, async () => (await focused()) === 'Pay a supplier');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await tabTo(page, async () => (await page.evaluate('document.activeElement.id')) === 'comment');
    await page.keyboard.type('No order');
    await tabTo(page, async () => (await focused()) === 'Deny');
    await shot(page, 'keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect((await desk.read(id))?.decisions).toMatchObject([
      { verdict: 'deny', comment: 'No order' },
    ]);
  });

  it('needs no script, loads nothing and follows its own policy', async () => {
    const { desk, home } = await open();
    const id = await requested(desk, PAYMENT);
    const context = await browserOf('bob', home, { javaScriptEnabled: false });
    const loaded: string[] = [];
    context.on('request', (request) => void loaded.push(request.url()));
    const page = await visit(context, `${home}/${id}`);
    const problems: string[] = [];
    page.on('console', (message) => void problems.push(message.text()));
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').waitFor();
    expect(await stateOf(desk, id)).toBe('approved');
    expect([...new Set(loaded)]).toEqual([`${home}/${id}`]);
    expect(problems).toEqual([]);
  });

  it('another site can neither send the form nor frame the page', async () => {
    const { desk, home } = await open();
    const id = await requested(desk, PAYMENT);
    const bob = await browserOf('bob', home);
    const own = await visit(bob, `${home}/${id}`);
    const token = await own.locator('input[name=token]').inputValue();
    const other = await openOtherSite(
      `<form method="post" action="${home}/${id}"><input name="token" value="${token}">` +
        `<button name="verdict" value="approve">Win</button></form><iframe src="${home}/${id}"></iframe>`,
    );
    closing.unshift(other.close);
    const evil = await visit(bob, other.url);
    expect(await evil.frames()[1]?.getByText('Pay a supplier').count()).toBe(0);
    await evil.getByRole('button', { name: 'Win' }).click();
    await evil.waitForURL(`${home}/${id}`);
    expect(await stateOf(desk, id)).toBe('pending');
  });
});

/** Presses Tab until the focus is where it should be. */
async function tabTo(page: Page, isThere: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if (await isThere()) return;
  }
  throw new Error('The focus never got there.');
}
