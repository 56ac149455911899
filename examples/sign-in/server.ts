/** A clinic on one port: the MCP server at /mcp behind a bearer check, and the page at /sign-in. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { McpServer, requireBearerAuth } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { install, requestStateSeal } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { type Listening, openWhenRun } from '../support/serve.js';
import { verifyAccessToken } from './people.js';
import { labResults } from './results.js';
import { SignIns } from './signIns.js';
import { signInSite } from './site.js';

export interface ClinicOptions {
  port?: number;
  patienceMs?: number;
}

export async function openClinic(options: ClinicOptions = {}): Promise<Listening> {
  const { port = 0, patienceMs = 45_000 } = options;
  const app = new Hono();
  const listener = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }) as Server;
  await once(listener, 'listening');
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;

  const signIns = new SignIns();
  const pageFor = (callId: string): URL => new URL(`/sign-in?call=${callId}`, origin);
  const tool = labResults({ signIns, pageFor, patienceMs });
  // The sign-ins exist only in this process, so a key of this process is enough.
  const seal = requestStateSeal.ephemeral();
  const buildServer = (): McpServer => {
    const server = new McpServer({ name: 'clinic', version: '1.0.0' });
    install(server, [tool], { seal });
    return server;
  };
  const authenticate = requireBearerAuth({ verifier: { verifyAccessToken } });
  const handler = createDualEraHandler(buildServer, { authenticate });
  app.all('/mcp', (c) => handler.fetch(c.req.raw));
  app.route('/sign-in', signInSite(signIns));

  return {
    url: new URL('/mcp', origin),
    close: async () => {
      await handler.close();
      listener.closeAllConnections();
      listener.close();
    },
  };
}

await openWhenRun(import.meta.url, (port) => openClinic({ port }));
