/** Serves the built site, as a host of static files would. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** A server of files. */
export interface Site {
  /** The URL of the first page, with a slash at its end. */
  readonly url: string;
  readonly close: () => void;
}

/** Serves the files of a folder on a free port of this machine. */
export async function serveFiles(folder: string): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = decodeURIComponent(pathname).replace(/\/$/, '/index.html');
    readFile(path.join(folder, file)).then(
      (bytes) => {
        const type = TYPES[path.extname(file)] ?? 'text/plain; charset=utf-8';
        response.writeHead(200, { 'content-type': type }).end(bytes);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
