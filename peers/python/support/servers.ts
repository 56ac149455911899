/** Servers in other processes, over HTTP or stdio. */
import { fileURLToPath } from 'node:url';

import { folder, python, startListening } from './python.js';
import type { Program } from './script.js';

export type Via = 'HTTP' | 'stdio';

/** Both transports on both eras, with the mode that clients of both SDKs take. */
export const routes = (['HTTP', 'stdio'] as const).flatMap((via) => [
  { via, era: '2026-07-28', mode: 'auto' } as const,
  { via, era: '2025-11-25', mode: 'legacy' } as const,
]);

export interface ServerOptions {
  readonly via: Via;
  readonly env?: Record<string, string>;
}

/** Returns the server of an example of this repository. */
export function example(name: string): Program {
  return ours(`../../examples/${name}/server.ts`);
}

/** Returns a TypeScript server, by its path from `peers/python`. */
export function ours(path: string): Program {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  return { command: process.execPath, args: ['--import', 'tsx', file] };
}

/** The server with the Python SDK. */
export const pythonServer: Program = { command: python, args: [`${folder}server.py`] };

/** Runs a function with a server: its URL, or the program that a client starts. */
export async function serving<T>(
  { command, args }: Program,
  { via, env = {} }: ServerOptions,
  use: (server: string | Program) => Promise<T>,
): Promise<T> {
  if (via === 'stdio') return use({ command, args, env });
  const { url, close } = await startListening(command, [...args, '--http'], env);
  try {
    return await use(url.href);
  } finally {
    await close();
  }
}
