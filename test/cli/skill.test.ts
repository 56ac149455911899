/** Builds the project of the skill for coding assistants, and compiles, tests and checks it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { movingIn } from '../../scripts/skill.js';
import { filesOf } from '../docs/page.js';
import { run } from '../stories/program.js';
import { makeProject, ROOT } from './project.js';
import type { Project } from './project.js';

const SKILL = path.join(ROOT, 'skills/mcp-resolve');
const CONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  },
};

const text = await readFile(path.join(SKILL, 'SKILL.md'), 'utf8');
const files = filesOf(text);

let project: Project;

beforeAll(async () => {
  project = await makeProject({ with: ['tsx', '@modelcontextprotocol/client'] });
  for (const [file, code] of files) await project.write(file, [code]);
  await project.write('tsconfig.json', [JSON.stringify(CONFIG)]);
});

describe('the skill', { timeout: 120_000 }, () => {
  it('has a name, and a description that an assistant chooses it by', () => {
    expect(text).toMatch(/^---\nname: mcp-resolve\ndescription: .{100,1000}\n---\n/);
  });

  it('has tools, a server and tests that compile', async () => {
    expect([...files.keys()]).toEqual(['tools.ts', 'server.ts', 'reboot.ts', 'tools.test.ts']);
    const tsc = path.join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const compiled = await run(process.execPath, [tsc], project.directory);
    expect(compiled).toMatchObject({ code: 0, stdout: '' });
  });

  it('has tests that pass', async () => {
    const args = ['--import', 'tsx', '--test', 'tools.test.ts'];
    const { stdout, code } = await run(process.execPath, args, project.directory);
    expect(stdout).toMatch(/pass 4$/m);
    expect(code).toBe(0);
  });

  it('has tools that the command finds no mistake in', async () => {
    expect(await project.command('check', './tools.ts')).toMatchObject({ code: 0 });
    expect(await project.command('check', './reboot.ts')).toMatchObject({ code: 0 });
  });

  it('names only pages that the package contains', async () => {
    const pages = Array.from(text.matchAll(/`(docs\/[\w/-]+\.md)`/g), ([, page = '']) => page);
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) await readFile(path.join(ROOT, page), 'utf8');
  });

  it('has the pairs that `npm run docs -- skill` writes', async () => {
    expect(await readFile(path.join(SKILL, 'moving-in.md'), 'utf8')).toBe(movingIn());
  });
});
