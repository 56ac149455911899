/**
 * Builds the site of the documentation and reads it in Chromium.
 *
 * Needs the packages of `site/`. `npm test -- site` installs them first.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Group, PROJECT, readExamples, readGuide } from '../../site/contents.js';
import { startChromium } from '../browser/chromium.js';
import { ROOT, tsc } from '../support/compilers.js';
import { readFaint } from './colours.js';
import { visitAll, type Visit, WIDTHS } from './crawl.js';
import { serveFiles, type Site } from './server.js';

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

const DIST = path.join(ROOT, 'site/dist');
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

/** Runs in the browser: the outline of the focused element, or of the label that stands for it. */
const OUTLINE = `getComputedStyle(
  document.activeElement.closest('label') ?? document.activeElement,
).outlineStyle`;

let site: Site;
let browser: Browser;
let phone: BrowserContext;
let desktop: BrowserContext;
let visits: Map<string, Visit>;
const requested: string[] = [];

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'site/build.ts'], { cwd: ROOT });
  site = await serveFiles(DIST);
  browser = await startChromium();
  phone = await browser.newContext({ viewport: PHONE });
  desktop = await browser.newContext({ viewport: DESKTOP });
  for (const context of [phone, desktop])
    context.on('request', (request) => requested.push(request.url()));
  visits = await visitAll(phone, await pagesIn(DIST));
});

afterAll(async () => {
  await browser.close();
  site.close();
});

describe('every page', () => {
  it('has links to pages and anchors that exist', () => {
    const dead = [...visits.values()].flatMap(({ url, links }) =>
      links.filter((link) => link.startsWith(site.url) && !leadsSomewhere(link)).map(from(url)),
    );

    expect(dead).toEqual([]);
  });

  it('shows its images', () => {
    expect([...visits.values()].flatMap(({ brokenImages }) => brokenImages)).toEqual([]);
  });

  it.each(WIDTHS)('is not wider than a window of %i px', (width) => {
    const wide = [...visits.values()].filter(({ layouts }) =>
      layouts.some((layout) => layout.width === width && layout.overflow > 0),
    );

    expect(wide.map(({ url }) => url)).toEqual([]);
  });

  it('has room for its programs on a desktop', () => {
    const clipped = [...visits.values()].flatMap(({ url, layouts }) =>
      layouts
        .filter(({ width }) => width >= 1280)
        .flatMap((layout) => layout.clipped.map(from(url))),
    );

    expect(clipped).toEqual([]);
  });

  it('is legible, in light and in dark mode', () => {
    const faint = [...visits.values()].flatMap(({ url, faint }) => faint.map(from(url)));

    expect(faint).toEqual([]);
  });

  it('loads without an error', () => {
    expect([...visits.values()].flatMap(({ errors, url }) => errors.map(from(url)))).toEqual([]);
  });

  it('has its Markdown beside it', () => {
    const missing = [...visits.keys()].filter((url) => !existsSync(fileOf(url, '.md')));

    expect(missing).toEqual([]);
  });
});

describe('the landing page', () => {
  it('shows the schema, the program and the question in one window', async () => {
    const page = await open('');
    const cards = page.locator('.idea > section');
    const boxes = await boxesOf(cards);

    expect(await cards.locator('h2').allInnerTexts()).toEqual(
      ['The model sees', 'Your server runs', 'The user decides'].map(
        (text) => expect.stringContaining(text.toUpperCase()) as string,
      ),
    );
    expect(boxes.map(({ y, height }) => y + height <= DESKTOP.height)).toEqual([true, true, true]);
  });

  it('says what each answer leads to', async () => {
    const page = await open('');
    const end = page.locator('.end:visible strong');
    const ends = [await end.allInnerTexts()];
    await page.getByRole('radio', { name: 'Accept', exact: true }).focus();
    for (const name of ['Decline', 'Accept twice', 'Change the invoice']) {
      await page.keyboard.press('ArrowRight');
      expect(await page.getByRole('radio', { name }).isChecked()).toBe(true);
      ends.push(await end.allInnerTexts());
    }

    expect(ends).toEqual([
      ['Paid 900 euros for INV-2.'],
      ['Nothing is paid.'],
      ['Paid once.'],
      ['Invalid or expired requestState.'],
    ]);
  });

  it('has the animation, four promises with their proofs, and a way to install', async () => {
    const page = await open('');
    const proofs = page.locator('.facts li a');

    expect(await page.locator('.frame img').getAttribute('src')).toMatch(/watch.*\.gif$/);
    expect(await proofs.count()).toBe(4);
    expect(await page.locator('.begin pre').innerText()).toContain('npm install mcp-resolve');
    expect(await page.getByRole('link', { name: 'Get started' }).count()).toBeGreaterThan(0);
  });

  it('shows where the keyboard is', async () => {
    const page = await open('');
    const outlines = new Set<unknown>();
    for (let press = 0; press < 25; press++) {
      await page.keyboard.press('Tab');
      outlines.add(await page.evaluate(OUTLINE));
    }

    expect([...outlines]).toEqual(['solid']);
  });
});

describe('the sidebar', () => {
  it.each([
    { place: 'guide/', groups: () => [...readGuide(), PROJECT] },
    { place: 'examples/', groups: readExamples },
  ])('has the order of the index of $place', async ({ place, groups }) => {
    const page = await open(place);
    const shown = await Promise.all(
      (await page.locator('.VPSidebar .group').all()).map(async (group) => ({
        title: await group.locator('h2').textContent(),
        entries: await group.locator('.level-1 > .item').allTextContents(),
      })),
    );

    expect(shown).toEqual(groups().map(plain));
  });
});

describe('the search', () => {
  it.each([
    { typed: 'once', found: 'guide/once.html' },
    { typed: 'elicitInput', found: 'guide/from-elicit-input.html' },
  ])('finds the page about $typed first', async ({ typed, found }) => {
    const [first] = await search(typed);

    expect(first).toContain(found);
  });

  it('finds the functions of the API', async () => {
    const results = await search('storeContract');

    expect(results.join('\n')).toContain('guide/api.html#storecontract');
  });

  it('is legible, in light and in dark mode', async () => {
    const page = await open('');
    await searchOn(page, 'once');

    expect(await readFaint(page)).toEqual([]);
  });
});

describe('the diagrams', () => {
  it('are drawn with legible messages, and drawn again for a dark page', async () => {
    const source = await readFile(path.join(ROOT, 'docs/guide/how-a-call-travels.md'), 'utf8');
    const page = await open('guide/how-a-call-travels.html');
    const diagrams = page.locator('.diagram > svg[aria-roledescription="sequence"]');
    await diagrams.first().waitFor();
    const boxes = await boxesOf(diagrams.first().locator('.messageText'));
    const light = await diagrams.first().innerHTML();
    await page.locator('.VPSwitchAppearance').first().click();

    expect(boxes.flatMap((box, index) => boxes.slice(index + 1).filter(overlaps(box)))).toEqual([]);
    await expect.poll(() => diagrams.first().innerHTML()).not.toBe(light);
    expect(await diagrams.count()).toBe(source.match(/^```mermaid$/gm)?.length);
  });
});

describe('llms.txt', () => {
  it('links to the Markdown of pages', async () => {
    const text = await readFile(path.join(DIST, 'llms.txt'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);

    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((link) => !existsSync(path.join(DIST, link)))).toEqual([]);
  });
});

describe('the site', () => {
  it('is configured without a compile error', async () => {
    expect(await tsc('typescript-7', ['-p', path.join(ROOT, 'site'), '--pretty', 'false'])).toBe(
      '',
    );
  });

  it('sends no request to another machine', () => {
    const elsewhere = requested.filter(
      (url) => !url.startsWith(site.url) && !/^(data|blob):/.test(url),
    );

    expect(requested.length).toBeGreaterThan(visits.size);
    expect(elsewhere).toEqual([]);
  });
});

/** Returns the URLs of the pages in a folder. */
async function pagesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  const pages = files.filter((file) => file.endsWith('.html') && file !== '404.html').toSorted();
  return pages.map((file) => site.url + file.replaceAll(path.sep, '/'));
}

/** Returns the file of a page in the built site. */
function fileOf(url: string, extension: string): string {
  return path.join(DIST, url.slice(site.url.length).replace(/\.html$/, extension));
}

function leadsSomewhere(link: string): boolean {
  const { origin, pathname, hash } = new URL(link);
  const visit = visits.get(origin + pathname.replace(/\/$/, '/index.html'));
  return (
    visit !== undefined && (hash === '' || visit.anchors.has(decodeURIComponent(hash.slice(1))))
  );
}

/** Returns a group as the sidebar shows it. */
function plain({ title, entries }: Group) {
  return { title, entries: entries.map((entry) => entry.title.replaceAll('`', '')) };
}

function from(url: string): (problem: string) => string {
  return (problem) => `${url}: ${problem}`;
}

async function open(place: string): Promise<Page> {
  const page = await desktop.newPage();
  await page.goto(site.url + place, { waitUntil: 'networkidle' });
  return page;
}

async function boxesOf(texts: Locator): Promise<Box[]> {
  const boxes = await Promise.all((await texts.all()).map((text) => text.boundingBox()));
  return boxes.filter((box) => box !== null);
}

/** Compares the middles of lines: the boxes of neighbouring lines may touch. */
function overlaps(box: Box): (other: Box) => boolean {
  const middle = ({ y, height }: Box): number => y + height / 2;
  return (other) => Math.abs(middle(box) - middle(other)) < box.height / 2;
}

/** Types into the search box, and returns the results. */
async function searchOn(page: Page, text: string): Promise<Locator> {
  await page.locator('#local-search button').click();
  await page.locator('#localsearch-input').fill(text);
  const results = page.locator('.VPLocalSearchBox .result');
  await results.first().waitFor();
  return results;
}

/** Returns the links of the results of a search in order. */
async function search(text: string): Promise<string[]> {
  const results = await searchOn(await open(''), text);
  const links = (await results.all()).map((result) => result.getAttribute('href'));
  return (await Promise.all(links)).map(String);
}
