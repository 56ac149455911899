/**
 * A bank that gives handles, over HTTP, and a client of the SDK that declares tasks. Both are of
 * the SDK that this repository installs, whatever the packages of a suite install.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { confirm, install, resolver } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import type { RecordStore } from 'mcp-resolve/store';

import { sealOf, secondPair, type PayOptions } from '../../test/approvals/bank.js';
import { FORMS_AND_TASKS, type TaskBank, taskBank } from '../../test/approvals/tasks/poller.js';
import { SILENT } from '../../test/support/servers.js';

const pair = secondPair();
const afterwards = resolver({ pair }, () => confirm('Pay it now?'), { asks: 'form' });

/** Asks the caller once the treasury has approved. */
export const ASKS_AFTERWARDS: Partial<PayOptions> = { resolve: { pair, afterwards } };

/** Has a body that ends with a protocol error. */
export const FAILS: Partial<PayOptions> = {
  body: () => {
    throw new ProtocolError(-32_000, 'The bank is closed');
  },
};

/** A bank that is served. */
export interface ServedTasks extends TaskBank {
  readonly url: URL;
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/** Serves a bank, and connects a client. */
export async function serveTasks(
  pay: Partial<PayOptions>,
  store: RecordStore,
): Promise<ServedTasks> {
  const bank = taskBank(pay, { store, now: Date.now });
  const seal = sealOf('ann');
  const { url, close } = await serveHttp(() => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    install(server, [bank.tool], { seal, logger: SILENT });
    return server;
  });
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { capabilities: FORMS_AND_TASKS, versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(new StreamableHTTPClientTransport(url));
  const closeBoth = async (): Promise<void> => {
    await client.close();
    await close();
  };
  return { ...bank, url, client, close: closeBoth };
}
