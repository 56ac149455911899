/**
 * The same server on the SDK's low-level `Server`, with one handler per method. A low-level server
 * seals nothing by default. `seal.protect(server)` adds it, and the handlers stay the same.
 */
import {
  acceptedContent,
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { requestStateSeal } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

const DeployInput = z.object({ env: z.string() });
const Confirm = z.object({ confirm: z.boolean() });
let runs = 0;

// Created once, because buildServer runs for every HTTP request and all servers need the same key.
const keys = process.env.MCP_RESOLVE_KEYS?.split(',');
const seal =
  keys === undefined
    ? requestStateSeal.ephemeral()
    : requestStateSeal({ keys, audience: 'mrtr-example' });

const tools = [
  {
    name: 'deploy',
    description: 'Deploy to an environment. The user is asked first.',
    inputSchema: {
      type: 'object' as const,
      properties: { env: { type: 'string' } },
      required: ['env'],
    },
  },
  {
    name: 'count_runs',
    description: 'The number of times that the handler of deploy has run.',
    inputSchema: { type: 'object' as const },
  },
];

export function buildServer(): Server {
  const info = { name: 'mrtr-example', version: '1.0.0' };
  const server = new Server(info, { capabilities: { tools: {} } });
  seal.protect(server);

  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    if (params.name === 'deploy') return deploy(DeployInput.parse(params.arguments).env, ctx);
    if (params.name === 'count_runs') return textResult(String(runs));
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${params.name}`);
  });
  return server;
}

function deploy(env: string, { mcpReq }: ServerContext): CallToolResult | InputRequiredResult {
  runs += 1;
  const state = mcpReq.requestState<string>();
  if (state === undefined) {
    const question = { message: `Deploy to ${env}?`, requestedSchema: Confirm };
    const inputRequests = { confirm: inputRequired.elicit(question) };
    return inputRequired({ inputRequests, requestState: 'awaiting-confirm' });
  }
  if (state !== 'awaiting-confirm') throw new Error(`unknown state: ${state}`);
  const approved = acceptedContent(mcpReq.inputResponses, 'confirm', Confirm)?.confirm;
  return textResult(approved === true ? `deployed to ${env}` : `deployment to ${env} cancelled`);
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

await serveWhenRun(import.meta.url, buildServer);
