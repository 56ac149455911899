/**
 * The page of `mcp-resolve dev` in Chromium. With SCREENSHOTS=<folder>, the tests save pictures of
 * the page there.
 */
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startChromium } from '../browser/chromium.js';
import { openOtherSite } from '../browser/otherSite.js';
import type { Project } from '../cli/project.js';
import { ROOT, run } from '../stories/program.js';
import { makeDevProject, startDev } from './devProject.js';
import type { Dev } from './devProject.js';
import { TOOLS } from './modules.js';
import { card, cheat, choose, openPage, part, picture, press } from './pageInBrowser.js';

let chromium: Browser;
let project: Project;
let dev: Dev;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chromium = await startChromium();
  project = await makeDevProject();
  dev = await startDev(project);
  return async () => {
    await dev.stop();
    await chromium.close();
  };
}, 60_000);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(address = dev.address, options: BrowserContextOptions = {}): Promise<Page> {
  const { page, close } = await openPage(chromium, address, options);
  cleanups.push(close);
  return page;
}

/** Pays an invoice with an approval. */
async function pay(page: Page, era: string): Promise<void> {
  await choose(page, 'pay_invoice');
  await page.getByRole('radio', { name: era }).check();
  await page.locator('#argument-invoice').selectOption('INV-2');
  await press(page, 'Run');
  await page.getByText('Pay 900 euros for INV-2?').first().waitFor();
  await card(page, /^approved, asked/);
  await page.getByRole('article').getByRole('checkbox').check();
  await press(page, 'Accept');
  await page.getByText('A result. The body ran.').waitFor();
}

describe.each(['2026-07-28', '2025-11-25'])('a call of a client of %s', (era) => {
  it('shows the graph, the question, the result and the messages', async () => {
    const page = await open();
    await pay(page, era);

    expect(await part(page, 'What the model reads').innerText()).toContain(
      'Paid 900 euros for INV-2.',
    );
    await card(page, /^approved, answered, true/);
    await card(page, /^euros, (restored|pinned), 900/);
    expect(await part(page, 'Messages on the wire').innerText()).toContain('tools/call');
    await picture(page, `paid-${era}`);
  });

  it('asks again with the complaint, and goes on after a decline', async () => {
    const page = await open();
    await choose(page, 'refund');
    await page.getByRole('radio', { name: era }).check();
    await page.getByLabel('order_id').fill('ORD-7');
    await press(page, 'Run');
    await page.locator('#answer-scope-sku').fill('X');
    await press(page, 'Accept');
    await page
      .getByText(/Too small/)
      .first()
      .waitFor();
    await page.locator('#answer-scope-sku').fill('SKU-1');
    await press(page, 'Accept');
    await page.getByText('Refund 4800 cents for SKU-1?').first().waitFor();
    await press(page, 'Decline');
    await page.getByText('A result. The body ran.').waitFor();

    await card(page, /^sure, declined/);
    await picture(page, `declined-${era}`);
  });
});

describe('a cheat', () => {
  const cheats: readonly (readonly [string, string, string])[] = [
    ['Send the last round again', 'Answered from the record. The body ran 0×.', 'once'],
    ['Change an argument after the approval', 'Refused. The body ran 0×.', 'request binding'],
    ['Spoil the token', 'Refused. The body ran 0×.', 'rejected on tools/call: seal'],
    ['Answer as another user', 'Refused. The body ran 0×.', 'principal'],
    [
      'Answer a question that was not asked',
      'Ignored. The body ran 0×.',
      'asked its question again',
    ],
    ['Send the hidden parameters', 'Ignored. The body ran 0×.', 'dropped them'],
    [
      'Answer twice at the same time',
      'Answered from the record. The body ran 1×.',
      'claimed the call',
    ],
  ];

  it('on a tool with pin and once is refused, and the page says why', async () => {
    const page = await open();
    await pay(page, '2026-07-28');
    for (const [name, verdict, reason] of cheats) {
      const report = await cheat(page, name);
      expect(report).toContain(verdict);
      expect(report).toContain(reason);
    }
    // The honest run is as it was.
    await card(page, /^approved, answered, true/);
    await page.getByRole('heading', { name: 'Try to cheat' }).scrollIntoViewIfNeeded();
    await picture(page, 'cheats');
  });

  it('gets through on a tool without pin and once, and the page names the lines', async () => {
    const page = await open();
    await choose(page, 'refund');
    await page.getByLabel('order_id').fill('ORD-7');
    await press(page, 'Run');
    await page.locator('#answer-scope-sku').fill('SKU-1');
    await press(page, 'Accept');
    await page.getByRole('article').getByRole('checkbox').check();
    await press(page, 'Accept');
    await page.getByText('Refunded 4800 cents.').first().waitFor();

    expect(await page.getByText('The missing line').first().innerText()).toContain(
      '{ pin: schema } // in the options of order',
    );
    for (const name of ['Send the last round again', 'Answer twice at the same time']) {
      const report = await cheat(page, name);
      expect(report).toContain('Went through.');
      expect(report).toContain('once: memoryStore()');
    }
    await picture(page, 'went-through');
  });

  it('needs a run, and a client that holds the state', async () => {
    const page = await open();
    await choose(page, 'pay_invoice');
    await page.getByRole('radio', { name: '2025-11-25' }).check();
    await page.locator('#argument-invoice').selectOption('INV-1');
    await press(page, 'Run');
    await page.getByText('A result. The body ran.').waitFor();

    expect(await page.getByRole('button', { name: 'Spoil the token' }).isDisabled()).toBe(true);
    expect(await page.getByText('An older client holds no state.').count()).toBeGreaterThan(0);
  });
});

describe('the rounds of a run', () => {
  it('can be visited one by one, and the graph shows that moment', async () => {
    const page = await open();
    await pay(page, '2026-07-28');
    await press(page, '1: asks approved');
    await card(page, /^approved, asked/);
    await card(page, /^euros, pinned, 900/);
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await card(page, /^euros, idle/);
    await page.keyboard.press('End');
    await card(page, /^approved, answered, true/);
  });
});

describe('the page', () => {
  it('shows the run again when it is reloaded', async () => {
    const page = await open();
    await pay(page, '2026-07-28');
    await page.reload();
    await page.getByText('A result. The body ran.').waitFor();
  });

  it('loads an edited module, keeps what was typed, and says why a module does not load', async () => {
    const own = await makeDevProject();
    const command = await startDev(own);
    cleanups.push(command.stop);
    const page = await open(command.address);
    await choose(page, 'refund');
    await page.getByLabel('order_id').fill('ORD-9');

    await own.write('tools.ts', [...TOOLS, 'throw new RangeError("no database");']);
    await page.getByText('RangeError: no database').waitFor();
    await command.told('RangeError: no database');
    await picture(page, 'not-loaded');

    await own.write(
      'tools.ts',
      TOOLS.map((line) => line.replace("'pay_invoice'", "'pay_bill'")),
    );
    await page.getByRole('button', { name: 'pay_bill' }).waitFor();
    expect(await page.getByLabel('order_id').inputValue()).toBe('ORD-9');
    expect(await page.getByText('RangeError').count()).toBe(0);
  });

  it('writes a test of the run that passes', { timeout: 120_000 }, async () => {
    const page = await open();
    await pay(page, '2026-07-28');
    const code = page.getByLabel('The test');
    await project.write('paid.node.test.ts', [await code.innerText()]);
    await page.getByRole('radio', { name: 'vitest' }).check();
    await project.write('paid.test.ts', [await code.innerText()]);
    const { directory } = project;
    const bin = path.join(ROOT, 'node_modules');

    const node = await run(
      process.execPath,
      ['--import', 'tsx', '--test', 'paid.node.test.ts'],
      directory,
    );
    expect(node.stdout).toContain('# pass 1');
    const args = [path.join(bin, 'vitest/vitest.mjs'), 'run', 'paid.test.ts', '--reporter=json'];
    const vitest = await run(process.execPath, args, directory);
    expect(JSON.parse(vitest.stdout)).toMatchObject({ numPassedTests: 1, numTotalTests: 1 });
  });

  it('can be used with the keyboard alone', async () => {
    const page = await open();
    await choose(page, 'pay_invoice');
    await page.locator('#argument-invoice').focus();
    await page.keyboard.type('INV-2');
    await tabTo(page, 'Run');
    await page.keyboard.press('Enter');
    await page.getByRole('article').waitFor();
    await tabTo(page, 'confirm');
    await page.keyboard.press('Space');
    await tabTo(page, 'Accept');
    await page.keyboard.press('Enter');
    await page.getByText('A result. The body ran.').waitFor();
    await tabTo(page, 'approved, answered, true');
    await page.getByText('answered · ').waitFor();
  });

  it.each([
    ['light', 1280, 800],
    ['dark', 1280, 800],
    ['light', 1920, 1080],
    ['dark', 1920, 1080],
  ] as const)('fits a %s screen of %i by %i', async (colorScheme, width, height) => {
    const page = await open(dev.address, { colorScheme, viewport: { width, height } });
    await pay(page, '2026-07-28');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await picture(page, `page-${colorScheme}-${width}`);
  });

  it('is refused without its token', async () => {
    const { origin } = new URL(dev.address);
    for (const address of [`${origin}/`, `${origin}/guess/`, `${origin}/guess/news`]) {
      expect((await fetch(address)).status).toBe(404);
    }
  });
});

describe('another site in the browser', () => {
  it('can neither act nor read, even if it knows the address', async () => {
    const other = await openOtherSite('<h1>Other</h1>');
    cleanups.push(other.close);
    const context = await chromium.newContext();
    cleanups.push(() => context.close());
    const page = await context.newPage();
    await page.goto(other.url);
    const attack = async (address: string): Promise<string[]> => {
      const tried = [
        fetch(`${address}action`, { method: 'POST', body: '{"type":"reload"}' }),
        fetch(`${address}news`),
      ];
      return (await Promise.allSettled(tried)).map(({ status }) => status);
    };
    expect(await page.evaluate(attack, dev.address)).toEqual(['rejected', 'rejected']);
    const posted = await fetch(`${dev.address}action`, {
      method: 'POST',
      headers: { origin: other.url.slice(0, -1), 'content-type': 'application/json' },
      body: '{"type":"reload"}',
    });
    expect(posted.status).toBe(403);
  });
});

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const wanted = page
    .getByRole('main')
    .getByLabel(name)
    .or(page.getByRole('button', { name, exact: true }));
  const focused = wanted.and(page.locator(':focus'));
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach '${name}'.`);
}
