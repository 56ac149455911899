/** A server without a seal, as a process whose keys come from its environment. Prints its port. */
import { McpServer } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, memoryStore, resolver } from '../../src/index.js';
import { serveHttp } from '../../src/node.js';

const approval = resolver({}, () => confirm('Deploy?'), { asks: 'form' });
const deploy = defineTool('deploy', { resolve: { approval } }, () => 'deployed');
const pay = defineTool('pay', { resolve: { approval }, once: memoryStore() }, () => 'paid');

const definitions = process.argv.includes('--once') ? [pay] : [deploy];
const { port } = await serveHttp(() => {
  const server = new McpServer({ name: 'deployments', version: '1.0.0' });
  install(server, definitions);
  return server;
});
const later = process.argv.find((arg) => arg.startsWith('--later='));
if (later !== undefined) process.env.MCP_RESOLVE_KEYS = later.slice('--later='.length);
process.send?.(port);
