/** SDK clients of both eras, each with a user who answers every question. They close after the test. */
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Era } from 'mcp-resolve/testing';

import { closeAfterTest } from '../support/servers.js';

/** Creates a client of an era. Its user answers every question with their name. */
export function newClient(era: Era, user = 'Ada'): Client {
  const versionNegotiation: ClientOptions['versionNegotiation'] = {
    mode: era === 'modern' ? 'auto' : 'legacy',
  };
  const client = new Client(
    { name: `client of ${user}`, version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation },
  );
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { name: user },
  }));
  closeAfterTest(() => client.close());
  return client;
}

/** Connects a client to an endpoint. */
export async function connect(url: URL, era: Era, user?: string, token?: string): Promise<Client> {
  const client = newClient(era, user);
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(url, headers ? { requestInit: { headers } } : {}),
  );
  return client;
}

/** Calls a tool and returns the text of its result. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  const result = await client.callTool({ name, arguments: args });
  return result.content[0]?.type === 'text' ? result.content[0].text : result;
}
