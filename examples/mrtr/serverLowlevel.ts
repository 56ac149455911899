/**
 * The same server on the SDK's low-level `Server`, with handlers for whole methods. Nothing is
 * sealed there until one line protects it; the handlers stay as they are.
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

// Made once: over HTTP, buildServer runs for every request, and all of them need the one key.
const key = process.env.REQUEST_STATE_KEY;
const seal =
  key === undefined
    ? requestStateSeal.ephemeral()
    : requestStateSeal({ keys: [key], audience: 'mrtr-example' });

const tools = [
  {
    name: 'deploy',
    description: 'Deploy to an environment. A person is asked first.',
    inputSchema: {
      type: 'object' as const,
      properties: { env: { type: 'string' } },
      required: ['env'],
    },
  },
  {
    name: 'count_runs',
    description: 'How often the handler of deploy ran since the server started.',
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
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no such tool: ${params.name}`);
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
  if (state !== 'awaiting-confirm') throw new Error(`no such state: ${state}`);
  const yes = acceptedContent(mcpReq.inputResponses, 'confirm', Confirm)?.confirm;
  return textResult(yes === true ? `deployed to ${env}` : `deployment to ${env} cancelled`);
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

await serveWhenRun(import.meta.url, buildServer);
