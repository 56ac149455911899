/**
 * The projects of the hosts. Each is a copy of the host's folder outside of this repository, with
 * the packages of its lockfile, the packed library, and the tool and the users that all apps share.
 * So an app finds only what its user would have installed.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('./', import.meta.url));
const SHARED = ['payInvoice', 'users'];

// In a test, some hosts print no URL.
const ABSENT = ['NODE_ENV', 'MCP_RESOLVE_KEYS', 'TEST', 'VITEST'];
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !ABSENT.includes(name)),
);

/** The environment of a build. It has no keys, and the hosts report to no one. */
const BUILD = {
  ...inherited,
  NEXT_TELEMETRY_DISABLED: '1',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
};

/** The environment of every process: the same keys, and any free port. */
const RUN = {
  ...BUILD,
  PORT: '0',
  MCP_RESOLVE_KEYS: '7Hq2v0Xz9JtR4mYc1NwK8bLdS5fGpA3e6UoViBhTjMk',
};

/** A process of an app. */
export interface Running {
  /** The URL without a path, as soon as the app prints it. */
  readonly origin: Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Creates the project of an app, and runs its build, if any. @returns Its folder. */
export async function makeProject(app: string, within: string, tarball: string): Promise<string> {
  const project = path.join(within, app);
  await cp(path.join(HERE, app), project, { recursive: true });
  for (const name of SHARED) {
    await writeFile(path.join(project, `${name}.js`), await compiled(`${name}.ts`));
  }
  await npm(project, 'ci');
  const library = path.join(project, 'node_modules', 'mcp-resolve');
  await mkdir(library);
  await run('tar', ['-xzf', tarball, '-C', library, '--strip-components=1']);
  await npm(project, 'run', 'build', '--if-present');
  return project;
}

async function compiled(name: string): Promise<string> {
  const source = await readFile(path.join(HERE, name), 'utf8');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** @throws {Error} With the output of npm, if it fails. */
async function npm(cwd: string, ...args: string[]): Promise<void> {
  await run('npm', args, { cwd, env: BUILD }).catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  });
}

/** Runs `npm start`. */
export function start(project: string): Running {
  // A process group of its own, because npm and some hosts start more processes.
  const child = spawn('npm', ['start'], { cwd: project, env: RUN, detached: true, stdio: 'pipe' });
  const end = (): boolean => process.kill(-child.pid!, 'SIGKILL');
  process.once('exit', end);
  const exit = once(child, 'exit').then(() => process.off('exit', end));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) end();
    await exit;
  };
  return { origin: originIn(child), stop };
}

/** Reads the output of an app until it has a URL. @throws {Error} With the output, if the app ends. */
function originIn({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<string> {
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk.toString();
      const url = /http:\/\/(?:localhost|127\.0\.0\.1):\d+(?=[\s/])/.exec(printed)?.[0];
      if (url !== undefined) resolve(url);
    };
    stdout.on('data', read).on('end', () => reject(new Error(`The app ended:\n${printed}`)));
    stderr.on('data', read);
  });
}
