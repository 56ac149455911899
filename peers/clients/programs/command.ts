/** Runs the command of a package and returns its output. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Ending } from '../adapter.js';

export interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command with an empty standard input and its own home folder. */
export function run(name: string, args: string[], home: string): Promise<Printed> {
  const file = fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
  const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [file, ...args],
      { env, cwd: home },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
    child.stdin!.end();
  });
}

/** Reads the error in the last line of the Inspector's output. Advice may precede it. */
export function errorIn(stderr: string): Ending {
  const line = stderr.trim().split('\n').at(-1)!;
  const { error } = JSON.parse(line) as { error: { message: string } };
  return { text: error.message, isError: true };
}
