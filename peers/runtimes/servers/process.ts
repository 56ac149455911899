/**
 * Serves everything over HTTP, each service on a port of its own, and says in one line of JSON
 * where they are and which copy of the package serves them. Ends with its standard input.
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
