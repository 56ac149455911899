/** The programs of the npm packages of this folder. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Returns the path of a program, from its path in `node_modules`. */
export function inPackages(bin: string): string {
  return fileURLToPath(new URL(`node_modules/${bin}`, import.meta.url));
}

/** Asks a process to end, and waits for that. */
export async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  end();
  await exit;
}
