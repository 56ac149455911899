/**
 * The same from a Durable Object, the one place among workers that can hold the session of a legacy
 * client. Both eras, with the handler of `mcp-resolve/node`; needs `nodejs_compat`.
 */
import { createDualEraHandler } from 'mcp-resolve/node';

import { services } from './services.js';

const handlers = new Map(
  Object.entries(services).map(([name, factory]) => [`/${name}`, createDualEraHandler(factory)]),
);

/** All clients come to one object: a real server has one per session, or per user. */
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
