/** Runs programs as child processes, at most two at a time. */
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

/** Runs a command with an empty standard input, by default in the root of this repository. */
export async function run(command: string, args: string[], cwd = ROOT): Promise<Ended> {
  await takeSlot();
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

/** Waits until fewer than two programs run. */
async function takeSlot(): Promise<void> {
  while (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  free -= 1;
}
