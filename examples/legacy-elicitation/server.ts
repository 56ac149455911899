/**
 * The same tool twice. `register_by_hand` sends a push request with `elicitInput`, which protocol
 * 2026-07-28 does not have. `register` asks with a resolver, which works in both eras.
 */
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

const RegisterInput = z.object({ workshop: z.string() });
const Details = z.object({ name: z.string(), lunch: z.boolean().default(false) });

// The resolver form.
const details = resolver(
  { workshop: argsOf(RegisterInput).workshop },
  ({ workshop }) => elicit(`Who comes to ${workshop}?`, Details),
  { asks: Details },
);

const register = defineTool(
  'register',
  {
    description: 'Register the user for a workshop.',
    inputSchema: RegisterInput,
    resolve: { details: outcome(details) },
  },
  ({ workshop, details }) =>
    details.action === 'accept' ? confirmation(workshop, details.data) : refusal(details.action),
);

// The hand-written form: a second schema for the form, a push request, and a parse for the type.
function registerByHand(server: McpServer): void {
  server.registerTool(
    'register_by_hand',
    { description: 'Register the user for a workshop.', inputSchema: RegisterInput },
    async ({ workshop }, { mcpReq }) => {
      const answer = await mcpReq.elicitInput({
        message: `Who comes to ${workshop}?`,
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string' }, lunch: { type: 'boolean', default: false } },
          required: ['name'],
        },
      });
      if (answer.action !== 'accept') return textResult(refusal(answer.action));
      return textResult(confirmation(workshop, Details.parse(answer.content)));
    },
  );
}

function confirmation(workshop: string, { name, lunch }: z.infer<typeof Details>): string {
  return `${name} comes to ${workshop}, ${lunch ? 'with' : 'without'} lunch`;
}

function refusal(action: 'decline' | 'cancel'): string {
  return `not registered: the user chose ${action}`;
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'workshops', version: '1.0.0' });
  install(server, [register]);
  registerByHand(server);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
