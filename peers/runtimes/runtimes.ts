/** The runtimes of the npm packages, and how each serves the services. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { compiled } from './consumer.js';
import type { Service } from './servers/services.js';
import { makeWorker } from './workerd.js';

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
  workers('workerd without nodejs_compat', ['modern'], () =>
    makeWorker('worker', { flags: ['no_nodejs_compat', 'no_nodejs_compat_v2'] }),
  ),
  workers('workerd with a Durable Object', ['modern', 'legacy'], () =>
    makeWorker('workerWithSessions', { flags: [], object: 'DeskObject' }),
  ),
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

function workers(
  name: string,
  eras: Runtime['eras'],
  makeConfiguration: () => Promise<string>,
): Runtime {
  const binary = inPackages('.bin/workerd');
  const start = async (): Promise<Running> => {
    const args = ['serve', await makeConfiguration(), '--control-fd=3'];
    const child = spawn(binary, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
    // workerd does not stop when its standard input ends.
    process.once('exit', () => child.kill());
    const { port } = JSON.parse(await firstLine(child.stdio[3] as Readable)) as { port: number };
    const at = (service: Service): string => `http://127.0.0.1:${port}/${service}`;
    return {
      root: `http://127.0.0.1:${port}/`,
      urls: {
        refundDesk: at('refundDesk'),
        travelDesk: at('travelDesk'),
        deployment: at('deployment'),
        otherRefundDesk: at('otherRefundDesk'),
      },
      stop: () => ended(child, () => child.kill()),
    };
  };
  return { name, eras, binary, start };
}

function inPackages(bin: string): string {
  return fileURLToPath(new URL(`node_modules/${bin}`, import.meta.url));
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('the server ended before it said where it listens');
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  end();
  await exit;
}
