/** Tests a stdio server of SDK 1.x in a process of its own, with clients of both SDKs. */
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';

import { closeAfterTest } from '../support/servers.js';

const program = fileURLToPath(new URL('stdioServer.ts', import.meta.url));
const command = { command: process.execPath, args: ['--import', 'tsx', program] };
const capabilities = { elicitation: { form: {} } };
const asked: string[] = [];
const yes = ({ params }: { params: { message: string } }) => {
  asked.push(params.message);
  return { action: 'accept' as const, content: { confirm: true } };
};

async function connectV1(): Promise<ClientV1> {
  const client = new ClientV1({ name: 'v1', version: '1.0.0' }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, yes);
  closeAfterTest(() => client.close());
  await client.connect(new StdioV1(command));
  return client;
}

async function connectV2(): Promise<Client> {
  const client = new Client(
    { name: 'v2', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', yes);
  closeAfterTest(() => client.close());
  await client.connect(new StdioClientTransport(command));
  return client;
}

describe.each([
  ['SDK 1.x', connectV1],
  ['SDK 2.x', connectV2],
])('a stdio server of SDK 1.x with a client of %s', (_, connect) => {
  it('asks, and keeps its own tools', async () => {
    asked.splice(0);
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['greet', 'pay']);
    const paid = await client.callTool({ name: 'pay', arguments: { invoice: 'INV-2' } });
    expect(paid.content).toEqual([{ type: 'text', text: 'Paid 900 euros for INV-2.' }]);
    expect(asked).toEqual(['Pay 900 euros for INV-2?']);
    const { content } = await client.callTool({ name: 'greet' });
    expect(content).toEqual([{ type: 'text', text: 'hello' }]);
  });
});
