/** Runs every story as a user does: as a program, over both transports, in both eras. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { serveHttp } from 'mcp-resolve/node';
import { describe, expect, it } from 'vitest';

import { buildServer } from '../../examples/bookshop/server.js';
import { ROOT, runProgram } from './program.js';

const STORIES = [
  'bookshop',
  'delete-folder',
  'legacy-elicitation',
  'mrtr',
  'refund-desk',
  'sampling',
  'sign-in',
  'supplier-payment',
  'travel-desk',
  'wire-transfer',
];
/** The stories with a web page, which run over HTTP only. */
const WITH_A_PAGE = ['sign-in'];
/** The stories with a second server, by the name that `--server` takes. */
const VARIANTS = [{ story: 'mrtr', variant: 'serverLowlevel' }];
const TIMEOUT = 120_000;

const clientOf = (story: string): string => `examples/${story}/client.ts`;

describe('the stories', () => {
  it('are the folders of examples/, except for conformance and support', async () => {
    const entries = await readdir(path.join(ROOT, 'examples'));
    expect(entries.sort()).toEqual([...STORIES, 'README.md', 'conformance', 'support'].sort());
  });

  it.each(STORIES)('are in the index of examples/: %s', async (story) => {
    const index = await readFile(path.join(ROOT, 'examples/README.md'), 'utf8');
    expect(index).toContain(`(${story}/README.md)`);
  });

  it.each(STORIES)('have a page, a server and a client: %s', async (story) => {
    const files = await readdir(path.join(ROOT, 'examples', story));
    expect(files).toEqual(expect.arrayContaining(['README.md', 'client.ts', 'server.ts']));
  });

  it.each(VARIANTS)('have a second server: $story', async ({ story, variant }) => {
    const files = await readdir(path.join(ROOT, 'examples', story));
    expect(files).toContain(`${variant}.ts`);
  });
});

const servers = [...STORIES.map((story) => ({ story, variant: 'server' })), ...VARIANTS];
const matrix = servers.flatMap((server) =>
  (WITH_A_PAGE.includes(server.story) ? ['http'] : ['stdio', 'http']).flatMap((transport) =>
    ['modern', 'legacy'].map((era) => ({ ...server, transport, era })),
  ),
);

// The client of each story asserts the facts.
describe.concurrent('M1, M2, M3, M4, M5, M6, M7, M8: a story holds', () => {
  const title = '$story ($variant) over $transport, $era';
  it.for(matrix)(title, { timeout: TIMEOUT }, async (cell, { expect }) => {
    const flags = [
      ...(cell.variant === 'server' ? [] : ['--server', cell.variant]),
      ...(cell.transport === 'http' ? ['--http'] : []),
      ...(cell.era === 'legacy' ? ['--legacy'] : []),
    ];
    const { code, stdout, stderr } = await runProgram(clientOf(cell.story), ...flags);

    expect(code, stderr).toBe(0);
    expect(stdout).toContain(
      `ok  both sides speak ${cell.era === 'legacy' ? '2025-11-25' : '2026-07-28'}\n`,
    );
    expect(stdout).toMatch(/\n\d+ facts hold\n$/);
  });
});

describe.concurrent('the client of a story', { timeout: TIMEOUT }, () => {
  it('passes in both eras with a running server', async ({ expect }) => {
    const { url, server } = await startServer('delete-folder');
    for (const flags of [[], ['--legacy']]) {
      const { code } = await runProgram(clientOf('delete-folder'), '--url', url, ...flags);
      expect(code).toBe(0);
    }
    server.kill('SIGINT');
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it('passes with a server that another command starts', async ({ expect }) => {
    const command = `${process.execPath} --import tsx examples/mrtr/serverLowlevel.ts`;
    const { code, stdout } = await runProgram(clientOf('mrtr'), '--command', command);
    expect(code).toBe(0);
    expect(stdout).toContain('Leave out --url and --command to check restarts as well.\n');
  });

  it('fails if a fact does not hold', async ({ expect }) => {
    const wrong = await serveHttp(buildServer);
    const ended = await runProgram(clientOf('refund-desk'), '--url', wrong.url.href);
    await wrong.close();

    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('not true: the desk has one tool\n');
    expect(ended.stderr).toContain('expected [1,"refund_order"]');
  });

  it('fails if there is no server', async ({ expect }) => {
    const gone = await serveHttp(buildServer);
    await gone.close();
    const ended = await runProgram(clientOf('bookshop'), '--url', gone.url.href);
    expect(ended.code).toBe(1);
  });

  it('refuses an unknown server', async ({ expect }) => {
    const ended = await runProgram(clientOf('mrtr'), '--server', 'server_lowlevel');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(
      "There is no server 'server_lowlevel'. Known servers: server, serverLowlevel.",
    );
  });

  it('refuses an unknown flag', async ({ expect }) => {
    const ended = await runProgram(clientOf('bookshop'), '--htpp');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("Unknown option '--htpp'");
  });
});

/** Starts the server of a story over HTTP and waits for its address. */
async function startServer(story: string) {
  const program = `examples/${story}/server.ts`;
  const server = spawn(process.execPath, ['--import', 'tsx', program, '--http'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return { server, url: line.toString().replace('Listening on ', '').trim() };
}
