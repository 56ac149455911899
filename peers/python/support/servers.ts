/** The servers of these tests, each reached over HTTP or stdio, in a process of its own. */
import { fileURLToPath } from 'node:url';

import { folder, python, startListening } from './python.js';
import type { Program } from './script.js';

export type Via = 'HTTP' | 'stdio';

/** Both transports in both eras, as a client of either SDK is told them. */
export const routes = (['HTTP', 'stdio'] as const).flatMap((via) => [
  { via, era: '2026-07-28', mode: 'auto' } as const,
  { via, era: '2025-11-25', mode: 'legacy' } as const,
]);

export interface ServerOptions {
  readonly via: Via;
  readonly env?: Record<string, string>;
}

/** The server of an example of this repository. */
export function example(name: string): Program {
  return ours(`../../examples/${name}/server.ts`);
}

/** A server in TypeScript, by its path from this folder. */
export function ours(path: string): Program {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  return { command: process.execPath, args: ['--import', 'tsx', file] };
}

/** The server that is written with the Python SDK. */
export const pythonServer: Program = { command: python, args: [`${folder}server.py`] };

/** Has a server there while it is used: at its URL, or as the program that a client starts. */
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
