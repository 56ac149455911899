/** The versions of Node that figures are given for. `peers/runtimes` pins their packages. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { inPackages } from '../../peers/runtimes/binaries.js';

const PROGRAMS = ['node-20/bin/node', 'node-24/bin/node'].map(inPackages);

/** Returns the programs, the older first. Installs them from npm if they are missing. */
export function nodePrograms(): readonly string[] {
  if (!PROGRAMS.every((program) => existsSync(program))) {
    const folder = fileURLToPath(new URL('../../peers/runtimes', import.meta.url));
    execFileSync('npm', ['ci', '--prefix', folder], { stdio: ['ignore', 2, 'inherit'] });
  }
  return PROGRAMS;
}

/** Returns the program of the oldest version, unless this process runs it or it is not installed. */
export function olderNode(): string | undefined {
  const [oldest = ''] = PROGRAMS;
  return existsSync(oldest) && !process.version.startsWith('v20.') ? oldest : undefined;
}
