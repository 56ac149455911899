/**
 * Tests the refund desk in the Inspector's web UI, with Chromium. Screenshots go to
 * `peers/browser/out`.
 */
import { fileURLToPath } from 'node:url';
import { serveHttp } from 'mcp-resolve/node';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { buildServer } from '../../examples/refund-desk/server.js';
import { startChromium } from '../../test/browser/chromium.js';
import { type Row, versionOf, writeReport } from '../support/report.js';
import { INSPECTOR, startInspector } from './inspector.js';

let chromium: Browser;
let passed = 0;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chromium = await startChromium();
  return () => chromium.close();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Opens the Inspector's page and connects it to a new refund desk. */
async function connectedPage(era: string): Promise<Page> {
  const desk = await serveHttp(buildServer);
  cleanups.push(() => desk.close());
  const inspector = await startInspector(desk.url, era);
  cleanups.push(inspector.close);
  const page = await chromium.newPage({ viewport: { width: 1280, height: 900 } });
  cleanups.push(() => page.close());
  page.setDefaultTimeout(60_000);
  await page.goto(inspector.url);
  await page.getByRole('switch', { name: 'Connect or disconnect' }).click({ force: true });
  return page;
}

async function callRefund(page: Page): Promise<void> {
  await page.getByText('Tools', { exact: true }).click();
  await page.getByRole('button', { name: 'refund_order' }).click();
  await page.getByRole('textbox', { name: 'order_id' }).fill('ORD-7002');
  await page.getByRole('textbox', { name: 'reason' }).fill('arrived broken');
  await page.getByRole('button', { name: 'Execute Tool' }).click();
}

/** Waits for the dialog with a question. */
async function dialogAsking(page: Page, question: string): Promise<Locator> {
  const dialog = page.getByRole('dialog').filter({ hasText: question });
  await dialog.waitFor();
  return dialog;
}

async function tickAndSubmit(dialog: Locator, box: string): Promise<void> {
  await dialog.getByRole('checkbox', { name: box }).check();
  await dialog.getByRole('button', { name: 'Submit' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

async function picture(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`out/${name}.png`, import.meta.url));
  await page.screenshot({ path, animations: 'disabled' });
}

const SCOPE =
  'ORD-7002 has several items (enamel-mug, canvas-tote, sticker-pack). Refund the whole order, or one SKU?';
const RESTOCK =
  'The refund includes physical items (enamel-mug, canvas-tote). Return them to stock?';
const RECEIPT = JSON.stringify(
  { order_id: 'ORD-7002', refunded_cents: 4800, restocked: true, reason: 'arrived broken' },
  null,
  2,
);
const ERAS = ['modern', 'legacy'];

it.each(ERAS)('the user answers two rounds and sees the receipt on the %s era', async (era) => {
  const page = await connectedPage(era);
  await callRefund(page);

  const scope = await dialogAsking(page, SCOPE);
  expect(await scope.getByRole('textbox', { name: 'sku' }).inputValue()).toBe('');
  await picture(page, `${era}-1-scope`);
  await tickAndSubmit(scope, 'full');

  const restock = await dialogAsking(page, RESTOCK);
  await picture(page, `${era}-2-restock`);
  await tickAndSubmit(restock, 'restock');

  const main = page.getByRole('main');
  await main.getByText('Structured Output').waitFor();
  await picture(page, `${era}-3-receipt`);
  const seen = await main.innerText();
  // The receipt is there as text and as structured content.
  expect(seen.split(RECEIPT)).toHaveLength(3);
  expect(seen).toContain(era === 'modern' ? 'SERVER/DISCOVER' : 'INITIALIZE');
  passed += 1;
});

it.each(ERAS)(
  'the user declines the first question and sees the error on the %s era',
  async (era) => {
    const page = await connectedPage(era);
    await callRefund(page);
    const scope = await dialogAsking(page, SCOPE);
    await scope.getByRole('button', { name: 'Decline' }).click();
    const error =
      "Error executing tool refund_order: Resolver for parameter 'scope' could not resolve: elicitation was decline";
    await page.getByRole('main').getByText(error).first().waitFor();
    await picture(page, `${era}-4-declined`);
    passed += 1;
  },
);

/** Writes the table only after a complete run without failures. */
afterAll(() => {
  const row: Row = {
    peer: '@modelcontextprotocol/inspector --web',
    version: versionOf(INSPECTOR),
    over: '2026-07-28 and 2025-11-25, HTTP',
    saw: `connected in Chromium ${chromium.version().split('.')[0]}, called the refund desk, answered two rounds and saw the receipt; declined and saw why`,
    passed,
    failed: 0,
  };
  if (passed === 2 * ERAS.length) writeReport('browser', 'npm test -- inspector', [row]);
});
