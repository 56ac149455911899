/**
 * The same tool twice. `register_user_by_hand` sends a push request with `elicitInput`, which
 * protocol 2026-07-28 does not have. `register_user` asks with a resolver, which works in both
 * eras, and so does the link of `link_account`.
 *
 * The Python SDK has a story with the tools `register_user` and `link_account`, so its client runs
 * with this server too.
 */
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, elicitUrl, install, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

const MESSAGE = 'Please provide your registration details:';
const Registration = z.object({
  username: z.string(),
  plan: z.enum(['free', 'pro', 'team']).default('free'),
});

// The resolver form.
const registration = resolver({}, () => elicit(MESSAGE, Registration), { asks: Registration });

const registerUser = defineTool(
  'register_user',
  {
    description: 'Register a new account for the user.',
    resolve: { registration: outcome(registration) },
  },
  ({ registration }) =>
    registration.action === 'accept'
      ? confirmation(registration.data)
      : refusal(registration.action),
);

// The hand-written form: a second schema for the form, a push request, and a parse for the type.
function registerByHand(server: McpServer): void {
  server.registerTool(
    'register_user_by_hand',
    { description: 'Register a new account for the user.' },
    async ({ mcpReq }) => {
      const answer = await mcpReq.elicitInput({
        message: MESSAGE,
        requestedSchema: {
          type: 'object',
          properties: {
            username: { type: 'string' },
            plan: { type: 'string', enum: ['free', 'pro', 'team'], default: 'free' },
          },
          required: ['username'],
        },
      });
      if (answer.action !== 'accept') return textResult(refusal(answer.action));
      return textResult(confirmation(Registration.parse(answer.content)));
    },
  );
}

const LinkInput = z.object({ provider: z.enum(['github', 'gitlab']) });

// Accepted means that the user opens the page. The sign-in story waits until the page is completed.
const opened = resolver(
  { provider: argsOf(LinkInput).provider },
  ({ provider }) =>
    elicitUrl(
      `Sign in to ${provider} to link your account`,
      `https://example.com/oauth/${provider}/authorize`,
    ),
  { asks: 'url' },
);

const linkAccount = defineTool(
  'link_account',
  {
    description: 'Link the account of the user at another provider.',
    inputSchema: LinkInput,
    resolve: { opened: outcome(opened) },
  },
  ({ provider, opened }) =>
    opened.action === 'accept' ? `linked ${provider}` : `link ${opened.action}`,
);

function confirmation({ username, plan }: z.infer<typeof Registration>): string {
  return `registered ${username} (plan: ${plan})`;
}

function refusal(action: 'decline' | 'cancel'): string {
  return `registration ${action}`;
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'accounts', version: '1.0.0' });
  install(server, [registerUser, linkAccount]);
  registerByHand(server);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
