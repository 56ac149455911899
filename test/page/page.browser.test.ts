/**
 * The page of `mcp-resolve dev` in Chromium. With SCREENSHOTS=<folder>, the tests save pictures of
 * the page there.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
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
  await finish(page);
}

/** Approves the payment. */
async function finish(page: Page): Promise<void> {
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

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('a cheat', () => {
  /** The name of each cheat, its verdict, what the client receives, the log, and the reason. */
  const cheats = [
    {
      name: 'Send the last round again',
      verdict: 'Answered from the record. The body ran 0×.',
      received: 'Paid 900 euros for INV-2.',
      log: 'nothing',
      why: 'No resolver and no body ran.',
    },
    {
      name: 'Change an argument after the approval',
      verdict: 'Refused. The body ran 0×.',
      received: 'Error -32602: Invalid or expired requestState',
      log: 'requestState rejected on tools/call: request binding',
      why: 'a digest of the arguments that the user approved',
    },
    {
      name: 'Spoil the token',
      verdict: 'Refused. The body ran 0×.',
      received: 'Error -32602: Invalid or expired requestState',
      log: 'requestState rejected on tools/call: seal',
      why: 'encrypted and authenticated',
    },
    {
      name: 'Answer as another user',
      verdict: 'Refused. The body ran 0×.',
      received: 'Error -32602: Invalid or expired requestState',
      log: 'requestState rejected on tools/call: principal',
      why: 'bound to the user who started the call',
    },
    {
      name: 'Answer a question that was not asked',
      verdict: 'Ignored. The body ran 0×.',
      received: 'The question again: approved',
      log: 'nothing',
      why: 'asked its question again',
    },
    {
      name: 'Send the hidden parameters',
      verdict: 'Ignored. The body ran 0×.',
      received: 'The question again: approved',
      log: 'nothing',
      why: 'dropped them',
    },
    {
      name: 'Answer twice at the same time',
      verdict: 'Answered from the record. The body ran 1×.',
      received: 'Paid 900 euros for INV-2.',
      log: 'nothing',
      why: 'One request claimed the call',
    },
  ];

  it('on a tool with pin and once is refused, and the page says why', async () => {
    const page = await open();
    await pay(page, '2026-07-28');
    for (const { name, verdict, received, log, why } of cheats) {
      const report = await cheat(page, name);
      expect(report).toContain(verdict);
      expect(report).toMatch(new RegExp(`received\\s+${escaped(received)}`));
      expect(report).toMatch(new RegExp(`log\\s+${escaped(log)}`));
      expect(report).toContain(why);
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

  it('can be used with the keyboard alone, from the choice of a tool to the copied test', async () => {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const pressed = async (name: string, key = 'Enter'): Promise<void> => {
      await tabTo(page, name);
      await page.keyboard.press(key);
    };
    await tabTo(page, 'pay_invoice');
    await page.keyboard.press('Enter');
    await tabTo(page, 'invoice choice');
    await page.keyboard.type('INV-2');
    await pressed('Run');
    await page.getByRole('article').waitFor();
    await pressed('confirm', 'Space');
    await pressed('Accept');
    await page.getByText('A result. The body ran.').waitFor();

    await pressed('1: asks approved');
    await card(page, /^approved, asked/);
    await tabTo(page, 'Moment of the run');
    await page.keyboard.press('End');
    await tabTo(page, 'approved, answered, true');
    await page.getByText('answered · ').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByText('answered · ').count()).toBe(0);

    await pressed('Send the last round again');
    await page.keyboard.press('Enter');
    await page.getByText('Answered from the record. The body ran 0×.').waitFor();
    await pressed('Spoil the token');
    await page.getByText('Refused. The body ran 0×.').waitFor();
    await pressed('Copy');
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      `import { payInvoice } from './tools.js';`,
    );
  });

  it('has a name for everything that a screen reader stops at', async () => {
    const page = await open();
    for (const state of ['before', 'asked', 'ended', 'cheated']) {
      if (state === 'asked') {
        await choose(page, 'pay_invoice');
        await page.locator('#argument-invoice').selectOption('INV-2');
        await press(page, 'Run');
        await page.getByRole('article').waitFor();
      }
      if (state === 'ended') await finish(page);
      if (state === 'cheated') await cheat(page, 'Spoil the token');
      const tree = await page.locator('body').ariaSnapshot();
      const stops =
        /- (?:button|textbox|combobox|checkbox|radio|slider|switch|img|region|article|link|form|navigation|main)\b(?! ").*$/gm;
      expect(tree.match(stops), state).toBeNull();
      const regions = [...tree.matchAll(/- region "([^"]*)"/g)].map(([, name]) => name);
      expect(new Set(regions).size, state).toBe(regions.length);
    }
    // The question, the result and the outcome of a cheat are announced.
    const live = page.locator('[aria-live], [role=status], [role=alert]');
    const said = (await live.allInnerTexts()).join('\n');
    expect(said).toContain('A result. The body ran.');
    expect(said).toContain('Refused. The body ran 0×.');
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
    const own = await open();
    await pay(own, '2026-07-28');
    const before = await own.locator('body').innerText();
    const context = await chromium.newContext();
    cleanups.push(() => context.close());
    const page = await context.newPage();
    await page.goto(other.url);
    expect(await page.evaluate(attack, dev.address)).toEqual({
      'fetch action': 'failed',
      'fetch news': 'failed',
      'no-cors action': 'failed',
      'no-cors json': 'failed',
      events: 'failed',
      socket: 'failed',
      script: 'failed',
      image: 'failed',
    });
    // A form reaches the server, which refuses its Origin.
    const posted = page.waitForResponse((response) => response.url().endsWith('/action'));
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${dev.address}action"><input name='{"type":"run","x":"' value='"}'></form>`,
    );
    await page.evaluate('document.forms[0].submit()');
    expect((await posted).status()).toBe(403);
    await page.waitForURL(`${dev.address}action`);
    // A frame stays empty.
    await page.goto(other.url);
    await page.setContent(`<iframe src="${dev.address}"></iframe>`);
    await page.frames()[1]?.waitForLoadState();
    expect(await page.frameLocator('iframe').locator('#page').count()).toBe(0);
    // No attack has changed anything.
    expect(await own.locator('body').innerText()).toBe(before);
  });

  it('is refused under another name of the same address, as after DNS rebinding', async () => {
    const { port, pathname } = new URL(dev.address);
    for (const host of [`evil.example:${port}`, `127.0.0.1.nip.io:${port}`, 'localhost']) {
      expect(await statusFor(dev.address, pathname, { host })).toBe(403);
    }
    const json = { 'content-type': 'application/json' };
    for (const origin of [`http://evil.example:${port}`, 'null', `https://127.0.0.1:${port}`]) {
      const headers = { ...json, origin };
      const { status } = await fetch(`${dev.address}action`, {
        method: 'POST',
        headers,
        body: '{}',
      });
      expect(status).toBe(403);
    }
  });
});

/** The part of a browser's globals that {@link attack} uses. */
interface Browsing {
  readonly document: {
    readonly body: { readonly append: (element: EventTarget) => void };
    readonly createElement: (tag: string) => EventTarget & { src: string };
  };
}

/** Tries everything that a script of another site can do. Runs in the browser. */
async function attack(address: string): Promise<Record<string, string>> {
  const body = '{"type":"reload"}';
  const type = { 'content-type': 'application/json' };
  const tried = (request: Promise<Response>): Promise<string> =>
    request.then(
      (response) => response.type,
      () => 'failed',
    );
  const failed = (target: EventTarget, good: string): Promise<string> =>
    new Promise((resolve) => {
      target.addEventListener(good, () => resolve(good));
      target.addEventListener('error', () => resolve('failed'));
    });
  const { document } = globalThis as unknown as Browsing;
  const load = (tag: 'script' | 'img'): Promise<string> => {
    const element = document.createElement(tag);
    element.src = `${address}page.js`;
    document.body.append(element);
    return failed(element, 'load');
  };
  return {
    'fetch action': await tried(fetch(`${address}action`, { method: 'POST', body })),
    'fetch news': await tried(fetch(`${address}news`)),
    'no-cors action': await tried(
      fetch(`${address}action`, { method: 'POST', mode: 'no-cors', body }),
    ),
    'no-cors json': await tried(fetch(`${address}action`, { method: 'POST', headers: type, body })),
    events: await failed(new EventSource(`${address}news`), 'open'),
    socket: await failed(new WebSocket(`${address.replace('http', 'ws')}news`), 'open'),
    script: await load('script'),
    image: await load('img'),
  };
}

/** Sends a request with another Host, and returns the status of the response. */
async function statusFor(address: string, path: string, headers: OutgoingHttpHeaders) {
  const sent = request(address, { path, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.destroy();
  return response.statusCode;
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const wanted = page.getByLabel(name).or(page.getByRole('button', { name }));
  const focused = wanted.and(page.locator(':focus'));
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach '${name}'.`);
}
