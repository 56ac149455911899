/**
 * The server that the official conformance suite is run against. Everything that asks is written
 * with resolvers; everything else is registered as the SDK has it.
 */
import { InMemoryServerEventBus, McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { serveHttp, serveStdio } from 'mcp-resolve/node';
import { parseArgs } from 'node:util';

import { asking } from './asking.js';
import { result, text } from './content.js';
import { forms } from './forms.js';
import { registerPlainTools } from './plain.js';
import { registerPrompts } from './prompts.js';
import { acceptSubscriptions, registerResources } from './resources.js';

/** Over HTTP every request has a server of its own; who listens for changes hears of them here. */
const bus = new InMemoryServerEventBus();

export function buildServer(): McpServer {
  const capabilities = { logging: {}, resources: { subscribe: true } };
  const server = new McpServer({ name: 'conformance', version: '1.0.0' }, { capabilities });
  install(server, [...asking, ...forms]);
  registerPlainTools(server);
  registerPrompts(server);
  registerResources(server);
  acceptSubscriptions(server);
  registerChanges(server);
  return server;
}

/** The suite calls these to hear of a change; the lists stay as they are. */
function registerChanges(server: McpServer): void {
  const toolChange = { description: 'Tells listeners that the tools changed.' };
  server.registerTool('test_trigger_tool_change', toolChange, () => {
    bus.publish({ kind: 'tools_list_changed' });
    server.sendToolListChanged();
    return result(text('Told of a change of tools.'));
  });
  const promptChange = { description: 'Tells listeners that the prompts changed.' };
  server.registerTool('test_trigger_prompt_change', promptChange, () => {
    bus.publish({ kind: 'prompts_list_changed' });
    server.sendPromptListChanged();
    return result(text('Told of a change of prompts.'));
  });
}

const { values } = parseArgs({
  options: { http: { type: 'boolean', default: false }, port: { type: 'string', default: '0' } },
});
if (values.http) {
  const { url, close } = await serveHttp(buildServer, { port: Number(values.port), bus });
  console.log(`Listening on ${url.href}`);
  process.once('SIGINT', () => void close());
} else {
  serveStdio(buildServer);
}
