/** Tests the commands, the picture and the table of codes on the guide's page about graphs. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { RULE_CODES } from '../../src/dev/cli/rules.js';
import { GUIDE, readPage, transcriptsOf } from '../docs/page.js';
import { makeProject } from './project.js';
import type { Project } from './project.js';

const TIMEOUT = 60_000;

const page = readPage('graph', await readFile(path.join(GUIDE, 'graph.md'), 'utf8'));
const transcripts = transcriptsOf(page.text);

let project: Project;

beforeAll(async () => {
  project = await makeProject({ tsx: true });
  await project.write('tools.ts', [page.program]);
});

describe('the page about graphs', { timeout: TIMEOUT }, () => {
  it('shows two commands', () => {
    expect(transcripts).toHaveLength(2);
  });

  it.each(transcripts)('shows the output of mcp-resolve $typed', async ({ typed, printed }) => {
    const { stdout, code } = await project.command(...typed);
    expect({ stdout, code }).toEqual({ stdout: printed, code: 0 });
  });

  it('shows the picture that the command draws', async () => {
    const drawn = await project.command('explain', 'tools.ts', 'refund_order', '--format', 'svg');
    await expect(drawn.stdout).toMatchFileSnapshot(path.join(GUIDE, 'graph.svg'));
  });

  it('has a row for each code of a finding', () => {
    const listed = [...page.text.matchAll(/^\| `([\w-]+)`/gm)].map(([, code]) => code);
    expect(listed.sort()).toEqual([...RULE_CODES].sort());
  });
});
