/** Creates empty projects, and installs the packed package with a package manager. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const programs = fileURLToPath(new URL('programs/', import.meta.url));
const pnpm = path.join(root, 'node_modules/pnpm/bin/pnpm.cjs');

export const MANAGERS = ['npm', 'pnpm'] as const;
export type Manager = (typeof MANAGERS)[number];

/** Packs the package and returns the path of the tarball. */
export async function pack(into: string): Promise<string> {
  const flags = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const { stdout } = await run('npm', flags, { cwd: root });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return path.join(into, filename);
}

/** Returns the version of a package manager. */
export async function versionOf(manager: Manager): Promise<string> {
  return (await runManager(manager, ['--version'], root)).trim();
}

/** Creates a project with packages and the sample programs. */
export async function install(
  manager: Manager,
  project: string,
  packages: readonly string[],
): Promise<void> {
  await mkdir(project);
  await writeFile(path.join(project, 'package.json'), '{ "private": true }\n');
  await cp(programs, project, { recursive: true });
  const store = path.join(path.dirname(project), 'store');
  const flags =
    manager === 'npm' ? ['install', '--no-audit', '--no-fund'] : ['add', '--store-dir', store];
  await runManager(manager, [...flags, ...packages], project);
}

/** Returns the installed version of a package. */
export async function installedVersion(project: string, name: string): Promise<string> {
  const file = path.join(project, 'node_modules', name, 'package.json');
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}

/** Runs the package's command, as the manager linked it. */
export async function runCommand(project: string, ...typed: string[]): Promise<string> {
  const command = path.join(project, 'node_modules', '.bin', 'mcp-resolve');
  return (await run(command, typed, { cwd: project })).stdout;
}

async function runManager(manager: Manager, args: string[], cwd: string): Promise<string> {
  const [program, ...first] = manager === 'npm' ? ['npm'] : [process.execPath, pnpm];
  return (await run(program, [...first, ...args], { cwd })).stdout;
}
