/**
 * Hosts that register tools themselves and call a plain function: an `McpServer` and a `Server`
 * with their own handlers, and a host that shows its handlers only parts of the SDK's context.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, resolver, toolHandler } from 'mcp-resolve';
import type { Tool, ToolHandlerOptions } from 'mcp-resolve';
import * as z from 'zod';

import type { Factory } from '../support/servers.js';

/** Creates a host with one tool, whose handler has these options. */
export type Host = (tool: Tool, options?: ToolHandlerOptions) => Factory;

const INFO = { name: 'host', version: '1.0.0' };

/** The host validates the arguments with the schema of the tool. */
const onMcpServer: Host = (tool, options) => {
  const handler = toolHandler(tool, { argumentsParsed: true, ...options });
  return () => {
    const server = new McpServer(INFO);
    const { name, inputSchema } = tool;
    if (inputSchema === undefined) server.registerTool(name, {}, (ctx) => handler({}, ctx));
    else server.registerTool(name, { inputSchema }, handler);
    return server;
  };
};

/** The host passes the arguments on as they came. */
const onServer: Host = (tool, options) => {
  const handler = toolHandler(tool, options);
  return () => {
    const server = new Server(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', ({ params }, ctx) => handler(params.arguments, ctx));
    return server;
  };
};

/**
 * The host hides the envelope, so the handler knows neither version nor capabilities. The SDK asks
 * legacy clients, because the handler always answers as for the modern era.
 */
const withPartsOnly: Host = (tool, options) => {
  const handler = toolHandler(tool, { protocolVersion: '2026-07-28', ...options });
  return () => {
    const server = new Server(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', ({ params }, ctx) =>
      handler(params.arguments, partsOf(ctx)),
    );
    return server;
  };
};

const partsOf = ({ mcpReq: { signal, requestState, inputResponses }, http }: ServerContext) => ({
  mcpReq: { signal, requestState, inputResponses },
  http,
});

export const hosts: readonly (readonly [name: string, host: Host])[] = [
  ['an McpServer', onMcpServer],
  ['a Server', onServer],
  ['a host that shows parts of the context', withPartsOnly],
];

export { onMcpServer, onServer };

export const Payment = z.object({ invoice: z.string() });

/** A tool that asks for an approval, and the invoices that its body paid. */
export function paying(extra: object = {}): { readonly tool: Tool; readonly paid: string[] } {
  const paid: string[] = [];
  const { invoice } = argsOf(Payment);
  const euros = resolver({ invoice }, ({ invoice }): number => (invoice === 'INV-1' ? 40 : 900), {
    pin: z.number(),
  });
  const approved = resolver(
    { invoice, euros },
    ({ invoice, euros }) => (euros < 100 ? true : confirm(`Pay ${euros} euros for ${invoice}?`)),
    { asks: 'form' },
  );
  const tool = defineTool(
    'pay',
    { ...extra, inputSchema: Payment, resolve: { euros, approved } },
    ({ invoice, euros }) => {
      paid.push(invoice);
      return `Paid ${euros} euros for ${invoice}.`;
    },
  );
  return { tool, paid };
}
