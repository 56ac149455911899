/**
 * The services of every runtime: the stories with a shared key, the refund desk again with another
 * key, and a tool for the documented vectors.
 */
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import {
  confirm,
  defineTool,
  install,
  requestStateSeal,
  type RequestStateSeal,
  resolver,
} from 'mcp-resolve';
import * as z from 'zod';

import { buildServer as buildRefundDesk } from '../../../examples/refund-desk/server.js';
import { buildServer as buildTravelDesk } from '../../../examples/travel-desk/server.js';

// The tests provoke these warnings.
const logger = { warn: (): void => undefined };

// The key is that of docs/state-format.md, and a header names the user. Both are for tests only.
const shared = requestStateSeal({
  keys: ['0123456789abcdef0123456789abcdef'],
  audience: 'runtimes',
  logger,
  principal: ({ http }) => http?.req?.headers.get('x-user') ?? undefined,
});
const another = requestStateSeal({
  keys: ['fedcba9876543210fedcba9876543210'],
  audience: 'runtimes',
  logger,
});

const DeployInput = z.object({ env: z.string().optional() });
const approval = resolver({}, () => confirm('Deploy?'), { asks: 'form' });
const deploy = defineTool(
  'deploy',
  {
    description: 'Deploy to an environment, after a yes.',
    inputSchema: DeployInput,
    resolve: { approval },
  },
  ({ env = 'nowhere' }) => `deployed to ${env}`,
);

function buildDeployment(): McpServer {
  const server = new McpServer({ name: 'deployment', version: '1.0.0' });
  install(server, [deploy]);
  return server;
}

const sealed = (build: () => McpServer, seal: RequestStateSeal) => (): McpServer => {
  const server = build();
  seal.protect(server);
  return server;
};

export const services = {
  refundDesk: sealed(buildRefundDesk, shared),
  travelDesk: sealed(buildTravelDesk, shared),
  deployment: sealed(buildDeployment, shared),
  otherRefundDesk: sealed(buildRefundDesk, another),
} satisfies Record<string, McpServerFactory>;

export type Service = keyof typeof services;
