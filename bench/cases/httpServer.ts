/**
 * One server in a process of its own. Its arguments are the way (`ours` or `byHand`), the tool
 * (`confirm`, `plain` or `refund`) and the era of its clients.
 */
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveHttp } from 'mcp-resolve/node';

import { serveByHand, serveSessionsByHand } from '../http/byHand.js';
import type { FlowName } from '../http/messages.js';
import { askingBySession, plainOurs } from '../http/tools.js';
import { idiomatic, ours, plain } from './confirm.js';
import { refunding } from './refund.js';
import { KEEP_ALIVE, report } from './reporting.js';

const [way, tool = '', era] = process.argv.slice(2);

const tools: Readonly<Record<FlowName, McpServerFactory>> = {
  confirm: ours,
  plain: plainOurs,
  refund: refunding,
};

/** One user gets a quarter, which is more sessions than the benchmark opens. */
const maxSessions = 40_000;

async function serve(): Promise<string> {
  if (way === 'ours') {
    const { url, server } = await serveHttp(tools[tool as FlowName], { maxSessions });
    server.keepAliveTimeout = KEEP_ALIVE;
    return String(url);
  }
  const asks = tool === 'confirm';
  return era === '2026-07-28'
    ? serveByHand(asks ? idiomatic : plain)
    : serveSessionsByHand(asks ? askingBySession : plain);
}

report(await serve());
