/**
 * The sign-in example in a real browser. The call of a real client asks for the page, and Chromium
 * opens it, as the browser of the asked user or of another user. With SCREENSHOTS=<folder>, the
 * tests save pictures of the page there.
 */
import path from 'node:path';
import type { ElicitResult } from '@modelcontextprotocol/client';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { alice, bob, type Patient } from '../../examples/sign-in/people.js';
import { openClinic } from '../../examples/sign-in/server.js';
import { connect } from '../../examples/support/connect.js';
import { startChromium } from './chromium.js';
import { openOtherSite } from './otherSite.js';

const RESULT = 'blood: all values of alice are fine';
const opened: ElicitResult = { action: 'accept' };

let chromium: Browser;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chromium = await startChromium();
  return () => chromium.close();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Opens a page in a browser with its own cookies. */
async function browse(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await chromium.newContext(options);
  cleanups.push(() => context.close());
  return context.newPage();
}

/** Handles the question: opens the page and returns the user's answer. */
type Opens = (url: string) => ElicitResult | Promise<ElicitResult>;

/** Starts a clinic and connects Alice to it. Returns a function that asks for her lab results. */
async function connectAlice(opens: Opens, { legacy = false, patienceMs = 30_000 } = {}) {
  const clinic = await openClinic({ patienceMs });
  cleanups.push(clinic.close);
  const server = new URL('../../examples/sign-in/server.ts', import.meta.url);
  const story = { server, openHttp: openClinic, token: alice.token };
  const { call, close } = await connect(
    { ...story, onLink: ({ url }) => opens(url) },
    { via: clinic.url, legacy },
  );
  cleanups.push(close);
  return async (): Promise<string> => (await call('lab_results', { test: 'blood' })).text;
}

async function signIn(page: Page, { name, password }: Patient): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button').click();
}

const headingOf = (page: Page): Promise<string> => page.getByRole('heading').innerText();

/** Saves a picture if SCREENSHOTS is set. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

describe.each([
  ['modern', false],
  ['legacy', true],
])('the user of a %s client', (_era, legacy) => {
  it('signs in on the page while the call waits, and receives the result', async () => {
    const page = await browse();
    let visit: Promise<void> | undefined;
    const opens: Opens = async (url) => {
      await page.goto(url);
      await picture(page, 'form');
      visit = signIn(page, alice);
      return opened;
    };
    const ask = await connectAlice(opens, { legacy });
    expect(await ask()).toBe(RESULT);
    await visit;
    expect(await headingOf(page)).toBe('Thank you');
    await picture(page, 'done');
  });

  it('needs only a click if the browser is signed in', async () => {
    const page = await browse();
    const ask = await connectAlice(
      async (url) => {
        await page.goto(url);
        if (await page.getByLabel('Password').isVisible()) await signIn(page, alice);
        else {
          expect(await page.getByRole('main').innerText()).toContain('You are signed in as alice.');
          await picture(page, 'signed-in');
          await page.getByRole('button', { name: 'Hand over' }).click();
        }
        return opened;
      },
      { legacy },
    );
    expect(await ask()).toBe(RESULT);
    expect(await ask()).toBe(RESULT);
    expect.assertions(3);
  });

  it('receives an error if another user signs in on the page', async () => {
    const page = await browse();
    const ask = await connectAlice(
      async (url) => {
        await page.goto(url);
        expect(await page.getByRole('main').innerText()).toContain('Only alice can agree to this.');
        await signIn(page, bob);
        expect(await headingOf(page)).toBe('This link is not for you');
        await picture(page, 'not-yours');
        await page.goto(url);
        expect(await headingOf(page)).toBe('This link is not for you');
        expect(await page.getByRole('button').count()).toBe(0);
        return opened;
      },
      { legacy, patienceMs: 1 },
    );
    expect(await ask()).toContain('alice has not signed in on the page');
    expect.assertions(5);
  });
});

describe('the page', () => {
  it('works with the keyboard alone, and reports a wrong password', async () => {
    const page = await browse();
    const { keyboard } = page;
    const typeIn = async (password: string): Promise<void> => {
      await keyboard.type('alice');
      await keyboard.press('Tab');
      await keyboard.type(password);
      await keyboard.press('Enter');
    };
    const ask = await connectAlice(async (url) => {
      await page.goto(url);
      await typeIn('tea at eight');
      expect(await page.getByRole('alert').innerText()).toBe('Name and password do not match.');
      await picture(page, 'wrong-password');
      await typeIn(alice.password);
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      return opened;
    });
    expect(await ask()).toBe(RESULT);
  });

  it('fits the screen of a phone in dark mode', async () => {
    const page = await browse({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
    const ask = await connectAlice(async (url) => {
      await page.goto(url);
      await picture(page, 'telephone');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      await signIn(page, alice);
      return opened;
    });
    expect(await ask()).toBe(RESULT);
  });

  it('causes no errors, and loads only its own files', async () => {
    const page = await browse();
    const problems: string[] = [];
    const loaded = new Set<string>();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => problems.push(message.text()));
    page.on('request', (request) => loaded.add(new URL(request.url()).pathname));
    const ask = await connectAlice(async (url) => {
      await page.goto(url);
      await signIn(page, alice);
      return opened;
    });
    expect(await ask()).toBe(RESULT);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(problems).toEqual([]);
    expect([...loaded].sort()).toEqual(['/sign-in', '/sign-in/page.css']);
  });
});

describe("another site in the user's browser", () => {
  it('cannot submit the form, even with the right nonce', async () => {
    const page = await browse();
    let first = true;
    const ask = await connectAlice(
      async (url) => {
        await page.goto(url);
        if (first) {
          first = false;
          await signIn(page, alice);
          await page.getByRole('heading', { name: 'Thank you' }).waitFor();
          return opened;
        }
        const nonce = await page.locator('input[name=nonce]').inputValue();
        const action = new URL('/sign-in', url).href;
        const other = await openOtherSite(
          `<form method="post" action="${action}"><input name="nonce" value="${nonce}"><button>Win</button></form>`,
        );
        cleanups.push(other.close);
        await page.goto(other.url);
        await page.getByRole('button').click();
        expect(await headingOf(page)).toBe('That form does not count');
        return opened;
      },
      { patienceMs: 1000 },
    );
    expect(await ask()).toBe(RESULT);
    expect(await ask()).toContain('alice has not signed in on the page');
    expect.assertions(3);
  });

  it('cannot show the page in a frame', async () => {
    const page = await browse();
    const ask = await connectAlice(async (url) => {
      const other = await openOtherSite(`<iframe src="${url}"></iframe>`);
      cleanups.push(other.close);
      await page.goto(other.url);
      const framed = page.frames().find((frame) => frame !== page.mainFrame())!;
      expect(await framed.getByRole('heading', { name: 'Hand over' }).count()).toBe(0);
      expect(framed.url()).toBe('chrome-error://chromewebdata/');
      await page.goto(url);
      await signIn(page, alice);
      return opened;
    });
    expect(await ask()).toBe(RESULT);
  });
});
