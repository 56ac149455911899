/** A project with a module of tools, and `mcp-resolve dev` on it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { makeProject } from '../cli/project.js';
import type { Project } from '../cli/project.js';
import { TOOLS } from './modules.js';

/** A running command. */
export interface Dev {
  /** The address of the page. */
  readonly address: string;
  /** Resolves with the next line on standard error that contains a text. */
  readonly told: (text: string) => Promise<string>;
  readonly stop: () => Promise<unknown>;
}

/** Creates a project that has everything that the command and its tests need. */
export async function makeDevProject(lines = TOOLS): Promise<Project> {
  const packages = ['@modelcontextprotocol/client', 'vitest'];
  const project = await makeProject({ tsx: true, with: packages });
  await project.write('tools.ts', lines);
  return project;
}

/** Starts the command, and waits for its address. */
export async function startDev({ directory }: Project, ...typed: string[]): Promise<Dev> {
  const program = path.join(directory, 'node_modules', 'mcp-resolve', 'dist', 'cli.mjs');
  const args = typed.length === 0 ? ['./tools.ts'] : typed;
  const child = spawn(process.execPath, [program, 'dev', ...args], { cwd: directory });
  const told = watchText(child.stderr);
  const address = await watchText(child.stdout)('http://');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { address: /http:\S+/.exec(address)?.[0] ?? '', told, stop };
}

/** Returns a function that waits until a stream has printed a text, after what it found before. */
function watchText(stream: NodeJS.ReadableStream): (text: string) => Promise<string> {
  let printed = '';
  let changed = (): void => undefined;
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
    changed();
  });
  return async (text) => {
    while (!printed.includes(text)) await new Promise<void>((resolve) => (changed = resolve));
    const found = printed;
    printed = '';
    return found;
  };
}
