/** Builds the project of the guide's first page, and compiles, tests, serves and explains it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';

import { filesOf, GUIDE, transcriptsOf } from '../docs/page.js';
import { run } from '../stories/program.js';
import { makeProject, ROOT } from './project.js';
import type { Project } from './project.js';

const TIMEOUT = 120_000;

const text = await readFile(path.join(GUIDE, 'get-started.md'), 'utf8');
const files = filesOf(text);
const transcripts = transcriptsOf(text);

let project: Project;

beforeAll(async () => {
  project = await makeProject({ with: ['tsx', 'vitest', '@modelcontextprotocol/client'] });
  for (const [file, code] of files) await project.write(file, [code]);
});

const inProject = (program: string, ...args: string[]) =>
  run(process.execPath, [path.join(ROOT, 'node_modules', program), ...args], project.directory);

describe('the first page of the guide', { timeout: TIMEOUT }, () => {
  it('has a tool, its test and a server', () => {
    expect([...files.keys()]).toEqual(['tools.ts', 'tools.test.ts', 'server.ts']);
  });

  it('compiles', async () => {
    const config = /^```json\n(.*?)^```/ms.exec(text)?.[1] ?? '';
    await project.write('tsconfig.json', [config]);
    const compiled = await inProject('typescript-7/bin/tsc');

    expect(compiled).toMatchObject({ code: 0, stdout: '' });
  });

  it('passes its own tests', async () => {
    const { code, stdout } = await inProject('vitest/vitest.mjs', 'run', '--reporter=json');

    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 3, numTotalTests: 3 });
    expect(code).toBe(0);
  });

  it('serves the tool', async () => {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    const command = { command: process.execPath, args: ['--import', 'tsx', 'server.ts'] };
    await client.connect(new StdioClientTransport({ ...command, cwd: project.directory }));
    const { content } = await client.callTool({ name: 'order_book', arguments: { title: 'Dune' } });
    await client.close();

    expect(content).toEqual([{ type: 'text', text: "Ordered 'Dune'." }]);
  });

  it('shows two commands', () => {
    expect(transcripts).toHaveLength(2);
  });

  it.each(transcripts)('shows the output of mcp-resolve $typed', async ({ typed, printed }) => {
    const { stdout, code } = await project.command(...typed);

    expect({ stdout, code }).toEqual({ stdout: printed, code: 0 });
  });
});
