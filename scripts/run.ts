/** Runs an entry of commands.ts (`tsx scripts/run.ts test redis`) until a command fails. */
import { spawnSync } from 'node:child_process';

import { commandsOf } from './commands.js';

const [script = '', ...args] = process.argv.slice(2);

function commands(): readonly (readonly string[])[] {
  try {
    return commandsOf(script, args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

const done = new Set<string>();
for (const [program = '', ...words] of commands()) {
  const line = [program, ...words].join(' ');
  // Several suites need the same build.
  if (done.has(line)) continue;
  done.add(line);
  // Only the programs themselves write to stdout, so that their tables can be piped.
  const output = program === 'npm' ? 2 : 1;
  const shell = process.platform === 'win32';
  const { status, error } = spawnSync(program, words, {
    stdio: ['inherit', output, 'inherit'],
    shell,
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
