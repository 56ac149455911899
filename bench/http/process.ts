/** Starts a server in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Era, FlowName } from './messages.js';

/** The kind of server. */
export interface Served {
  /** The program of Node, if it is not that of this process. */
  readonly node?: string;
  readonly way: 'ours' | 'byHand';
  readonly tool: FlowName;
  readonly era: Era;
}

/** Bytes after garbage collection. */
export interface Memory {
  readonly heap: number;
  readonly rss: number;
}

export interface ServerProcess {
  readonly url: string;
  /** Returns the CPU time of the process so far, in milliseconds. */
  readonly cpu: () => Promise<number>;
  readonly memory: () => Promise<Memory>;
  readonly stop: () => void;
}

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const tsconfig = program('../tsconfig.run.json');

/** Starts a server. It exits with this process at the latest. */
export function start({ way, tool, era, node }: Served): Promise<ServerProcess> {
  return startProgram(program('../cases/httpServer.ts'), [way, tool, era], node);
}

/** Starts a proxy that passes each request on to the next of the servers. */
export function startProxy(urls: readonly string[]): Promise<ServerProcess> {
  return startProgram(program('../cases/proxy.ts'), urls);
}

/** Starts a server that answers the requests of a flow with these bodies, and does nothing else. */
export function startEcho(bodies: readonly string[]): Promise<ServerProcess> {
  return startProgram(program('../cases/echo.ts'), bodies);
}

async function startProgram(
  file: string,
  args: readonly string[],
  node = process.execPath,
): Promise<ServerProcess> {
  const child = fork(file, args, {
    execPath: node,
    execArgv: ['--import', 'tsx', '--expose-gc'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig },
  });
  let stopped = false;
  // Warnings, which every server prints again, matter only if it fails.
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.on('exit', (code) => {
    if (!stopped) throw new Error(`${file} exited with code ${code}:\n${printed}`);
  });
  const told = async <T>(): Promise<T> => ((await once(child, 'message')) as [T])[0];
  const ask = async <T>(question: string): Promise<T> => {
    const answer = told<T>();
    child.send(question);
    return answer;
  };
  const { url } = await told<{ readonly url: string }>();
  return {
    url,
    cpu: async () => (await ask<{ readonly cpu: number }>('cpu')).cpu / 1000,
    memory: () => ask<Memory>('memory'),
    stop: () => {
      stopped = true;
      child.disconnect();
    },
  };
}
