/**
 * Every kind of server behind one interface: `McpServer` and `Server` of both SDKs, in every era
 * that they speak. A test arranges a server as a host would, and a client of SDK 2.x reaches it.
 */
import type { Client } from '@modelcontextprotocol/client';
import { completable as completableV1 } from '@modelcontextprotocol/sdk/server/completable.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import {
  McpServer as McpServerV1,
  ResourceTemplate as TemplateV1,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { completable, McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  install,
  resolver,
} from 'mcp-resolve';
import type { AnyDefinition, InstallOptions } from 'mcp-resolve';
import { accept, type Era } from 'mcp-resolve/testing';
import { install as installV1 } from 'mcp-resolve/v1';
import * as z from 'zod';

import { connectClient } from '../support/plainClient.js';
import { SILENT } from '../support/servers.js';
import { connectV2 } from '../v1/serversV1.js';

/** A kind of server, and an era in which a client reaches it. */
export interface Way {
  readonly way: string;
  readonly sdk: 1 | 2;
  readonly layer: 'McpServer' | 'Server';
  readonly era: Era;
}

export const ways: readonly Way[] = [
  { way: 'an McpServer, modern era', sdk: 2, layer: 'McpServer', era: 'modern' },
  { way: 'an McpServer, legacy era', sdk: 2, layer: 'McpServer', era: 'legacy' },
  { way: 'a Server, modern era', sdk: 2, layer: 'Server', era: 'modern' },
  { way: 'a Server, legacy era', sdk: 2, layer: 'Server', era: 'legacy' },
  { way: 'an McpServer of SDK 1.x', sdk: 1, layer: 'McpServer', era: 'legacy' },
  { way: 'a Server of SDK 1.x', sdk: 1, layer: 'Server', era: 'legacy' },
];

/** One way for each class, for tests without a client. */
export const classes = ways.filter(({ sdk, era }) => sdk === 1 || era === 'modern');

const Trip = z.object({ city: completable(z.string(), () => ['Lyon', 'Nice']) });
const sure = resolver({ city: argsOf(Trip).city }, ({ city }) => confirm(`To ${city}?`), {
  asks: 'form',
});

/** One definition of each kind, and the bodies that ran. */
export function createDefinitions() {
  const ran: string[] = [];
  const run = (what: string): string => {
    ran.push(what);
    return what;
  };
  const book = defineTool('book', { inputSchema: Trip, resolve: { sure } }, ({ city }) =>
    run(`book ${city}`),
  );
  const plan = definePrompt('plan', { argsSchema: Trip, resolve: { sure } }, ({ city }) =>
    run(`plan ${city}`),
  );
  const map = defineResource('map', 'map://all', {}, () => run('map'));
  const ticket = defineResource(
    'ticket',
    new ResourceTemplate('ticket://{city}', {
      list: undefined,
      complete: { city: () => ['Lyon'] },
    }),
    { variables: Trip, resolve: { sure } },
    ({ city }) => run(`ticket ${city}`),
  );
  return { ran, book, plan, map, ticket, all: [book, plan, map, ticket] as const };
}

/** Another definition of each kind, for servers with several installs. */
export const others: readonly AnyDefinition[] = [
  defineTool('other', {}, () => 'other'),
  definePrompt('other', { argsSchema: Trip }, () => 'other'),
  defineResource('other', 'other://1', {}, () => 'other'),
  defineResource(
    'others',
    new ResourceTemplate('other://{a}/{b}', { list: undefined, complete: { a: () => ['other'] } }),
    {},
    () => 'other',
  ),
];

export type Params = Readonly<Record<string, unknown>>;
export type Result = Record<string, unknown>;

/** A request handler, as a host sets it or finds it on a server. */
export type Handler = (
  request: { readonly params?: Params },
  ctx: unknown,
) => Result | Promise<Result>;

/** A request of a client. */
export interface Req {
  readonly what: string;
  readonly method: string;
  readonly params: Params;
  /** The text of its result. */
  readonly text: string;
}

const completion = (ref: Params, name: string) => ({ ref, argument: { name, value: '' } });

/** One request for each kind of definition, and one for the completion of each argument. */
export const ours: readonly Req[] = [
  {
    what: 'a tool',
    method: 'tools/call',
    params: { name: 'book', arguments: { city: 'Lyon' } },
    text: 'book Lyon',
  },
  {
    what: 'a prompt',
    method: 'prompts/get',
    params: { name: 'plan', arguments: { city: 'Lyon' } },
    text: 'plan Lyon',
  },
  { what: 'a resource', method: 'resources/read', params: { uri: 'map://all' }, text: 'map' },
  {
    what: 'a template',
    method: 'resources/read',
    params: { uri: 'ticket://Lyon' },
    text: 'ticket Lyon',
  },
  {
    what: 'the completion of a prompt',
    method: 'completion/complete',
    params: completion({ type: 'ref/prompt', name: 'plan' }, 'city'),
    text: 'Lyon,Nice',
  },
  {
    what: 'the completion of a template',
    method: 'completion/complete',
    params: completion({ type: 'ref/resource', uri: 'ticket://{city}' }, 'city'),
    text: 'Lyon',
  },
];

/** The requests for what {@link Host.addOwn} adds. */
export const theirs: readonly Req[] = [
  { what: 'their tool', method: 'tools/call', params: { name: 'theirs' }, text: 'by the host' },
  {
    what: 'their prompt',
    method: 'prompts/get',
    params: { name: 'theirs', arguments: { city: 'Lyon' } },
    text: 'by the host',
  },
  {
    what: 'their resource',
    method: 'resources/read',
    params: { uri: 'their://1' },
    text: 'by the host',
  },
  {
    what: 'a resource of their template',
    method: 'resources/read',
    params: { uri: 'their://2/3' },
    text: 'by the host',
  },
  {
    what: 'the completion of their prompt',
    method: 'completion/complete',
    params: completion({ type: 'ref/prompt', name: 'theirs' }, 'city'),
    text: 'by the host',
  },
];

/** The listings: the property of the result, and the names of definitions in it. */
export const listings = [
  { method: 'tools/list', member: 'tools', name: 'book' },
  { method: 'prompts/list', member: 'prompts', name: 'plan' },
  { method: 'resources/list', member: 'resources', name: 'map' },
  { method: 'resources/templates/list', member: 'resourceTemplates', name: 'ticket' },
] as const;

/** Every method that definitions share with a host. */
export const METHODS = [
  ...new Set([...ours.map(({ method }) => method), ...listings.map(({ method }) => method)]),
];

/** A server that a test arranges. */
export interface Host {
  readonly server: McpServer | Server | McpServerV1 | ServerV1;
  /** Installs definitions with the `install` for this SDK. */
  readonly install: (definitions: readonly AnyDefinition[], options?: InstallOptions) => void;
  /** Sets a handler with `setRequestHandler`. */
  readonly set: (method: string, handler: Handler) => void;
  /** Removes a handler with `removeRequestHandler`. */
  readonly remove: (method: string) => void;
  /** Returns the map of handlers, which hosts read and write. */
  readonly handlers: () => Map<string, Handler>;
  /** Sets the handler for requests that have no other. */
  readonly setFallback: (handler: (request: { readonly method: string }) => Result) => void;
  /** Registers a tool, a prompt, a resource and a template. A `Server` gets handlers. */
  readonly addOwn: () => void;
}

const INFO = { name: 'host', version: '1.0.0' };
const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };

/** Installs definitions with the `install` for the SDK of a server. */
export function installOn(
  server: Host['server'],
  definitions: readonly AnyDefinition[],
  options?: InstallOptions,
): void {
  if (server instanceof McpServer || server instanceof Server)
    install(server, definitions, { logger: SILENT, ...options });
  else installV1(server, definitions, { logger: SILENT, ...options });
}

/** Creates a server. A `Server` declares all capabilities, as the SDK requires for its handlers. */
export function createHost({ sdk, layer }: Pick<Way, 'sdk' | 'layer'>): Host {
  return sdk === 1 ? createHostV1(layer) : createHostV2(layer);
}

function createHostV2(layer: Way['layer']): Host {
  const mcp = layer === 'McpServer' ? new McpServer(INFO) : undefined;
  const low = mcp?.server ?? new Server(INFO, { capabilities });
  const set: Host['set'] = (method, handler) => {
    low.setRequestHandler(method as 'tools/call', handler as never);
  };
  return {
    ...partsOf(low),
    server: mcp ?? low,
    install: (definitions, options) => {
      installOn(mcp ?? low, definitions, options);
    },
    set,
    addOwn: () => {
      if (mcp === undefined) setOwnHandlers(set);
      else registerOwn(mcp);
    },
  };
}

/** The schema that `setRequestHandler` of SDK 1.x takes for each method. */
const SCHEMAS: Readonly<Record<string, unknown>> = {
  'tools/call': CallToolRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'prompts/get': GetPromptRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
  'completion/complete': CompleteRequestSchema,
};

function createHostV1(layer: Way['layer']): Host {
  const mcp = layer === 'McpServer' ? new McpServerV1(INFO) : undefined;
  const low = mcp?.server ?? new ServerV1(INFO, { capabilities });
  const set: Host['set'] = (method, handler) => {
    low.setRequestHandler(SCHEMAS[method] as typeof CallToolRequestSchema, handler);
  };
  return {
    ...partsOf(low),
    server: mcp ?? low,
    install: (definitions, options) => {
      installOn(mcp ?? low, definitions, options);
    },
    set,
    addOwn: () => {
      if (mcp === undefined) setOwnHandlers(set);
      else registerOwnV1(mcp);
    },
  };
}

function partsOf(low: Server | ServerV1): Pick<Host, 'remove' | 'handlers' | 'setFallback'> {
  return {
    remove: (method) => {
      low.removeRequestHandler(method);
    },
    handlers: () => Reflect.get(low, '_requestHandlers') as Map<string, Handler>,
    setFallback: (handler) => {
      low.fallbackRequestHandler = async (request: { method: string }) => handler(request);
    },
  };
}

const BY_HOST = 'by the host';
const said = () => ({ content: [{ type: 'text' as const, text: BY_HOST }] });
const prompted = () => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: BY_HOST } }],
});
const contained = (uri: string) => ({ contents: [{ uri, text: BY_HOST }] });

function registerOwn(mcp: McpServer): void {
  const args = { city: completable(z.string(), () => [BY_HOST]) };
  const template = new ResourceTemplate('their://{a}/{b}', { list: undefined });
  mcp.registerTool('theirs', {}, said);
  mcp.registerPrompt('theirs', { argsSchema: z.object(args) }, prompted);
  mcp.registerResource('theirs', 'their://1', {}, ({ href }) => contained(href));
  mcp.registerResource('theirs', template, {}, ({ href }) => contained(href));
}

function registerOwnV1(mcp: McpServerV1): void {
  const argsSchema = { city: completableV1(z.string(), () => [BY_HOST]) };
  const template = new TemplateV1('their://{a}/{b}', { list: undefined });
  mcp.registerTool('theirs', {}, said);
  mcp.registerPrompt('theirs', { argsSchema }, prompted);
  mcp.registerResource('theirs', 'their://1', {}, ({ href }) => contained(href));
  mcp.registerResource('theirs', template, {}, ({ href }) => contained(href));
}

/** Sets a handler for every method. Each listing has a second page. */
export function setOwnHandlers(set: Host['set']): void {
  set('tools/call', said);
  set('prompts/get', prompted);
  set('resources/read', ({ params }) => contained(String(params?.uri)));
  set('completion/complete', () => ({ completion: { values: [BY_HOST] } }));
  const entry = (name: string) => ({
    name,
    uri: `their://${name}`,
    uriTemplate: `their://{a}/${name}`,
    inputSchema: { type: 'object' },
  });
  for (const { method, member } of listings) {
    set(method, ({ params }) =>
      params?.cursor === undefined
        ? { [member]: [entry('theirs')], nextCursor: 'page-2' }
        : { [member]: [entry('on_page_2')] },
    );
  }
}

/** A client that is connected to a server. */
export interface Reached {
  readonly client: Client;
  /** The number of questions that the client has answered. */
  readonly asked: () => number;
  /** Sends a request, answers its questions with yes, and returns the text of its result. */
  readonly send: (request: Pick<Req, 'method' | 'params'>) => Promise<string>;
  /** Lists one page, and returns the names of its entries. */
  readonly names: (method: string, cursor?: string) => Promise<string[]>;
}

/** Connects a client to a server. On the modern era, each request arranges a server of its own. */
export async function reach(
  way: Way,
  arrange: (host: Host, request: McpRequestContext) => void,
): Promise<Reached> {
  const build = (request: McpRequestContext) => {
    const host = createHost(way);
    arrange(host, request);
    return host.server;
  };
  const yes = () => accept({ confirm: true });
  const { client, asked } =
    way.sdk === 1
      ? await connectV2(build({ era: 'legacy' }) as McpServerV1 | ServerV1, { answer: yes })
      : await connectClient(way.era, (request) => build(request) as McpServer | Server, {
          elicit: yes,
        });
  return {
    client,
    asked: () => asked.length,
    send: async ({ method, params }) => textOf(await sendBy(client, method, params)),
    names: async (method, cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      const result: Result = await client.request({ method: method as 'tools/list', params });
      const { member = '' } = listings.find((listing) => listing.method === method) ?? {};
      return (result[member] as { name: string }[]).map(({ name }) => name);
    },
  };
}

/** Calls the client's function for a method, because it answers questions. */
async function sendBy(client: Client, method: string, params: Params): Promise<unknown> {
  if (method === 'tools/call') return client.callTool(params as never);
  if (method === 'prompts/get') return client.getPrompt(params as never);
  if (method === 'resources/read') return client.readResource(params as never);
  return client.complete(params as never);
}

/** Returns the text of a result of any method. */
function textOf(result: unknown): string {
  const { isError, content, messages, contents, completion } = result as {
    isError?: boolean;
    content?: { text: string }[];
    messages?: { content: { text: string } }[];
    contents?: { text: string }[];
    completion?: { values: string[] };
  };
  const text =
    content?.[0]?.text ??
    messages?.[0]?.content.text ??
    contents?.[0]?.text ??
    completion?.values.join();
  if (text === undefined || isError === true)
    throw new Error(`expected a text, got ${JSON.stringify(result)}`);
  return text;
}
