/** Runs the programs of the stories as child processes, two at a time. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Ended {
  code: number | string | null;
  stdout: string;
  stderr: string;
}

/** Runs a TypeScript program of this repository, given by its path and flags. */
export function runProgram(program: string, ...flags: string[]): Promise<Ended> {
  return run(process.execPath, ['--import', 'tsx', program, ...flags]);
}

/** Runs a command in the root of this repository, with nothing on its standard input. */
export async function run(command: string, args: string[], cwd = ROOT): Promise<Ended> {
  await place();
  try {
    return await new Promise<Ended>((resolve) => {
      const child = execFile(command, args, { cwd, encoding: 'utf8' }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 1), stdout, stderr });
      });
      child.stdin?.end();
    });
  } finally {
    free += 1;
    waiting.shift()?.();
  }
}

let free = 2;
const waiting: (() => void)[] = [];

/** Waits for one of the two places, and takes it. */
async function place(): Promise<void> {
  while (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  free -= 1;
}
