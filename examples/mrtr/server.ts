/**
 * Deploys after a yes, with a tool that does its rounds by hand. It writes and reads its state in
 * plain text: `install` seals what leaves the server, for every tool that is on it.
 *
 * The key is one that only this process has; REQUEST_STATE_KEY has several processes share one.
 */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { defineTool, install, type InstallOptions, requestStateSeal } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

const DeployInput = z.object({ env: z.string() });
const Confirm = z.object({ confirm: z.boolean() });
let runs = 0;

// Made once: over HTTP, buildServer runs for every request. Without a key, nothing is configured.
const key = process.env.REQUEST_STATE_KEY;
const options: InstallOptions =
  key === undefined ? {} : { seal: requestStateSeal({ keys: [key], audience: 'mrtr-example' }) };

const countRuns = defineTool(
  'count_runs',
  { description: 'How often the handler of deploy ran since the server started.' },
  () => String(runs),
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'mrtr-example', version: '1.0.0' });
  install(server, [countRuns], options);

  server.registerTool(
    'deploy',
    { description: 'Deploy to an environment. A person is asked first.', inputSchema: DeployInput },
    ({ env }, { mcpReq }) => {
      runs += 1;
      const state = mcpReq.requestState<string>();
      if (state === undefined) {
        const question = { message: `Deploy to ${env}?`, requestedSchema: Confirm };
        const inputRequests = { confirm: inputRequired.elicit(question) };
        return inputRequired({ inputRequests, requestState: 'awaiting-confirm' });
      }
      if (state !== 'awaiting-confirm') throw new Error(`no such state: ${state}`);
      const yes = acceptedContent(mcpReq.inputResponses, 'confirm', Confirm)?.confirm;
      const text = yes === true ? `deployed to ${env}` : `deployment to ${env} cancelled`;
      return { content: [{ type: 'text', text }] };
    },
  );
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
