/** Opens every page of the site in a browser, and returns what a reader could follow or see. */
import type { BrowserContext } from 'playwright-core';

/** A page as the browser shows it. */
export interface Visit {
  readonly url: string;
  /** The absolute URLs of its links. */
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
  /** The images that do not show. */
  readonly brokenImages: readonly string[];
  /** The number of pixels by which it is wider than the window. */
  readonly overflow: number;
  readonly errors: readonly string[];
}

type Seen = Pick<Visit, 'links' | 'brokenImages' | 'overflow'> & { readonly anchors: string[] };

/** Runs in the browser. This project compiles without the types of the DOM, so it is a string. */
const LOOK = `({
  links: Array.from(document.querySelectorAll('a[href]'), ({ href }) => href),
  anchors: Array.from(document.querySelectorAll('[id]'), ({ id }) => id),
  brokenImages: [...document.images]
    .filter(({ naturalWidth }) => naturalWidth === 0)
    .map(({ src }) => src),
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
})`;

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
  await page.close();
  return { url, ...seen, anchors: new Set(anchors), errors };
}
