/** Creates a virtual environment with the packages of `requirements.txt`, and runs its programs. */
import { execFile, type ExecFileException, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const folder = fileURLToPath(new URL('../', import.meta.url));
const requirements = `${folder}requirements.txt`;
export const venv = `${folder}.venv/`;
export const python = `${venv}bin/python`;

/** The pinned version of the Python SDK. */
export const sdkVersion = /^mcp==(.+)$/m.exec(readFileSync(requirements, 'utf8'))![1]!;

/** Creates the virtual environment of a folder, unless it exists with the current requirements. */
export async function makeEnvironment(place: string = folder): Promise<void> {
  const requirements = `${place}requirements.txt`;
  const venv = `${place}.venv/`;
  const installed = `${venv}requirements.txt`;
  const current = readFileSync(requirements, 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === current) return;
  await output('python3', ['-m', 'venv', '--clear', venv]).catch((error: unknown) => {
    throw new Error('Python 3.10 or later with its venv module is needed here as python3.', {
      cause: error,
    });
  });
  const quietly = ['--quiet', '--disable-pip-version-check'];
  await output(`${venv}bin/python`, ['-m', 'pip', 'install', ...quietly, '-r', requirements]);
  copyFileSync(requirements, installed);
}

interface OutputOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly from?: 'stdout' | 'stderr';
}

/** Runs a program and returns its output. Throws an error with its output if it fails. */
export function output(
  command: string,
  args: readonly string[],
  { input = '', cwd = folder, env = {}, from = 'stdout' }: OutputOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const ended = (error: ExecFileException | null, stdout: string, stderr: string): void => {
      if (error === null) resolve(from === 'stdout' ? stdout : stderr);
      else reject(new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error }));
    };
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    const child = execFile(command, args, options, ended);
    child.stdin?.end(input);
  });
}

/** A server in another process, over HTTP. */
export interface Listening {
  readonly url: URL;
  readonly close: () => Promise<void>;
}

/** Starts a program that serves over HTTP, and waits until it prints its URL. */
export async function startListening(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Listening> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const close = async (): Promise<void> => {
      child.kill('SIGINT');
      await ended;
    };
    return { url: new URL(line.replace('Listening on ', '')), close };
  }
  throw new Error(`${args.join(' ')} ended before it listened`);
}
