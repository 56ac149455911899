/** Tests the command on the guide's page about approvals. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { GUIDE, readPage, transcriptsOf } from '../docs/page.js';
import { makeProject } from './project.js';
import type { Project } from './project.js';

const TIMEOUT = 60_000;

const text = await readFile(path.join(GUIDE, 'recipes-approval.md'), 'utf8');
const { program } = readPage('recipes-approval', text);
const transcripts = transcriptsOf(text);
// The definition of the first tool, without its calls.
const [emptyFolder = ''] = program.split(/^\/\/ A file arrives/m);

let project: Project;

beforeAll(async () => {
  project = await makeProject({ tsx: true, with: ['@modelcontextprotocol/client'] });
  await project.write('tools.ts', [program]);
});

describe('the page about approvals', { timeout: TIMEOUT }, () => {
  it('shows one command', () => {
    expect(transcripts).toHaveLength(1);
  });

  it.each(transcripts)('shows the output of mcp-resolve $typed', async ({ typed, printed }) => {
    const { stdout, code } = await project.command(...typed);
    expect({ stdout, code }).toEqual({ stdout: printed, code: 0 });
  });

  it.each([
    ['error', 'no-question', 'approval: deletion', ''],
    ['hint', 'no-once', 'once,\n  },', '},'],
  ])('names the %s %s', async (level, code, written, instead) => {
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`${level} \`${code}\``);
    await project.write(`${code}.ts`, [emptyFolder.replace(written, instead)]);
    const { stdout } = await project.command('check', `./${code}.ts`);
    expect(stdout).toMatch(new RegExp(`^${level} +${code} +empty_folder:`, 'm'));
  });
});
