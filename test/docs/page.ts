/**
 * A page of the guide as the program that it is. Its `ts` blocks, in order, are one module; its
 * `text` blocks, in order, are what the module prints. Blocks in any other language are left
 * alone.
 *
 * The module has a line for every line of the page, so that an error in line 12 of `links.ts` is
 * one in line 12 of `links.md`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { ROOT, tsc } from '../support/compilers.js';

/** Where the guide is. */
export const GUIDE = path.join(ROOT, 'docs/guide');

/** How long a compilation or a program may take on a busy machine. */
export const PATIENCE_MS = 120_000;

/** A page of the guide. */
export interface Page {
  /** The name of its file, without `.md`. */
  readonly name: string;
  readonly text: string;
  readonly program: string;
  readonly output: string;
}

/** Reads all pages but the index. */
export async function readGuide(): Promise<Page[]> {
  const files = (await readdir(GUIDE)).filter((file) => file.endsWith('.md'));
  const pages = files.toSorted().filter((file) => file !== 'README.md');
  return Promise.all(
    pages.map(async (file) =>
      readPage(file.replace(/\.md$/, ''), await readFile(path.join(GUIDE, file), 'utf8')),
    ),
  );
}

/**
 * Takes a page apart.
 *
 * @throws Error If a block is not closed.
 */
export function readPage(name: string, text: string): Page {
  const program: string[] = [];
  const output: string[] = [];
  let language: string | undefined;
  for (const line of text.split('\n')) {
    const fence = /^```(\S*)/.exec(line)?.[1];
    if (language === 'text' && fence === undefined) output.push(line);
    program.push(language === 'ts' && fence === undefined ? line : '');
    if (fence !== undefined) language = language === undefined ? fence : undefined;
  }
  if (language !== undefined) throw new Error(`${name}.md has a block that is not closed`);
  return { name, text, program: program.join('\n'), output: output.join('\n') };
}

/** The files of a page whose blocks say in their first line which file they are. */
export function filesOf(text: string): ReadonlyMap<string, string> {
  const blocks = text.matchAll(/^```ts\n\/\/ (\S+\.ts)\n(.*?)^```/gms);
  return new Map(Array.from(blocks, ([, file = '', code = '']) => [file, code]));
}

/** A command of a page, and what it prints there. */
export interface Transcript {
  readonly typed: readonly string[];
  readonly printed: string;
}

/** What a page shows of the command `mcp-resolve`. */
export function transcriptsOf(text: string): Transcript[] {
  const blocks = text.matchAll(/^```console\n\$ npx mcp-resolve (.*)\n([^]*?)^```/gm);
  return Array.from(blocks, ([, typed = '', printed = '']) => {
    return { typed: typed.split(' '), printed };
  });
}

/** How a program ended. */
export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project with one module per page, in a folder of its own. */
export interface Project {
  readonly folder: string;
  /** Type-checks all modules; what is wrong, in terms of the pages. */
  readonly check: () => Promise<string>;
  /** Runs the module of a page. */
  readonly run: (page: Page) => Promise<Ended>;
  readonly remove: () => Promise<void>;
}

/** Makes a project of pages, in which `mcp-resolve` means the sources. */
export async function makeProject(pages: readonly Page[]): Promise<Project> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-guide-'));
  const write = (file: string, text: string): Promise<void> =>
    writeFile(path.join(folder, file), text);
  const config = { extends: path.join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
  await write('tsconfig.json', JSON.stringify(config));
  await write('package.json', JSON.stringify({ type: 'module' }));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  for (const { name, program } of pages) await write(`${name}.ts`, program);
  return {
    folder,
    check: async () => {
      const found = await tsc('typescript', ['-p', folder, '--pretty', 'false']);
      const ours = new RegExp(`^\\S*${path.basename(folder)}/([\\w-]+)\\.ts\\(`, 'gm');
      return found.replaceAll(ours, '$1.md(');
    },
    run: ({ name }) => run(`${name}.ts`, folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs a program with nothing on its standard input; one that does not end is ended. */
function run(file: string, cwd: string): Promise<Ended> {
  const options = {
    cwd,
    env: { ...process.env, FORCE_COLOR: '0' },
    timeout: PATIENCE_MS - 10_000,
    killSignal: 'SIGKILL' as const,
  };
  return new Promise((resolve) => {
    const args = ['--import', 'tsx', file];
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 1), stdout, stderr });
    });
    child.stdin?.end();
  });
}
