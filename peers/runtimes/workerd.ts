/** Bundles a worker of the project, and writes the configuration of workerd. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';

import { compiled } from './consumer.js';

const REPLACED = /^node:util$|\/support\/serve\.js$/;

export interface WorkerOptions {
  /** Compatibility flags. */
  readonly flags: readonly string[];
  /** The class of the Durable Object, which is also the name of its binding. */
  readonly object?: string;
}

/** Creates a worker from its source. @returns The path of the configuration. */
export async function makeWorker(name: string, options: WorkerOptions): Promise<string> {
  const folder = compiled(`workers/${name}`);
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
        entry: compiled(`peers/runtimes/servers/${name}.ts`),
        formats: ['es'],
        fileName: 'worker',
      },
      outDir: folder,
      target: 'es2022',
      minify: false,
      rolldownOptions: { external: /^node:(?!util$)/, output: { codeSplitting: false } },
    },
  });
  const configuration = path.join(folder, 'workerd.capnp');
  await writeFile(configuration, configurationOf(options));
  return configuration;
}

// Port 0 is any free port. workerd reports it on its control channel.
const configurationOf = ({ flags, object }: WorkerOptions): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-10-23",
    compatibilityFlags = ${JSON.stringify(flags)},
    ${object === undefined ? '' : bindingOf(object)}
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

const bindingOf = (object: string): string => `
    durableObjectNamespaces = [(className = "${object}", uniqueKey = "${object}")],
    durableObjectStorage = (inMemory = void),
    bindings = [(name = "${object}", durableObjectNamespace = "${object}")],`;
