/** Opens every page of the site in a browser, and returns what a reader could follow or see. */
import type { BrowserContext } from 'playwright-core';

import { readFaint } from './colours.js';

/** A page in a window of some width. */
export interface Layout {
  readonly width: number;
  /** The number of pixels by which the page is wider than the window. */
  readonly overflow: number;
  /** The beginnings of the code blocks that are wider than the room for them. */
  readonly clipped: readonly string[];
}

/** A page as the browser shows it. */
export interface Visit {
  readonly url: string;
  /** The absolute URLs of its links. */
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
  /** The images that do not show. */
  readonly brokenImages: readonly string[];
  readonly layouts: readonly Layout[];
  /** The faults of its colours, in light and in dark mode. */
  readonly faint: readonly string[];
  readonly errors: readonly string[];
}

type Seen = Pick<Visit, 'links' | 'brokenImages'> & { readonly anchors: string[] };

/** Runs in the browser. This project compiles without the types of the DOM, so it is a string. */
const LOOK = `({
  links: Array.from(document.querySelectorAll('a[href]'), ({ href }) => href),
  anchors: Array.from(document.querySelectorAll('[id]'), ({ id }) => id),
  brokenImages: [...document.images]
    .filter(({ naturalWidth }) => naturalWidth === 0)
    .map(({ src }) => src),
})`;

/** Runs in the browser, in a window of each width. */
const MEASURE = `({
  width: window.innerWidth,
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  clipped: [...document.querySelectorAll('pre')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent.slice(0, 40)),
})`;

/** A telephone, a small desktop and a large one. */
export const WIDTHS = [390, 1280, 1920];

const TABS = 4;

/** Visits pages, some at a time. */
export async function visitAll(
  context: BrowserContext,
  urls: readonly string[],
): Promise<Map<string, Visit>> {
  const waiting = [...urls];
  const visits = new Map<string, Visit>();
  const work = async (): Promise<void> => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift())
      visits.set(url, await visit(context, url));
  };
  await Promise.all(Array.from({ length: TABS }, work));
  return visits;
}

async function visit(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  const { anchors, ...seen } = await page.evaluate<Seen>(LOOK);
  const layouts: Layout[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    layouts.push(await page.evaluate<Layout>(MEASURE));
  }
  const faint = await readFaint(page);
  await page.close();
  return { url, ...seen, layouts, faint, anchors: new Set(anchors), errors };
}
