/**
 * The project of a user of the package. It has the unpacked tarball and the compiled stories,
 * because not every runtime runs TypeScript. A runtime loads `dist/` and the SDK of this folder's
 * lockfile, never the sources.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROJECT = fileURLToPath(new URL('out/consumer/', import.meta.url));

/** Returns the path of a compiled program, from the path of its source in the repository. */
export function compiled(source: string): string {
  return path.join(PROJECT, source.replace(/\.ts$/, '.js'));
}

/** Creates the project, and removes an old one. */
export async function makeProject(): Promise<void> {
  await rm(PROJECT, { recursive: true, force: true });
  await unpackInto(path.join(PROJECT, 'node_modules', 'mcp-resolve'));
  await writeFile(path.join(PROJECT, 'package.json'), '{ "private": true, "type": "module" }\n');
  // Bun reads the nearest tsconfig, and that of the repository maps the package to its sources.
  await writeFile(path.join(PROJECT, 'tsconfig.json'), '{}\n');
  const folders = ['examples', 'peers/runtimes/servers', 'peers/hosts/cloudflare'];
  for (const folder of folders) await compileFolder(folder);
}

async function unpackInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const flags = ['--json', '--ignore-scripts', '--pack-destination', PROJECT];
  const { stdout } = await run('npm', ['pack', ...flags], { cwd: ROOT });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarball = path.join(PROJECT, filename);
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

async function compileFolder(folder: string): Promise<void> {
  for (const name of await readdir(path.join(ROOT, folder), { recursive: true })) {
    const source = path.join(folder, name);
    if (name.endsWith('.css')) await cp(path.join(ROOT, source), path.join(PROJECT, source));
    if (!name.endsWith('.ts')) continue;
    await mkdir(path.dirname(compiled(source)), { recursive: true });
    await writeFile(compiled(source), compile(await readFile(path.join(ROOT, source), 'utf8')));
  }
}

function compile(source: string): string {
  const { ESNext } = ts.ModuleKind;
  const compilerOptions = { module: ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(source, { compilerOptions });
  return (
    outputText
      // The programs refer to each other by file name, and these files are compiled as well.
      .replace(/new URL\('(\w+)\.ts'/g, "new URL('$1.js'")
      // Calls cross runtimes that share no store, so the store must not say that it belongs to one.
      .replaceAll('memoryStore()', '(({ get, put }) => ({ get, put }))(memoryStore())')
  );
}
