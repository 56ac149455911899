/**
 * Serves all services over HTTP, each on its own port, and prints their URLs and the file of the
 * package as one line of JSON. Stops when its standard input ends.
 */
import { serveHttp } from 'mcp-resolve/node';

import { services } from './services.js';

const handles = await Promise.all(
  Object.entries(services).map(async ([name, factory]) => ({
    name,
    ...(await serveHttp(factory)),
  })),
);
const urls = Object.fromEntries(handles.map(({ name, url }) => [name, url.href]));
console.log(JSON.stringify({ urls, loaded: import.meta.resolve('mcp-resolve') }));

process.stdin.resume().once('end', () => {
  for (const { close } of handles) void close({ timeoutMs: 0 });
});
