/**
 * Serves all services from a worker, each on its own path, without a process and without `node:`
 * modules. Legacy clients have no session.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';

import { services } from './services.js';

const handlers = new Map(
  Object.entries(services).map(([name, factory]) => [`/${name}`, createMcpHandler(factory)]),
);

export default {
  fetch: async (request: Request): Promise<Response> => {
    const handler = handlers.get(new URL(request.url).pathname);
    return handler?.fetch(request) ?? Response.json([typeof process, typeof Buffer]);
  },
};
