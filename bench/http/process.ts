/** Starts a server in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Era = '2026-07-28' | '2025-11-25';

/** The kind of server. */
export interface Served {
  readonly way: 'ours' | 'byHand';
  readonly tool: 'confirm' | 'plain';
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

const program = fileURLToPath(new URL('../cases/httpServer.ts', import.meta.url));
const tsconfig = fileURLToPath(new URL('../tsconfig.run.json', import.meta.url));

/** Starts a server. It exits with this process at the latest. */
export async function start({ way, tool, era }: Served): Promise<ServerProcess> {
  const child = fork(program, [way, tool, era], {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig },
  });
  let stopped = false;
  child.on('exit', (code) => {
    if (!stopped) throw new Error(`the server exited with code ${code}`);
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
