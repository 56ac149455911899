import { OAuthProvider } from '@cloudflare/workers-oauth-provider';
import { McpServer } from '@modelcontextprotocol/server';
import { createMcpHandler, getMcpAuthContext } from 'agents/mcp/server';
import { DurableObject, env } from 'cloudflare:workers';
import { install, requestStateSeal } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';
import * as z from 'zod';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

export { StoredRecord } from './recordStore.js';

const RESOURCE = 'https://payments.example.com/mcp';

// The user: the properties that the sign-in stored. The tokens of OAuthProvider have no subject.
const seal = requestStateSeal({
  keys: () => env.MCP_RESOLVE_KEYS.split(','),
  audience: 'payments',
  principal: () => z.string().parse(getMcpAuthContext()?.props.userId),
});

function buildServer(): McpServer {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice], { seal });
  return server;
}

buildServer(); // a wrong definition or store ends the start of the worker, and not a request
const handler = createMcpHandler(buildServer);

/** Keeps the sessions of one user, so that clients of both eras can be asked. */
export class Sessions extends DurableObject {
  private readonly handler = createDualEraHandler(
    () => {
      const server = new McpServer({ name: 'payments', version: '1.0.0' });
      install(server, [payInvoice]); // the keys are in MCP_RESOLVE_KEYS
      return server;
    },
    {
      allowedHosts: ['payments.example.com'],
      authenticate: (request) => verify(request.headers.get('authorization')),
    },
  );

  override fetch(request: Request): Promise<Response> {
    return this.handler.fetch(request);
  }
}

function serveSessions(request: Request): Response | Promise<Response> {
  const authInfo = verify(request.headers.get('authorization'));
  if (authInfo === undefined) return new Response('Who are you?', { status: 401 });
  return env.SESSIONS.getByName(authInfo.extra.sub).fetch(request);
}

export default new OAuthProvider({
  apiRoute: '/mcp',
  apiHandler: { fetch: handler },
  defaultHandler: { fetch: serveSessions },
  authorizeEndpoint: '/authorize',
  tokenEndpoint: '/token',
  resourceMetadata: { resource: RESOURCE },
  // The tokens of these users come from another issuer.
  async resolveExternalToken({ token }) {
    const authInfo = verify(token);
    if (authInfo === undefined) return null;
    return { props: { userId: authInfo.extra.sub }, audience: RESOURCE };
  },
});
