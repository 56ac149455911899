/** Opens the page of `mcp-resolve dev` in Chromium, and presses what a user presses. */
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Closes a page, and fails the test if the page has logged an error. */
export type ClosePage = () => Promise<void>;

/** Opens the page. */
export async function openPage(
  chromium: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly close: ClosePage }> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => problems.push(message.text()));
  await page.goto(address);
  await page.getByRole('heading', { name: 'Call' }).waitFor();
  const close = async (): Promise<void> => {
    await context.close();
    expect(problems).toEqual([]);
  };
  return { page, close };
}

/** Saves a picture if SCREENSHOTS is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

export const choose = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('button', { name }).click();

export const part = (page: Page, name: string) =>
  page.getByRole('region', { name, exact: true }).first();

/** Waits until a card of the graph has this name, which contains its state and its value. */
export const card = (page: Page, name: RegExp): Promise<void> =>
  page.getByRole('img', { name }).waitFor();

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

const ASKS_FIRST: ReadonlySet<string> = new Set([
  'Send the last round again',
  'Answer as another user',
  'Send the hidden parameters',
  'Answer twice at the same time',
]);

/** Takes a dishonest step, and returns its report. */
export async function cheat(page: Page, name: string): Promise<string> {
  const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name }) });
  await page.getByRole('button', { name }).click();
  const sure = page.getByRole('button', { name: /Press to confirm/ });
  if (ASKS_FIRST.has(name)) await sure.click();
  await row.getByText(/The body ran \d/).waitFor();
  return row.innerText();
}
