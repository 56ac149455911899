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

import { readGuide } from '../../site/contents.js';
import { startChromium } from '../browser/chromium.js';
import { ROOT, tsc } from '../support/compilers.js';
import { visitAll, type Visit } from './crawl.js';
import { serveFiles, type Site } from './server.js';

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

const DIST = path.join(ROOT, 'site/dist');
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

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

  it('is not wider than a telephone', () => {
    const wide = [...visits.values()].filter(({ overflow }) => overflow > 0);

    expect(wide.map(({ url }) => url)).toEqual([]);
  });

  it('loads without an error', () => {
    expect([...visits.values()].flatMap(({ errors, url }) => errors.map(from(url)))).toEqual([]);
  });

  it('has its Markdown beside it', () => {
    const missing = [...visits.keys()].filter((url) => !existsSync(fileOf(url, '.md')));

    expect(missing).toEqual([]);
  });
});

describe('the sidebar', () => {
  it('has the order of the guide', async () => {
    const page = await open('guide/');
    const groups = await Promise.all(
      (await page.locator('.VPSidebar .group').all()).map(async (group) => ({
        title: await group.locator('h2').textContent(),
        entries: await group.locator('.level-1 > .item').allTextContents(),
      })),
    );
    const guide = readGuide().map(({ title, entries }) => ({
      title,
      entries: entries.map((entry) => entry.title.replaceAll('`', '')),
    }));
    const reference = guide.find(({ title }) => title === 'Reference');
    reference?.entries.push('Signatures and types');

    expect(groups.slice(0, guide.length)).toEqual(guide);
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

    expect(results.join('\n')).toContain('api/mcp-resolve/testing.html#storecontract');
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

/** Types into the search box, and returns the links of the results in order. */
async function search(text: string): Promise<string[]> {
  const page = await open('');
  await page.locator('#local-search button').click();
  await page.locator('#localsearch-input').fill(text);
  const results = page.locator('.VPLocalSearchBox .result');
  await results.first().waitFor();
  const links = (await results.all()).map((result) => result.getAttribute('href'));
  return (await Promise.all(links)).map(String);
}
