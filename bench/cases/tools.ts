/** Servers with one tool or with thousands, and a form of six fields. */
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, resolver } from 'mcp-resolve';
import type { AnyResolver } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import type { Plan } from 'mcp-resolve/engine';
import * as z from 'zod';

import type { Send } from './modern.js';
import { createContext } from './context.js';

const INFO = { name: 'shop', version: '1.0.0' };

/** Creates the schema of a tool. Each tool has a different one. */
function inputOf(index: number) {
  return z.object({
    order: z.string().min(1).describe(`The order, for tool ${index}.`),
    reason: z.enum(['late', 'broken', 'other']).optional(),
    count: z.number().int().min(1).max(99).default(1).describe('How many of them.'),
  });
}

const nameOf = (index: number): string => `tool_${index}`;
const priceOf = (order: string): number => order.length * 100;

/** Serves this many tools, each with a resolver. */
export function resolving(count: number): McpServerFactory {
  const tools = Array.from({ length: count }, (_, index) => {
    const inputSchema = inputOf(index);
    const cents = resolver({ order: argsOf(inputSchema).order }, ({ order }) => priceOf(order));
    const config = { description: `Tool ${index}.`, inputSchema, resolve: { cents } };
    return defineTool(
      nameOf(index),
      config,
      ({ order, cents }) => `${order} for ${cents + index} cents.`,
    );
  });
  return (request) => {
    const server = new McpServer(INFO);
    install(server, tools, { request });
    return server;
  };
}

/** Serves the same tools on the SDK's server. Each request registers them with shared schemas. */
export function registering(count: number): McpServerFactory {
  const schemas = Array.from({ length: count }, (_, index) => inputOf(index));
  return () => {
    const server = new McpServer(INFO);
    for (const [index, inputSchema] of schemas.entries()) {
      const config = { description: `Tool ${index}.`, inputSchema };
      server.registerTool(nameOf(index), config, ({ order }) => {
        const text = `${order} for ${priceOf(order) + index} cents.`;
        return { content: [{ type: 'text', text }] };
      });
    }
    return server;
  };
}

/** Calls the last of this many tools. */
export async function callLast(send: Send, count: number): Promise<void> {
  const { content } = await send('tools/call', {
    name: nameOf(count - 1),
    arguments: { order: 'ORD-1' },
  });
  if (content?.[0]?.text !== `ORD-1 for ${499 + count} cents.`)
    throw new Error('another tool answered');
}

/** Lists this many tools. */
export async function listAll(send: Send, count: number): Promise<void> {
  const { tools } = await send('tools/list', {});
  if (tools?.length !== count) throw new Error('tools are missing in the list');
}

const Address = z.object({
  name: z.string().min(1).describe('Who lives there.'),
  street: z.string().describe('Street and number.'),
  city: z.string().max(80),
  country: z.enum(['DE', 'FR', 'IT', 'PL']).describe('Where it is.'),
  express: z.boolean().default(false).describe('By tomorrow.'),
  boxes: z.number().int().min(1).max(20),
});
const MESSAGE = 'Where does it go?';

/** Plans a graph of this many independent questions. */
function asking(count: number): Plan {
  const questions = Array.from({ length: count }, (_, index): [string, AnyResolver] => [
    `to${index}`,
    resolver({}, () => elicit(MESSAGE, Address), { asks: 'form' }),
  ]);
  return planResolvers({ name: 'ship', resolve: Object.fromEntries(questions) }, []);
}

const plans = { one: asking(1), hundred: asking(100) };
const modernClient = { protocolVersion: '2026-07-28', clientCapabilities: { elicitation: {} } };

/** Runs a whole round of a graph that asks, up to the result with its record. */
export async function askByRound(size: keyof typeof plans): Promise<void> {
  const resolution = await resolveArguments(
    plans[size],
    {},
    { ctx: createContext(), ...modernClient },
  );
  if (resolution.done) throw new Error('nothing was asked');
}

/** Builds only the question, with the SDK. */
export function askByHand(): void {
  const { params } = inputRequired.elicit({ message: MESSAGE, requestedSchema: Address });
  if (params === undefined) throw new Error('nothing was asked');
}
