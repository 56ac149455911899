/** Runs the stories of the Python SDK: its clients with our servers, and our client with its server. */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

import { folder, output, python, startListening } from '../support/python.js';
import { example, ours, serving } from '../support/servers.js';
import { fetchStories, findStories, runTheirClient } from '../support/stories.js';

beforeAll(fetchStories);

const lowlevel = ours('../../examples/mrtr/serverLowlevel.ts');

test.each([
  { story: 'refund_desk', server: example('refund-desk'), era: 'modern', flags: [] },
  { story: 'refund_desk', server: example('refund-desk'), era: 'legacy', flags: ['--legacy'] },
  { story: 'mrtr', server: example('mrtr'), era: 'modern', flags: [] },
  { story: 'mrtr', server: lowlevel, era: 'modern', flags: [] },
])('the Python client of $story passes with our server, $era', async (run) => {
  const { story, server, era, flags } = run;
  await serving(server, { via: 'HTTP' }, async (url) => {
    const told = await runTheirClient(story, url as string, ...flags);
    expect(told.trim()).toBe(`OK: ${story} (http/${era})`);
  });
});

test.each([
  ['2026-07-28', []],
  ['2025-11-25', ['--legacy']],
])('our client of the refund desk passes with the Python server, %s', async (era, flags) => {
  const { url, close } = await startListening(
    python,
    [`${folder}story.py`, 'refund_desk'],
    findStories,
  );
  try {
    const client = fileURLToPath(
      new URL('../../../examples/refund-desk/client.ts', import.meta.url),
    );
    const args = ['--import', 'tsx', client, '--url', url.href, ...flags];
    const lines = (await output(process.execPath, args)).trim().split('\n');
    expect(lines[0]).toBe(`ok  both sides speak ${era}`);
    expect(lines.at(-1)).toBe('18 facts hold');
  } finally {
    await close();
  }
});
