/** Runs the command of a package, and takes what it prints. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Ending } from '../adapter.js';

export interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command with nothing on its standard input, at home in a folder of its own. */
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

/** The error in the last line that the Inspector printed; advice may stand before it. */
export function errorIn(stderr: string): Ending {
  const line = stderr.trim().split('\n').at(-1)!;
  const { error } = JSON.parse(line) as { error: { message: string } };
  return { text: error.message, isError: true };
}
