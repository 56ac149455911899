/** The runtimes of the npm packages, and how each serves the services. */
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { ended, inPackages } from './binaries.js';
import { compiled } from './consumer.js';
import type { Service } from './servers/services.js';
import { startWorkers, WORKERD, type WorkerOptions } from './workerd.js';

/** The services of a running runtime. */
export interface Running {
  readonly urls: Readonly<Record<Service, string>>;
  /** The file that `import 'mcp-resolve'` loads. Unknown for a bundle. */
  readonly loaded?: string;
  /** The URL at which a worker reports its Node globals. */
  readonly root?: string;
  readonly stop: () => Promise<void>;
}

export interface Runtime {
  readonly name: string;
  readonly eras: readonly ('modern' | 'legacy')[];
  /** The command that runs a program. Undefined if the runtime has no programs. */
  readonly command?: readonly [string, ...string[]];
  readonly binary: string;
  readonly start: () => Promise<Running>;
}

export const runtimes: readonly Runtime[] = [
  processes('Node.js 20', 'node-20/bin/node'),
  processes('Node.js 22', 'node-22/bin/node'),
  processes('Node.js 24', 'node-24/bin/node'),
  processes('Bun', '.bin/bun'),
  processes('Deno', '.bin/deno', 'run', '--allow-all'),
  // Current compatibility dates enable these flags by default.
  workers('workerd without nodejs_compat', 'peers/runtimes/servers/worker.ts', {
    flags: ['no_nodejs_compat', 'no_nodejs_compat_v2'],
  }),
  workers('workerd with a Durable Object', 'peers/runtimes/servers/workerWithSessions.ts', {
    objects: ['DeskObject', 'DeskObject'],
  }),
];

/**
 * Returns the version that a runtime reports.
 *
 * @throws {Error} If the binary does not run on this machine.
 */
export function versionOf({ name, binary }: Runtime): string {
  try {
    const said = execFileSync(binary, ['--version'], { encoding: 'utf8' });
    return /\d+[.-]\d+[.-]\d+/.exec(said)?.[0] ?? said;
  } catch (cause) {
    const here = `${process.platform} on ${process.arch}`;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `${name} does not run here, ${here}: ${why}. The packages of peers/runtimes bring binaries for Linux on x64 with glibc; \`npm ci --prefix peers/runtimes\` installs them.`,
      { cause },
    );
  }
}

function processes(name: string, bin: string, ...flags: string[]): Runtime {
  const binary = inPackages(bin);
  const start = async (): Promise<Running> => {
    const args = [...flags, compiled('peers/runtimes/servers/process.ts')];
    const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const said = JSON.parse(await firstLine(child.stdout)) as Omit<Running, 'stop'>;
    return { ...said, stop: () => ended(child, () => child.stdin.end()) };
  };
  return { name, eras: ['modern', 'legacy'], command: [binary, ...flags], binary, start };
}

function workers(name: string, source: string, options: WorkerOptions): Runtime {
  const start = async (): Promise<Running> => {
    const { first: root, stop } = await startWorkers(source, options);
    return {
      root,
      urls: {
        refundDesk: `${root}refundDesk`,
        travelDesk: `${root}travelDesk`,
        deployment: `${root}deployment`,
        otherRefundDesk: `${root}otherRefundDesk`,
      },
      stop,
    };
  };
  // Only an object keeps the sessions of legacy clients.
  const eras: Runtime['eras'] = options.objects === undefined ? ['modern'] : ['modern', 'legacy'];
  return { name, eras, binary: WORKERD, start };
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('the server ended before it said where it listens');
}
