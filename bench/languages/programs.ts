/** Builds and starts the servers of this folder, whose languages the machine may lack. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { makeEnvironment } from '../../peers/python/support/python.js';
import { modernLoad } from '../http/load.js';
import { flows, type FlowName } from '../http/messages.js';
import type { Start } from '../http/servers.js';

/** A server of this folder. */
export interface Program {
  readonly name: string;
  /** The tool that builds or runs it. */
  readonly tool: 'python3' | 'go' | 'cargo';
  /** Builds the server, and returns its command line for a flow. */
  readonly build: () => Promise<(flow: FlowName) => readonly string[]>;
}

const folder = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const builds = folder('../../.scratch/languages/');
const run = promisify(execFile);

function python(name: string, options: readonly string[]): Program {
  const place = folder('python/');
  const build: Program['build'] = async () => {
    await makeEnvironment(place);
    return (flow) => [`${place}.venv/bin/python`, `${place}server.py`, flow, ...options];
  };
  return { name, tool: 'python3', build };
}

export const pythonPrograms: readonly Program[] = [
  python('the Python SDK on uvloop and httptools', ['--fast']),
  python('the Python SDK with its defaults', []),
];

export const goProgram: Program = {
  name: 'the Go SDK',
  tool: 'go',
  build: async () => {
    const file = `${builds}go`;
    await run('go', ['build', '-o', file, '.'], { cwd: folder('go') });
    return () => [file];
  },
};

export const rustProgram: Program = {
  name: 'the Rust SDK',
  tool: 'cargo',
  build: async () => {
    const target = `${builds}rust`;
    const args = ['build', '--release', '--quiet', '--target-dir', target];
    await run('cargo', args, { cwd: folder('rust'), maxBuffer: 2 ** 26 });
    return () => [`${target}/release/bench`];
  },
};

/** Returns why a program cannot be measured on this machine. */
export function obstacleOf({ tool }: Program): string | undefined {
  try {
    execFileSync(tool, [tool === 'go' ? 'version' : '--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `${tool} is not installed`;
  }
}

/** Starts a server, and load for it. It ends with this process at the latest. */
export function starting(command: readonly string[], flow: FlowName): Start {
  return async () => {
    const [file = '', ...args] = command;
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const told = async (): Promise<string> => ((await once(lines, 'line')) as [string])[0];
    const url = (await told()).replace('Listening on ', '');
    const cpu = async (): Promise<number> => {
      const answer = told();
      child.stdin.write('\n');
      return Number(await answer);
    };
    return { cpu, load: await modernLoad(url, flows[flow]), stop: () => void child.stdin.end() };
  };
}
