/** Tasks of the installed SDK. With one that cannot serve them, `tasks/` does not run. */
import { McpServer } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { expect, it } from 'vitest';

import { sdkHas } from '../support/sdk.js';
import { SILENT } from '../support/servers.js';
import { BY_HEADER, taskBank, TASKS } from './tasks/poller.js';

it('T1 advertises the extension, or says which SDK it requires', () => {
  const server = new McpServer({ name: 'bank', version: '1.0.0' });
  const installed = (): void => {
    install(server, [taskBank().tool], { seal: BY_HEADER, logger: SILENT });
  };
  if (!sdkHas('tasks')) {
    expect(installed).toThrow(
      "install(): `tasks: true` of a desk requires '@modelcontextprotocol/server' 2.3 or later. Update the package, or remove the option.",
    );
    return;
  }
  installed();
  expect(server.server.getCapabilities()).toMatchObject(TASKS);
});
