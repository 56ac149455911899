/** Ends, freezes and kills servers, with their child processes. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to a process and waits for its end. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Kills a process and its child processes. */
export async function killAll(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  signalAll(child.pid, 'SIGKILL');
  await exited;
}

/** Sends a signal to a process and its child processes, on Linux. */
export function signalAll(pid: number, signal: NodeJS.Signals): void {
  // The parent first, so that it starts nothing in between.
  const children = (): number[] => [...parents()].flatMap(([id, of]) => (of === pid ? id : []));
  const before = children();
  send(pid, signal);
  for (const child of new Set([...before, ...children()])) send(child, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns the parent of each process. */
function parents(): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The command, in parentheses, may have spaces. The state and the parent follow it.
      found.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // The process has ended in the meantime.
    }
  }
  return found;
}
