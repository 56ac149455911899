/**
 * Deploys after an approval, with a tool that handles its rounds by hand. The tool reads and writes
 * its state in plain text. `install` seals the state of every tool on the server.
 *
 * The default key belongs to this process. Set MCP_RESOLVE_KEYS to share a key between processes.
 */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { defineTool, install } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

const DeployInput = z.object({ env: z.string() });
const Confirm = z.object({ confirm: z.boolean() });
let runs = 0;

const countRuns = defineTool(
  'count_runs',
  { description: 'The number of times that the handler of deploy has run.' },
  () => String(runs),
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'mrtr-example', version: '1.0.0' });
  install(server, [countRuns]);

  server.registerTool(
    'deploy',
    { description: 'Deploy to an environment. The user is asked first.', inputSchema: DeployInput },
    ({ env }, { mcpReq }) => {
      runs += 1;
      const state = mcpReq.requestState<string>();
      if (state === undefined) {
        const question = { message: `Deploy to ${env}?`, requestedSchema: Confirm };
        const inputRequests = { confirm: inputRequired.elicit(question) };
        return inputRequired({ inputRequests, requestState: 'awaiting-confirm' });
      }
      if (state !== 'awaiting-confirm') throw new Error(`unknown state: ${state}`);
      const approved = acceptedContent(mcpReq.inputResponses, 'confirm', Confirm)?.confirm;
      const text = approved === true ? `deployed to ${env}` : `deployment to ${env} cancelled`;
      return { content: [{ type: 'text', text }] };
    },
  );
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
