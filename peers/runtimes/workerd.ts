/** Bundles a worker of the project, and runs it twice in workerd. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { build } from 'vite';

import { ended, inPackages } from './binaries.js';
import { compiled } from './consumer.js';

export const WORKERD = inPackages('.bin/workerd');

const REPLACED = /^node:util$|\/support\/serve\.js$/;

export interface WorkerOptions {
  /** Compatibility flags. */
  readonly flags?: readonly string[];
  /** The binding of Durable Objects and their class, which has a database. */
  readonly objects?: readonly [binding: string, className: string];
}

/** The URLs of two workers that share their objects. */
export interface Workers {
  readonly first: string;
  readonly second: string;
  readonly stop: () => Promise<void>;
}

/** Starts two workers from their source in the repository. */
export async function startWorkers(source: string, options: WorkerOptions): Promise<Workers> {
  const args = ['serve', await makeWorkers(source, options), '--control-fd=3'];
  const child = spawn(WORKERD, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  // workerd does not stop when its standard input ends.
  process.once('exit', () => child.kill());
  const ports: Record<string, number> = {};
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { socket, port } = JSON.parse(line) as { socket: string; port: number };
    ports[socket] = port;
    if (Object.keys(ports).length === 2) break;
  }
  const urlOf = (socket: string): string => {
    if (ports[socket] === undefined)
      throw new Error('workerd ended before it said where it listens');
    return `http://127.0.0.1:${ports[socket]}/`;
  };
  return {
    first: urlOf('first'),
    second: urlOf('second'),
    stop: () => ended(child, () => child.kill()),
  };
}

/** Bundles the worker. @returns The path of the configuration. */
async function makeWorkers(source: string, options: WorkerOptions): Promise<string> {
  const folder = compiled(`workers/${path.basename(source, '.ts')}`);
  await build({
    configFile: false,
    root: compiled('.'),
    logLevel: 'warn',
    resolve: { conditions: ['workerd', 'worker', 'browser', 'import', 'default'] },
    plugins: [
      {
        name: 'no process',
        enforce: 'pre',
        resolveId: (id) =>
          REPLACED.test(id) ? compiled('peers/runtimes/servers/noProcess.ts') : null,
      },
    ],
    build: {
      lib: {
        entry: compiled(source),
        formats: ['es'],
        fileName: 'worker',
      },
      outDir: folder,
      target: 'es2022',
      minify: false,
      rolldownOptions: {
        external: /^(?:node:(?!util$)|cloudflare:)/,
        output: { codeSplitting: false },
      },
    },
  });
  await mkdir(path.join(folder, 'objects'));
  const configuration = path.join(folder, 'workerd.capnp');
  await writeFile(configuration, configurationOf(folder, options));
  return configuration;
}

// Port 0 is any free port. workerd reports it on its control channel. Two workers share the objects
// of the first one.
const configurationOf = (folder: string, { flags = [], objects }: WorkerOptions): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${workerOf('first', flags, objects && bindingOf(objects) + objectsOf(objects))},
    ${workerOf('second', flags, objects && bindingOf(objects))},
    (name = "disk", disk = (path = "${folder}/objects", writable = true)),
  ],
  sockets = [
    (name = "first", address = "127.0.0.1:0", http = (), service = "first"),
    (name = "second", address = "127.0.0.1:0", http = (), service = "second"),
  ],
);
`;

const workerOf = (name: string, flags: readonly string[], more = ''): string => `
    (name = "${name}", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-10-23",
      compatibilityFlags = ${JSON.stringify(flags)},${more}
    ))`;

type Objects = NonNullable<WorkerOptions['objects']>;

const bindingOf = ([binding, className]: Objects): string => `
      bindings = [(name = "${binding}", durableObjectNamespace = (className = "${className}", serviceName = "first"))],`;

const objectsOf = ([, className]: Objects): string => `
      durableObjectNamespaces = [(className = "${className}", uniqueKey = "${className}", enableSql = true)],
      durableObjectStorage = (localDisk = "disk"),`;
