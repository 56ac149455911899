/** A program that opens a session and prints if the request of the handshake was collected. */
import { McpServer } from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, install } from '../../src/index.js';
import { createDualEraHandler } from '../../src/node.js';
import { initialize, isOpen, post } from './rawHttp.js';

const hello = defineTool('hello', {}, () => 'Hello');

const handler = createDualEraHandler((request) => {
  const server = new McpServer({ name: 'kept', version: '1.0.0' });
  install(server, [hello], { request });
  return server;
});

/** Opens a session. It is a function, because a variable of the module would keep the request. */
async function shakeHands(): Promise<{ id: string; request: WeakRef<Request> }> {
  const request = post(initialize);
  const response = await handler.fetch(request);
  await response.text();
  return { id: response.headers.get('mcp-session-id')!, request: new WeakRef(request) };
}

const { id, request } = await shakeHands();
// `deref` keeps the request until the end of the task, so several tasks are necessary.
for (let time = 0; time < 10 && request.deref() !== undefined; time += 1) {
  await wait(10);
  globalThis.gc?.();
}
const collected = request.deref() === undefined;
process.stdout.write(`${JSON.stringify({ open: await isOpen(handler, id), collected })}\n`);
