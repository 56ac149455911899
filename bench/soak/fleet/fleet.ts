/**
 * The processes of one service. They share keys and an audience. A restarted process first finishes
 * its requests, and then gets the new keys and the same port.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A message of a process: its port when it listens, or its refusals when it stops. */
export type Report = { readonly port: number } | { readonly rejections: Record<string, number> };

/** The options of a fleet. */
export interface FleetOptions {
  readonly audience: string;
  readonly keys: readonly string[];
  readonly ttlSeconds: number;
  /** One process for each port. */
  readonly ports: readonly number[];
}

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAM = fileURLToPath(new URL('server.ts', import.meta.url));

/** The processes of a service. */
export class Fleet {
  /** The refusals of all stopped processes, counted by reason. */
  readonly rejections = new Map<string, number>();
  restarts = 0;
  private waiting: (() => void)[] = [];

  private constructor(
    private options: FleetOptions,
    private readonly processes: Running[],
  ) {}

  static async start(options: FleetOptions): Promise<Fleet> {
    const processes = options.ports.map((port) => startProcess(options, port));
    return new Fleet(options, await Promise.all(processes));
  }

  get audience(): string {
    return this.options.audience;
  }

  get ports(): readonly number[] {
    return this.processes.map(({ port }) => port);
  }

  /** Restarts the processes one after the other with these keys, and awaits `pause` after each. */
  async rollOut(
    keys: readonly string[] = this.options.keys,
    pause: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    this.options = { ...this.options, keys };
    for (const [index, running] of this.processes.entries()) {
      this.note(await stopProcess(running));
      this.processes[index] = await startProcess(this.options, running.port);
      this.restarts += 1;
      this.wake();
      await pause();
    }
  }

  /**
   * Waits until a process has restarted, or until the end of all restarts, but at most for these
   * seconds. Returns true if it did not have to give up.
   */
  async nextRestart(seconds: number): Promise<boolean> {
    const restarted = new Promise<boolean>((resolve) => this.waiting.push(() => resolve(true)));
    return Promise.race([restarted, delay(seconds * 1000, false, { ref: false })]);
  }

  /** Resolves all calls of {@link nextRestart}. */
  wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }

  async stop(): Promise<void> {
    const reports = await Promise.all(this.processes.splice(0).map(stopProcess));
    for (const rejections of reports) this.note(rejections);
  }

  private note(rejections: Readonly<Record<string, number>>): void {
    for (const [reason, count] of Object.entries(rejections)) {
      this.rejections.set(reason, (this.rejections.get(reason) ?? 0) + count);
    }
  }
}

async function startProcess(options: FleetOptions, port: number): Promise<Running> {
  const { keys, audience, ttlSeconds } = options;
  const child = fork(PROGRAM, [], {
    cwd: ROOT,
    execArgv: ['--import', 'tsx'],
    env: {
      ...process.env,
      REQUEST_STATE_KEYS: keys.join(' '),
      AUDIENCE: audience,
      TTL_SECONDS: String(ttlSeconds),
      PORT: String(port),
    },
  });
  const report = await nextReport(child);
  if (!('port' in report)) throw new Error('a server process stopped before it listened');
  return { child, port: report.port };
}

/** Stops a process and returns its refusals. The process has exited, so its port is free. */
async function stopProcess({ child }: Running): Promise<Readonly<Record<string, number>>> {
  if (child.exitCode !== null) return {};
  const reported = nextReport(child);
  child.send('stop');
  const report = await reported;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
  return 'rejections' in report ? report.rejections : {};
}

/**
 * Returns the next message of a process.
 *
 * @throws Error If the process exits first.
 */
async function nextReport(child: ChildProcess): Promise<Report> {
  const end = new AbortController();
  const { signal } = end;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([report]) => report as Report),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`a server process exited with code ${String(code)}`);
      }),
    ]);
  } finally {
    end.abort();
  }
}
