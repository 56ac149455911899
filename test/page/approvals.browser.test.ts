/** Approvals, prompts and resources on the page of `mcp-resolve dev`, in Chromium. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startChromium } from '../browser/chromium.js';
import type { Project } from '../cli/project.js';
import { run } from '../stories/program.js';
import { makeDevProject, startDev } from './devProject.js';
import type { Dev } from './devProject.js';
import { OTHERS } from './modules.js';
import { card, cheat, choose, openPage, part, picture, press } from './pageInBrowser.js';

let chromium: Browser;
let project: Project;
let dev: Dev;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chromium = await startChromium();
  project = await makeDevProject(OTHERS);
  dev = await startDev(project);
  return async () => {
    await dev.stop();
    await chromium.close();
  };
}, 60_000);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Opens the page with a definition and an era. */
async function open(name: string, era = '2026-07-28'): Promise<Page> {
  const { page, close } = await openPage(chromium, dev.address);
  cleanups.push(close);
  await choose(page, name);
  await page.getByRole('radio', { name: era }).check();
  return page;
}

/** Makes a call of a tool that needs approvals. */
async function call(name: string, era?: string): Promise<Page> {
  const page = await open(name, era);
  await page.locator('#argument-payee').fill('Acme');
  await page.locator('#argument-cents').fill('4900');
  await press(page, 'Run');
  return page;
}

/** Makes a call that waits for an approval. */
async function wire(era?: string, name = 'wire'): Promise<Page> {
  const page = await call(name, era);
  await page.getByText('The call waits for an approval. The body did not run.').waitFor();
  return page;
}

/** Returns the card of a request. */
const requestOf = (page: Page, resolver: string) =>
  page.getByRole('article', { name: `Request of ${resolver}` });

const approve = (page: Page, resolver: string): Promise<void> =>
  requestOf(page, resolver).getByRole('button', { name: 'Approve' }).click();

/** Runs the test that the page has written, and returns its output. */
async function runWrittenTest(page: Page, name: string): Promise<string> {
  const file = `${name}.node.test.ts`;
  await project.write(file, [await page.getByLabel('The test').innerText()]);
  const args = ['--import', 'tsx', '--test', file];
  return (await run(process.execPath, args, project.directory)).stdout;
}

const reads = (page: Page): Promise<string> => part(page, 'What the model reads').innerText();

/** Checks that the desk of the author was not used. Every function of it leaves a file. */
function expectUntouched(): void {
  expect(existsSync(path.join(project.directory, 'touched.txt'))).toBe(false);
}

describe.each(['2026-07-28', '2025-11-25'])('an approval for a client of %s', (era) => {
  it('waits on a desk of the page, and the body runs when somebody has approved', async () => {
    const page = await wire(era);
    await card(page, /^secondPair, asked/);
    await card(page, /^body of wire, idle/);
    await card(page, /^fee, pinned, 49/);
    const request = requestOf(page, 'secondPair');
    expect(await request.innerText()).toContain('asks acme/treasury');
    expect(await request.getByRole('definition').allInnerTexts()).toEqual([
      'Acme',
      '4900 cents',
      '49 cents',
      'ada',
    ]);
    await picture(page, `approval-waits-${era}`);

    await press(page, 'Approve');
    await page.getByText('A result. The body ran.').waitFor();
    expect(await reads(page)).toContain('Wired to Acme, approved by cleo.');
    await card(page, /^secondPair, answered/);
    await card(page, /^fee, restored, 49/);
    await card(page, /^body of wire, done/);
    expect(await request.innerText()).toContain('cleo approved');
    await press(page, '1: waits for secondPair');
    await card(page, /^secondPair, asked/);
    await picture(page, `approved-${era}`);
    expectUntouched();
  });

  it('is denied with a comment that the model reads', async () => {
    const page = await wire(era);
    await page.getByLabel('Comment').fill('The account is wrong.');
    await press(page, 'Deny');
    await page.getByText('An error that the model reads. The body did not run.').waitFor();

    expect(await reads(page)).toContain('The approver wrote: "The account is wrong."');
    await card(page, /^secondPair, declined/);
    await card(page, /^body of wire, skipped/);
    await picture(page, `denied-${era}`);
    expectUntouched();
  });

  it('can be withdrawn by the requester', async () => {
    const page = await wire(era);
    await press(page, 'Withdraw as ada');
    await page.getByText('It was withdrawn or has expired.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expectUntouched();
  });
});

describe('an approval', () => {
  it('does not count from the requester, or from outside the group', async () => {
    const page = await wire();
    await page.getByLabel('Decide as').selectOption('ada');
    await press(page, 'Approve');
    await page.getByText('nobody decides on their own request').waitFor();
    await page.getByLabel('Decide as').selectOption('eve');
    await press(page, 'Approve');
    await page.getByText('not a member of the group').waitFor();
    expect(await reads(page)).toContain('The call waits for an approval.');
  });

  it('is refused to a caller who is not known', async () => {
    const page = await open('wire');
    await page.getByLabel('Signed in').selectOption('nobody');
    await page.locator('#argument-payee').fill('Acme');
    await page.locator('#argument-cents').fill('1');
    await press(page, 'Run');
    await page.getByText('An error that the model reads. The body did not run.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('stops each cheat, and the page says why', async () => {
    const page = await wire();
    await page.getByText('The call waits for an approval. Decide first.').waitFor();
    await press(page, 'Approve');
    await page.getByText('A result. The body ran.').waitFor();
    const cheats: readonly (readonly [string, string, string])[] = [
      ['Send the last round again', 'Refused. The body ran 0×.', 'counts for one run'],
      ['Change an argument after the approval', 'Refused. The body ran 0×.', 'another call'],
      ['Answer as another user', 'Refused. The body ran 0×.', 'another call'],
      ['Answer twice at the same time', 'Refused. The body ran 1×.', 'counts for one run'],
    ];
    for (const [name, verdict, reason] of cheats) {
      const report = await cheat(page, name);
      expect(report).toContain(verdict);
      expect(report).toContain(reason);
    }
    expect(await page.getByRole('button', { name: 'Spoil the token' }).isDisabled()).toBe(true);
    await picture(page, 'approval-cheats');
    expectUntouched();
  });

  it.each(['Approve', 'Deny', 'Withdraw as ada'])(
    'is written as a test that passes after %s',
    { timeout: 120_000 },
    async (verdict) => {
      const page = await wire();
      await page.getByLabel('Comment').fill('I looked.');
      await press(page, verdict);
      await page.getByText(/It is denied|the call has used it|It was withdrawn/).waitFor();
      expect(await runWrittenTest(page, 'decided')).toContain('# pass 1');
      expectUntouched();
    },
  );
});

describe('several approvals', () => {
  it('of one call come from different people, and the page proposes the next', async () => {
    const page = await wire(undefined, 'contract');
    await approve(page, 'legal');
    await requestOf(page, 'legal').getByText('It is approved.').waitFor();
    await requestOf(page, 'money').getByLabel('Decide as').selectOption('cleo');
    await approve(page, 'money');
    await page.getByText('they have approved another request of this call').waitFor();

    // Two people have to approve this one.
    await approve(page, 'money');
    await requestOf(page, 'money').getByText('dan approved').waitFor();
    expect(await reads(page)).toContain('The call waits for an approval.');
    await approve(page, 'money');
    await page.getByText('A result. The body ran.').waitFor();
    expect(await reads(page)).toContain('Signed with Acme, paid by dan,fay.');
    await picture(page, 'approval-of-three');
    expect(await runWrittenTest(page, 'contract')).toContain('# pass 1');
    expectUntouched();
  });

  it('end the call if one of them is denied', async () => {
    const page = await wire(undefined, 'contract');
    await requestOf(page, 'money').getByRole('button', { name: 'Deny' }).click();
    await page.getByText('An error that the model reads. The body did not run.').waitFor();
    await card(page, /^money, declined/);
    expectUntouched();
  });
});

describe.each(['2026-07-28', '2025-11-25'])('a question and an approval, on %s', (era) => {
  it('are asked one after the other, and written as a test that passes', async () => {
    const page = await call('gift', era);
    await page.locator('#answer-reason-reason').fill('birthday');
    await press(page, 'Accept');
    await requestOf(page, 'reasoned').getByText('birthday').waitFor();
    await approve(page, 'reasoned');
    // The parked call has the answer, so nothing is asked again.
    await page.getByText('A result. The body ran.').waitFor();
    expect(await reads(page)).toContain('Gave Acme money: birthday.');
    expect(await runWrittenTest(page, 'gift')).toContain('# pass 1');
    expectUntouched();
  });
});

describe('a prompt and a resource', () => {
  it.each(['2026-07-28', '2025-11-25'])('are called on %s', async (era) => {
    const page = await open('letter', era);
    await page.locator('#argument-to').fill('Ann');
    await press(page, 'Run');
    await page.getByRole('article').getByRole('checkbox').check();
    await press(page, 'Accept');
    await page.getByText('A result. The body ran.').waitFor();
    expect(await reads(page)).toContain('Dear Ann');
    expect(await part(page, 'Messages on the wire').innerText()).toContain('prompts/get');

    await choose(page, 'ledger');
    await press(page, 'Run');
    await page.getByText('All entries.').first().waitFor();
    await page.getByLabel('Signed in').selectOption('ben');
    await press(page, 'Run');
    await page.getByText('The body did not run.').first().waitFor();
    await card(page, /^guard, failed, false/);

    await choose(page, 'entry');
    await page.locator('#argument-id').fill('7');
    await press(page, 'Run');
    await page.getByText('Entry 7 for ben.').first().waitFor();
    expect(await part(page, 'Messages on the wire').innerText()).toContain('resources/read');
    await picture(page, `resource-${era}`);
  });

  it.each(['letter', 'entry'])('are written as a test that passes: %s', async (name) => {
    const page = await open(name);
    await page.locator(name === 'letter' ? '#argument-to' : '#argument-id').fill('7');
    await press(page, 'Run');
    if (name === 'letter') {
      await page.getByRole('article').getByRole('checkbox').check();
      await press(page, 'Accept');
    }
    await page.getByText('A result. The body ran.').waitFor();
    expect(await runWrittenTest(page, name)).toContain('# pass 1');
  });
});
