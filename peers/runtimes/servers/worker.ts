/**
 * Serves everything from a worker, each service on a path of its own. There is no process and no
 * `node:` module: modern requests need neither, and legacy clients are served without a session.
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
