/**
 * Serves all services from a Durable Object, which can hold the sessions of legacy clients. Uses
 * the handler of `mcp-resolve/node` for both eras, and needs `nodejs_compat`.
 */
import { createDualEraHandler } from 'mcp-resolve/node';

import { services } from './services.js';

const handlers = new Map(
  Object.entries(services).map(([name, factory]) => [`/${name}`, createDualEraHandler(factory)]),
);

/** The object of all clients. A real server has one per session or per user. */
export class DeskObject {
  async fetch(request: Request): Promise<Response> {
    const handler = handlers.get(new URL(request.url).pathname);
    return handler?.fetch(request) ?? Response.json([typeof process, typeof Buffer]);
  }
}

interface Env {
  DeskObject: { getByName(name: string): DeskObject };
}

export default {
  fetch: (request: Request, { DeskObject: objects }: Env): Promise<Response> =>
    objects.getByName('all').fetch(request),
};
