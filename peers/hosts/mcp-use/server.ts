import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import { type HandlerContext, toolHandler } from 'mcp-resolve';
import { MCPServer, type RequestContext } from 'mcp-use';
import { OAuthError, OAuthErrorCode, oauthCustomProvider } from 'mcp-use/oauth';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

// The user: mcp-use shows what this provider has validated as `ctx.auth`.
const oauth = oauthCustomProvider({
  createTokenVerifier: (resource) => ({
    verifyAccessToken: async (token) => {
      const authInfo = verify(token);
      if (!authInfo) throw new OAuthError(OAuthErrorCode.InvalidToken, 'Unknown token');
      return { ...authInfo, resource };
    },
  }),
  oauthMetadata: {
    issuer: 'https://id.example.com',
    authorization_endpoint: 'https://id.example.com/authorize',
    token_endpoint: 'https://id.example.com/token',
    response_types_supported: ['code'],
  },
  mapAuthInfo: ({ extra = {} }) => ({ user: extra.sub, payload: extra, permissions: [] }),
});

const server = new MCPServer({ name: 'payments', version: '1.0.0', oauth });

/** Passes on the parts of mcp-use's context that a handler needs. */
function contextOf(ctx: RequestContext<unknown, true>): HandlerContext {
  const { signal, requestState, inputResponses, client, auth } = ctx;
  const envelope = { [CLIENT_CAPABILITIES_META_KEY]: client.capabilities() };
  const { accessToken: token, clientId = '', scopes, payload: extra } = auth;
  return {
    mcpReq: { signal, requestState, inputResponses, envelope },
    http: { authInfo: { token, clientId, scopes, extra } },
  };
}

const pay = toolHandler(payInvoice, { protocolVersion: '2026-07-28', argumentsParsed: true });
server.tool(payInvoice, (args, ctx) => pay(args, contextOf(ctx)));

const { port } = await server.listen();
console.log(`http://127.0.0.1:${port}`);
