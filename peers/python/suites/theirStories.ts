/** Runs the stories of the Python SDK: its clients with our servers, and ours with its servers. */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

import { folder, output, python, startListening } from '../support/python.js';
import { example, ours, serving } from '../support/servers.js';
import {
  fetchStories,
  findStories,
  negotiateInTheirClient,
  runTheirClient,
} from '../support/stories.js';

beforeAll(fetchStories);

const lowlevel = ours('../../examples/mrtr/serverLowlevel.ts');

test.each([
  { story: 'refund_desk', server: example('refund-desk'), era: 'modern', flags: [] },
  { story: 'refund_desk', server: example('refund-desk'), era: 'legacy', flags: ['--legacy'] },
  { story: 'mrtr', server: example('mrtr'), era: 'modern', flags: [] },
  { story: 'mrtr', server: lowlevel, era: 'modern', flags: [] },
  { story: 'sampling', server: example('sampling'), era: 'legacy', flags: [] },
  {
    story: 'legacy_elicitation',
    server: example('legacy-elicitation'),
    era: 'legacy',
    flags: [],
  },
])('the Python client of $story passes with our server, $era', async (run) => {
  const { story, server, era, flags } = run;
  await serving(server, { via: 'HTTP' }, async (url) => {
    const told = await runTheirClient(story, url as string, ...flags);
    expect(told.trim()).toBe(`OK: ${story} (http/${era})`);
  });
});

// Their own servers push the questions, so these stories are for the legacy era only.
test.each([
  { story: 'sampling', server: example('sampling') },
  { story: 'legacy_elicitation', server: example('legacy-elicitation') },
])('the Python client of $story passes with our server, also modern', async ({ story, server }) => {
  await serving(server, { via: 'HTTP' }, async (url) => {
    expect((await negotiateInTheirClient(story, url as string)).trim()).toBe('OK');
  });
});

/** Runs the client of an example, and returns the lines that it prints. */
async function runOurClient(example: string, ...flags: string[]): Promise<string[]> {
  const client = fileURLToPath(new URL(`../../../examples/${example}/client.ts`, import.meta.url));
  const args = ['--import', 'tsx', client, ...flags];
  return (await output(process.execPath, args, { env: findStories })).trim().split('\n');
}

/** Runs a function with the URL of a Python server. */
async function servingTheirs<T>(server: string, use: (url: string) => Promise<T>): Promise<T> {
  const args = [`${folder}story.py`, server];
  const { url, close } = await startListening(python, args, findStories);
  try {
    return await use(url.href);
  } finally {
    await close();
  }
}

test.each([
  ['2026-07-28', []],
  ['2025-11-25', ['--legacy']],
])('our client of the refund desk passes with the Python server, %s', async (era, flags) => {
  const lines = await servingTheirs('refund_desk.server', (url) =>
    runOurClient('refund-desk', '--url', url, ...flags),
  );
  expect(lines[0]).toBe(`ok  both sides speak ${era}`);
  expect(lines.at(-1)).toBe('18 facts hold');
});

test.each(['server', 'server_lowlevel'])(
  'our client of mrtr passes with the Python %s, over HTTP and stdio',
  async (server) => {
    const overHttp = await servingTheirs(`mrtr.${server}`, (url) =>
      runOurClient('mrtr', '--url', url),
    );
    const command = `${python} -m stories.mrtr.${server}`;
    const overStdio = await runOurClient('mrtr', '--command', command);
    expect(overHttp).toContain('ok  the server refuses a changed token');
    expect(overHttp.at(-1)).toBe('12 facts hold');
    expect(overStdio).toEqual(overHttp);
  },
);
