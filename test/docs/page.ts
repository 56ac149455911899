/**
 * Reads the pages of the guide as programs. The `ts` blocks of a page form one module, and its
 * `text` blocks are the output of that module. Blocks in other languages are ignored.
 *
 * The module has a line for every line of the page, so an error in line 12 of `links.ts` is in line
 * 12 of `links.md`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { ROOT, tsc } from '../support/compilers.js';

/** The folder of the guide. */
export const GUIDE = path.join(ROOT, 'docs/guide');

/** The timeout for a compilation or a program. */
export const TIMEOUT_MS = 120_000;

/** The pages whose code is that of an app in `peers/hosts`, with the folder of the app. */
export const HOST_PAGES: Readonly<Record<string, string>> = {
  cloudflare: 'cloudflare',
  http: '',
  lambda: 'lambda',
  nestjs: 'nest',
  'other-hosts': '',
  'sdk-v1': '',
  nextjs: 'next',
};

/** The pages that the guide links to and that run, but are not in its folder. */
const OUTSIDE = ['../deploy.md'];

/** A page of the guide. */
export interface Page {
  /** The file name without folder and `.md`. */
  readonly name: string;
  readonly text: string;
  readonly program: string;
  readonly output: string;
}

/** A page with the folder that its links start from. */
export interface GuidePage extends Page {
  readonly folder: string;
}

/** Reads all pages but the index. */
export async function readGuide(): Promise<GuidePage[]> {
  const files = (await readdir(GUIDE)).filter((file) => file.endsWith('.md'));
  const pages = [...files.toSorted().filter((file) => file !== 'README.md'), ...OUTSIDE];
  return Promise.all(
    pages.map(async (file) => {
      const place = path.join(GUIDE, file);
      const page = readPage(path.basename(file, '.md'), await readFile(place, 'utf8'));
      return { ...page, folder: path.dirname(place) };
    }),
  );
}

/**
 * Reads the blocks of a page.
 *
 * @throws {Error} If a block is not closed.
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

/** Returns the files of a page, from the blocks that name their file in the first line. */
export function filesOf(text: string): ReadonlyMap<string, string> {
  const blocks = text.matchAll(/^```ts\n\/\/ (\S+\.ts)\n(.*?)^```/gms);
  return new Map(Array.from(blocks, ([, file = '', code = '']) => [file, code]));
}

/** A command on a page, with its output. */
export interface Transcript {
  readonly typed: readonly string[];
  readonly printed: string;
}

/** Returns the `mcp-resolve` commands on a page. */
export function transcriptsOf(text: string): Transcript[] {
  const blocks = text.matchAll(/^```console\n\$ npx mcp-resolve (.*)\n([^]*?)^```/gm);
  return Array.from(blocks, ([, typed = '', printed = '']) => {
    return { typed: typed.split(' '), printed };
  });
}

/** The end of a program. */
export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A temporary project with one module per page. */
export interface Project {
  readonly folder: string;
  /** Type-checks all modules and returns the errors, with the file names of the pages. */
  readonly check: () => Promise<string>;
  /** Runs the module of a page. */
  readonly run: (page: Page) => Promise<Ended>;
  readonly remove: () => Promise<void>;
}

/** Creates a project from pages. In it, `mcp-resolve` resolves to the sources. */
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

/** Runs a program with an empty standard input, and kills it after the timeout. */
function run(file: string, cwd: string): Promise<Ended> {
  const options = {
    cwd,
    env: { ...process.env, FORCE_COLOR: '0' },
    timeout: TIMEOUT_MS - 10_000,
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
