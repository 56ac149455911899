/** The page of `mcp-resolve dev` on a module in another style, with hostile texts and bad bodies. */
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { startChromium } from '../browser/chromium.js';
import { makeProject } from '../cli/project.js';
import { startDev } from './devProject.js';
import type { Dev } from './devProject.js';
import { card, choose, openPage, part, press } from './pageInBrowser.js';

const LINES = [
  `const { confirm, defineTool, resolver } = require('mcp-resolve');`,
  `const z = require('zod');`,
  `const EVIL = '<img src=x onerror=alert(1)>\\u202Egnp.exe';`,
  `const user = resolver({}, () => new Map([['user', EVIL]]));`,
  `const sure = resolver({ user }, () => confirm(EVIL));`,
  `const Order = z.object({`,
  `  customer: z.object({ name: z.string().describe(EVIL), zip: z.string().optional() }),`,
  `  lines: z.array(z.object({ sku: z.string() })).default([]),`,
  `});`,
  `const When = z.union([z.object({ day: z.string() }), z.object({ week: z.number() })]);`,
  `const tool = (name, config, body) => defineTool(name, config, body);`,
  `module.exports = [`,
  `  tool('order', { inputSchema: Order, resolve: { user } }, (args) => JSON.stringify(args.customer)),`,
  `  tool('plan', { inputSchema: When }, (args) => JSON.stringify(args)),`,
  `  tool('draw', {}, () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] })),`,
  `  tool('hang', {}, () => new Promise(() => {})),`,
  `  tool('break', {}, () => { throw 'only text'; }),`,
  `  tool('loop', { description: EVIL }, () => { for (;;); }),`,
  `  tool('leave', { resolve: { sure } }, () => { console.log('bye'); process.exit(3); }),`,
  `];`,
];

let chromium: Browser;
let dev: Dev;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chromium = await startChromium();
  const project = await makeProject({ with: ['@modelcontextprotocol/client'] });
  await project.write('tools.cjs', LINES);
  dev = await startDev(project, './tools.cjs');
  return async () => {
    await dev.stop();
    await chromium.close();
  };
}, 60_000);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(name: string): Promise<Page> {
  const { page, close } = await openPage(chromium, dev.address);
  cleanups.push(close);
  await choose(page, name);
  return page;
}

const reads = (page: Page): Promise<string> => part(page, 'What the model reads').innerText();

it('shows the fields of an object inside an object, and invisible characters as codes', async () => {
  const page = await open('order');
  await page
    .getByText(String.raw`<img src=x onerror=alert(1)>\u{202E}gnp.exe`)
    .first()
    .waitFor();
  await page.locator('#argument-customer-name').fill('Ann');
  await press(page, 'Run');
  await page.getByText('{"name":"Ann"}').first().waitFor();
  expect(await part(page, 'What ran, with which values').innerText()).toContain(
    String.raw`Map(1) { 'user' => '<img src=x onerror=alert(1)>\u{202E}gnp.exe' }`,
  );
});

it('has a field for each argument of a union', async () => {
  const page = await open('plan');
  await page.locator('#argument-week').fill('7');
  await press(page, 'Run');
  await page.getByText('{"week":7}').first().waitFor();
});

it('names content that is not text, and the frames of the author only', async () => {
  const page = await open('draw');
  await press(page, 'Run');
  await page.getByText('image image/png').waitFor();
  await choose(page, 'break');
  await press(page, 'Run');
  await page.getByText('Only the log has').waitFor();
  await card(page, /^body of break, failed/);
  expect(await reads(page)).toContain('Error: only text');
  expect(await reads(page)).not.toContain('dist');
});

it('stops a body that never ends', async () => {
  const page = await open('hang');
  await press(page, 'Run');
  await page.getByText('Nothing yet. The call is not over.').waitFor();
  await press(page, 'Stop');
  await page.getByText('Stopped. The body ran.').waitFor();
});

it('says that a body blocks its process, and loads the module again', async () => {
  const page = await open('loop');
  const sees = page.getByRole('group', { name: 'The client' }).locator('details').last();
  expect(await sees.innerText()).toContain(String.raw`\u{202E}gnp.exe`);
  await press(page, 'Run');
  await card(page, /^body of loop, running/);
  await press(page, 'Stop');
  await page.getByText('The code of the module blocks its process').waitFor();
  await dev.told('tools.cjs does not respond: its code blocks the process');
  expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
  await press(page, 'Load again');
  await page.getByText('Loaded', { exact: true }).waitFor();
  await card(page, /^body of loop, stopped/);
  expect(await page.getByText('blocks its process').count()).toBe(0);
  await choose(page, 'plan');
  await page.locator('#argument-week').fill('7');
  await press(page, 'Run');
  await page.getByText('{"week":7}').first().waitFor();
});

it('says that a process has ended, and loads the module again', async () => {
  const page = await open('leave');
  await press(page, 'Run');
  await page.getByRole('article').getByRole('checkbox').check();
  await press(page, 'Accept');
  await page.getByText('Its process ended with exit code 3.').waitFor();
  await page.getByText('Stopped. The body may have run.').waitFor();
  await press(page, 'Load again');
  await page.getByText('Loaded', { exact: true }).waitFor();
  await press(page, 'Run');
  await page.getByRole('article').waitFor();
});
