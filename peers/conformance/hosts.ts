/** Serves `examples/conformance` at a URL, directly over HTTP or through a gateway to stdio. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

import { versionOf } from '../support/report.js';

export interface Host {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const out = fileURLToPath(new URL('out/', import.meta.url));
const gateway = new URL('node_modules/supergateway/', import.meta.url);

export const gatewayVersion = versionOf(gateway);

export const fromSources = ['--import', 'tsx', 'examples/conformance/server.ts'];

export function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
}

export async function overHttp(): Promise<Host> {
  const server = start([...fromSources, '--http']);
  const url = await lineWith(server, /^Listening on (\S+)$/);
  return { url, stop: () => ended(server) };
}

/** Starts a gateway, because the suite calls only URLs. */
export async function overStdio(): Promise<Host> {
  await bundle();
  const port = await freePort();
  const server = `"${process.execPath}" "${out}server.mjs"`;
  const program = fileURLToPath(new URL('dist/index.js', gateway));
  const flags = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port)];
  const child = start([program, '--stdio', server, ...flags]);
  await lineWith(child, /(Listening on port)/);
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => ended(child) };
}

/** Bundles the server, because the gateway starts it hundreds of times and tsx takes a second. */
async function bundle(): Promise<void> {
  await build({
    config: false,
    entry: { server: 'examples/conformance/server.ts' },
    cwd: root,
    outDir: out,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    dts: false,
    deps: { alwaysBundle: [/./] },
    logLevel: 'error',
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Waits for a line, and keeps reading so that a full pipe does not block the program. */
export async function lineWith(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const [, found] = pattern.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code} and never listened`)));
  });
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
