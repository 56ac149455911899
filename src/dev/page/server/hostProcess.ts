/**
 * Keeps the author's module loaded: one process for each version of it. While a new version loads,
 * the page keeps what it shows.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ModuleCommand } from '../../load/findDefinitions.js';
import type { FromHost, ToHost } from '../module/moduleHost.js';
import type { Action, ModuleState, RunNews } from '../protocol.js';

/** Receives the state of the module and the news of its runs. */
export interface HostListener {
  readonly onModule: (module: ModuleState) => void;
  readonly onRun: (news: RunNews) => void;
}

/** The built program of the process. It is beside the command. */
const PROGRAM = fileURLToPath(new URL('./devHost.mjs', import.meta.url));

/** The time in which the process has to take an action. It takes one at once, unless it is blocked. */
const PATIENCE_MS = 1000;

/** The process that has the author's module loaded. */
export class HostProcess {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private module: ModuleState;

  constructor(
    private readonly command: ModuleCommand,
    specifier: string,
    private readonly listener: HostListener,
  ) {
    const { file } = command;
    this.module = { status: 'loading', file, specifier, outlines: [], identities: {} };
  }

  /** Loads the module in a new process, and ends the one before. */
  load(): void {
    this.end();
    // Whatever the module prints goes to standard error.
    const child = fork(PROGRAM, [], { stdio: ['ignore', 2, 2, 'ipc'] });
    this.child = child;
    this.change({ status: 'loading' });
    child.on('message', (message: FromHost) => {
      if (child === this.child) this.hear(message);
    });
    child.on('error', (error) => this.lost(child, `Its process failed: ${error.message}`));
    child.on('exit', (code, signal) => {
      this.lost(child, `Its process ended with ${signal ?? `exit code ${code ?? 0}`}.`);
    });
    this.send({ type: 'load', command: this.command });
  }

  /** Passes an action of the page on. */
  act(action: Exclude<Action, { readonly type: 'reload' }>): void {
    if (this.module.status !== 'ready') return;
    this.send(action);
    this.timer ??= setTimeout(() => this.change({ status: 'stuck' }), PATIENCE_MS);
  }

  /** Ends the process. */
  end(): void {
    const { child } = this;
    this.child = undefined;
    this.stopTimer();
    child?.kill('SIGKILL');
  }

  private send(message: ToHost): void {
    this.child?.send(message, () => undefined);
  }

  private hear(message: FromHost): void {
    if (message.type === 'took') {
      this.stopTimer();
      if (this.module.status === 'stuck') this.change({ status: 'ready' });
    } else if (message.type === 'run') this.listener.onRun(message.news);
    else if (message.type === 'failed') this.change({ status: 'failed', problem: message.problem });
    else {
      const { outlines, identities } = message;
      this.change({ status: 'ready', outlines, identities });
    }
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private lost(child: ChildProcess, what: string): void {
    if (child !== this.child || this.module.status === 'failed') return;
    this.child = undefined;
    this.stopTimer();
    const problem = `${this.command.file} is not loaded any more. ${what}`;
    this.change({ status: 'failed', problem });
  }

  private change(change: Partial<ModuleState>): void {
    const { problem: _, ...module } = this.module;
    this.module = { ...module, ...change };
    this.listener.onModule(this.module);
  }
}
