/** The processes of a service, which share a store. A killed process restarts on the same port. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The options of the processes. */
export interface Setup {
  /** The program of each process. It sends a message when it listens. */
  readonly program: URL;
  /** One process for each port. */
  readonly ports: readonly number[];
  /** The environment of the process at an index. */
  readonly env: (index: number) => Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The processes of the service. */
export class Processes {
  /** The ids of killed processes, including those that killed themselves. */
  readonly killed = new Set<number>();
  /** Descriptions of unexpected exits. */
  readonly ended: string[] = [];
  private readonly children: ChildProcess[] = [];
  /** Resolves when the process at the index listens or has exited. */
  private readonly up: Promise<void>[] = [];
  private waiting: (() => void)[] = [];
  private stopping = false;

  private constructor(private readonly setup: Setup) {}

  static async start(setup: Setup): Promise<Processes> {
    const processes = new Processes(setup);
    for (const index of setup.ports.keys()) processes.startOne(index);
    await processes.allUp();
    return processes;
  }

  get ports(): readonly number[] {
    return this.setup.ports;
  }

  async allUp(): Promise<void> {
    await Promise.all(this.up);
  }

  kill(index: number): void {
    this.children[index]?.kill('SIGKILL');
  }

  /** Stops a process for a while. Its connections stay open. */
  async freeze(index: number, ms: number): Promise<void> {
    const child = this.children[index];
    child?.kill('SIGSTOP');
    await delay(ms);
    child?.kill('SIGCONT');
  }

  /** Resolves when a process has exited. */
  async nextDeath(): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.children.map(killed));
  }

  private startOne(index: number): void {
    const child = fork(fileURLToPath(this.setup.program), [], {
      cwd: ROOT,
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, ...this.setup.env(index), PORT: String(this.setup.ports[index]) },
    });
    this.children[index] = child;
    const isUp = once(child, 'message').then(() => undefined);
    const isOver = once(child, 'exit').then(() => this.note(index, child));
    this.up[index] = Promise.race([isUp, isOver]);
  }

  /** Records how a process exited, and restarts it if it was killed. */
  private note(index: number, { pid = 0, signalCode, exitCode }: ChildProcess): void {
    // Ctrl-C in a terminal also reaches a process that has just started.
    if (this.stopping || signalCode === 'SIGINT') return;
    if (signalCode === 'SIGKILL') {
      this.killed.add(pid);
      this.startOne(index);
    } else {
      this.ended.push(`a server process exited with ${signalCode ?? `code ${String(exitCode)}`}`);
    }
    for (const wake of this.waiting.splice(0)) wake();
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
