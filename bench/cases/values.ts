/**
 * Calls that ask nothing: a tool with 30 values, and a tool with one value and 100 KB of arguments.
 * Each is written with resolvers, and by hand with the same functions in its body.
 */
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { argsOf, defineTool, install, resolver } from 'mcp-resolve';
import type { AnyResolver, Need, Tool } from 'mcp-resolve';
import * as z from 'zod';

import { INFO } from './confirm.js';
import type { Params } from './modern.js';

const NAME = 'values';

/** A call, and the two servers that answer it with the same text. */
export interface Values {
  readonly params: Params;
  readonly ours: McpServerFactory;
  readonly byHand: McpServerFactory;
}

/** Returns a function of a tool: its value from the path and an earlier value. */
type Part = (path: string, earlier: number) => number | Promise<number>;

const parts = {
  synchronous: (path: string, earlier: number) => path.length + earlier,
  // eslint-disable-next-line @typescript-eslint/require-await -- it stands for a query
  asynchronous: async (path: string, earlier: number) => path.length + earlier,
} satisfies Record<string, Part>;

const COUNT = 30;
/** Each value needs the one that is this many places before it, so there are three chains. */
const CHAINS = 3;

const PathInput = z.object({ path: z.string() });

/** Returns a tool with 30 values. */
export function thirtyValues(kind: keyof typeof parts): Values {
  const part: Part = parts[kind];
  const { path } = argsOf(PathInput);
  const chain: AnyResolver[] = [];
  for (let index = 0; index < COUNT; index += 1) {
    const before = chain[index - CHAINS];
    const needs: Record<string, Need> = { path, ...(before && { before }) };
    const run = (values: Readonly<Record<string, unknown>>): number | Promise<number> =>
      part(values.path as string, (values.before ?? 0) as number);
    chain.push(resolver(needs, run));
  }
  const resolve = Object.fromEntries(chain.map((one, index) => [`value${index}`, one]));
  const tool = defineTool(NAME, { inputSchema: PathInput, resolve }, (values) =>
    String((values as Record<string, unknown>)[`value${COUNT - 1}`]),
  );
  return {
    params: { name: NAME, arguments: { path: '/tmp/reports' } },
    ours: serving(tool),
    byHand: () => {
      const server = new McpServer(INFO);
      server.registerTool(NAME, { inputSchema: PathInput }, async ({ path }) => {
        const values = kind === 'synchronous' ? computed(path) : await loaded(path);
        return said(String(values.at(-1)));
      });
      return server;
    },
  };
}

/** Returns the values of a body that calls synchronous functions. */
function computed(path: string): number[] {
  const values: number[] = [];
  for (let index = 0; index < COUNT; index += 1)
    values.push(parts.synchronous(path, values[index - CHAINS] ?? 0));
  return values;
}

/** Returns the values of a body that awaits those at the same time that do not need each other. */
async function loaded(path: string): Promise<number[]> {
  let row = Array.from({ length: CHAINS }, () => 0);
  for (let index = 0; index < COUNT; index += CHAINS)
    row = await Promise.all(row.map((earlier) => parts.asynchronous(path, earlier)));
  return row;
}

const SIZE = 100_000;

const Record = z.object({ id: z.number(), name: z.string(), tags: z.array(z.string()) });
const LargeInput = z.object({ path: z.string(), data: z.union([z.string(), z.array(Record)]) });

const LARGE = {
  text: () => 'a plain text '.repeat(SIZE / 13),
  records: () => {
    const record = (id: number) => ({ id, name: `customer ${id}`, tags: ['a', 'b'] });
    return Array.from({ length: SIZE / 48 }, (_, index) => record(index));
  },
  accents: () => 'é'.repeat(SIZE / 2),
} satisfies Record<string, () => unknown>;

export type Large = keyof typeof LARGE;

/** Returns a tool with one value and 100 KB of arguments. */
export function largeArguments(kind: Large): Values {
  const length = resolver({ path: argsOf(LargeInput).path }, ({ path }) => path.length);
  const config = { inputSchema: LargeInput, resolve: { length } };
  const tool = defineTool(NAME, config, (values) => `${values.length} ${values.data.length}`);
  return {
    params: { name: NAME, arguments: { path: '/tmp/reports', data: LARGE[kind]() } },
    ours: serving(tool),
    byHand: () => {
      const server = new McpServer(INFO);
      server.registerTool(NAME, { inputSchema: LargeInput }, ({ path, data }) =>
        said(`${path.length} ${data.length}`),
      );
      return server;
    },
  };
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function serving(tool: Tool): McpServerFactory {
  return (request) => {
    const server = new McpServer(INFO);
    install(server, [tool], { request });
    return server;
  };
}
