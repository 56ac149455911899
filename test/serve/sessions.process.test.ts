/** An open legacy session keeps neither the process nor its first request alive. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Runs a program of this folder until it exits, and returns its output. */
async function outputOf(program: string, ...flags: string[]): Promise<string> {
  const script = fileURLToPath(new URL(program, import.meta.url));
  const run = promisify(execFile);
  const options = { timeout: 15_000 };
  return (await run(process.execPath, [...flags, '--import', 'tsx', script], options)).stdout;
}

describe('an idle session', () => {
  it('does not keep a process running', async () => {
    expect(await outputOf('leavesSession.ts')).toBe('200\n');
  });
});

describe('an open session', () => {
  it('does not keep the request that opened it', async () => {
    const output = await outputOf('letsGoOfRequest.ts', '--expose-gc');
    expect(JSON.parse(output)).toEqual({ open: true, collected: true });
  });
});
