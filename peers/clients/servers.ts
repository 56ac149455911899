/**
 * Serves the stories over HTTP and stdio. Both record the messages of the client, so that a test
 * can check its era and count its calls.
 */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { createDualEraHandler } from 'mcp-resolve/node';

import { buildServer as refundDesk } from '../../examples/refund-desk/server.js';
import { buildServer as kitchen } from '../stories/kitchen.js';
import type { Server } from './adapter.js';

export interface Message {
  method?: string;
  params?: { _meta?: Record<string, unknown> };
}

export interface Served {
  server: Server;
  /** Returns the messages that the client has sent so far. */
  said: () => Message[];
  close: () => Promise<void>;
}

const stories = {
  refundDesk: { build: refundDesk, file: '../../examples/refund-desk/server.ts' },
  kitchen: { build: kitchen, file: '../stories/kitchen.ts' },
};
export type Story = keyof typeof stories;

/** Serves a story on the loopback address, in this process. */
export async function overHttp(story: Story): Promise<Served> {
  const said: Message[] = [];
  const handler = createDualEraHandler(stories[story].build);
  const fetch = async (request: Request): Promise<Response> => {
    const body = await request.clone().text();
    if (body !== '') said.push(JSON.parse(body) as Message);
    return handler.fetch(request);
  };
  const listener = serve({ fetch, hostname: '127.0.0.1', port: 0 }) as HttpServer;
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const close = async (): Promise<void> => {
    await handler.close();
    listener.closeAllConnections();
    listener.close();
  };
  return { server: { url: `http://127.0.0.1:${port}/mcp` }, said: () => said, close };
}

/** Returns a command for the client to start, which logs its standard input. */
export function overStdio(story: Story, folder: string): Served {
  const log = join(folder, `${story}.log`);
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const file = fileURLToPath(new URL(stories[story].file, import.meta.url));
  // `tee` writes to its standard output first. That is the log, so it is always up to date.
  const script = 'cd "$1" && tee /dev/fd/3 3>&1 >>"$2" | "$3" --import tsx "$4"';
  const said = (): Message[] =>
    (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [])
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Message);
  return {
    server: { command: 'sh', args: ['-c', script, 'sh', root, log, process.execPath, file] },
    said,
    close: async () => undefined,
  };
}
