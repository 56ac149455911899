/**
 * Temporary projects for the tests of the command, with this package, its peer and zod, and with
 * tsx on request. The command runs from the build, as `npx` runs it.
 *
 * Needs a build in `dist/`. `npm test -- cli` creates it first.
 */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { ROOT, run } from '../stories/program.js';
import type { Ended } from '../stories/program.js';

export { ROOT };

/** A project on disk. */
export interface Project {
  readonly directory: string;
  /** Writes a file. */
  readonly write: (name: string, lines: readonly string[]) => Promise<void>;
  /** Runs `mcp-resolve` in the project. */
  readonly command: (...typed: string[]) => Promise<Ended>;
  /** Runs `mcp-resolve` with flags for Node. */
  readonly withNode: (flags: readonly string[], ...typed: string[]) => Promise<Ended>;
}

const made: string[] = [];

afterAll(async () => {
  for (const directory of made.splice(0)) await rm(directory, { recursive: true, force: true });
});

/** Creates a project with packages of this repository. It is removed after the tests of the file. */
export async function makeProject({
  tsx = false,
  with: others = [] as readonly string[],
} = {}): Promise<Project> {
  const directory = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-cli-'));
  made.push(directory);
  const write = (name: string, lines: readonly string[]): Promise<void> =>
    writeFile(path.join(directory, name), `${lines.join('\n')}\n`);
  await write('package.json', ['{ "type": "module" }']);
  await link(ROOT, path.join(directory, 'node_modules', 'mcp-resolve'));
  const packages = ['@modelcontextprotocol/server', 'zod', ...(tsx ? ['tsx'] : []), ...others];
  for (const name of packages) {
    await link(path.join(ROOT, 'node_modules', name), path.join(directory, 'node_modules', name));
  }
  const program = path.join(directory, 'node_modules', 'mcp-resolve', 'dist', 'cli.mjs');
  const withNode: Project['withNode'] = (flags, ...typed) =>
    run(process.execPath, [...flags, program, ...typed], directory);
  return { directory, write, withNode, command: (...typed) => withNode([], ...typed) };
}

async function link(target: string, place: string): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true });
  await symlink(target, place, 'junction');
}

/** Runs the command from its sources, in this repository. */
export function fromSources(...typed: string[]): Promise<Ended> {
  return run(process.execPath, ['--import', 'tsx', 'src/cli.ts', ...typed]);
}
