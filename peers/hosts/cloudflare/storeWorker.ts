/** Uses the store in a worker, for the tests: for its contract, and for calls that run once. */
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { env } from 'cloudflare:workers';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { storeContract } from 'mcp-resolve/testing';

import { durableObjectStore } from './recordStore.js';

export { StoredRecord } from './recordStore.js';

const store = durableObjectStore(env.RECORDS);
const checks = storeContract(() => store);

const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
const pay = defineTool('pay', { resolve: { approved }, once: store }, () => {
  return `Paid as ${crypto.randomUUID()}.`;
});
const seal = requestStateSeal({ keys: ['0123456789abcdef0123456789abcdef'], audience: 'store' });

function buildServer(): McpServer {
  const server = new McpServer({ name: 'store', version: '1.0.0' });
  install(server, [pay], { seal });
  return server;
}

buildServer(); // a mistake ends the start of the worker, and not a request
const handler = createMcpHandler(buildServer);

/** Runs a check, and answers with its error, if any. */
async function answerCheck(name: string | null): Promise<Response> {
  try {
    const check = checks.find((check) => check.name === name);
    if (check === undefined) throw new Error(`There is no check '${name}'.`);
    await check.run();
    return new Response('passed');
  } catch (error) {
    return new Response(String(error));
  }
}

export default {
  fetch: (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    return pathname === '/check' ? answerCheck(searchParams.get('name')) : handler.fetch(request);
  },
};
