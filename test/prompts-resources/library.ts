/**
 * Helpers for the tests of prompts and resources: servers of both classes, calls through the SDK's
 * client, and a table of the three kinds of definition.
 */
import type { Client } from '@modelcontextprotocol/client';
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import type {
  GetPromptResult,
  JSONRPCMessage,
  ReadResourceResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { definePrompt, defineResource, defineTool, install } from 'mcp-resolve';
import type {
  AnyDefinition,
  AnyResolver,
  CallContext,
  Filler,
  InstallOptions,
  Prompt,
  Resource,
  Tool,
} from 'mcp-resolve';
import { expect } from 'vitest';
import * as z from 'zod';

import type { PlainClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import type { Factory } from '../support/servers.js';

const INFO = { name: 'library', version: '1.0.0' };

/** The server classes of the SDK, for `describe.each(layers)`. */
export const layers = ['McpServer', 'Server'] as const;

export type Layer = (typeof layers)[number];

/** Creates a server of a class, without any definitions. */
export function newServer(layer: Layer): McpServer | Server {
  return layer === 'McpServer' ? new McpServer(INFO) : new Server(INFO);
}

/** Creates a factory of servers that have only these definitions. */
export function serving(
  layer: Layer,
  definitions: readonly AnyDefinition[],
  options?: InstallOptions,
): Factory {
  return () => {
    const server = newServer(layer);
    install(server, definitions, options);
    return server;
  };
}

/** Creates the same factory, and records the messages that reach `onerror`. */
export function servingReported(
  layer: Layer,
  definitions: readonly AnyDefinition[],
  options?: InstallOptions,
): { readonly factory: Factory; readonly reported: string[] } {
  const reported: string[] = [];
  const factory: Factory = () => {
    const server = newServer(layer);
    const inner = server instanceof McpServer ? server.server : server;
    inner.onerror = ({ message }) => void reported.push(message);
    install(server, definitions, options);
    return server;
  };
  return { factory, reported };
}

/** Creates a template that lists no resources. */
export function template(uri: string): ResourceTemplate {
  return new ResourceTemplate(uri, { list: undefined });
}

/** A connected client of the SDK. */
interface Connected {
  readonly client: Client;
}

/** Gets a prompt and returns the text of its only message. */
export async function get(
  { client }: Connected,
  name: string,
  args: Record<string, string> = {},
): Promise<string> {
  return promptText(await client.getPrompt({ name, arguments: args }));
}

/** Reads a resource and returns the text of its only content. */
export async function read({ client }: Connected, uri: string): Promise<string> {
  return resourceText(await client.readResource({ uri }));
}

function promptText({ messages }: GetPromptResult): string {
  const [message] = messages;
  if (messages.length !== 1 || message?.role !== 'user' || message.content.type !== 'text') {
    throw new Error(`expected one text message of the user, got ${JSON.stringify(messages)}`);
  }
  return message.content.text;
}

function resourceText({ contents }: ReadResourceResult): string {
  const [content] = contents;
  if (contents.length !== 1 || content === undefined || !('text' in content)) {
    throw new Error(`expected one text content, got ${JSON.stringify(contents)}`);
  }
  return content.text;
}

/** Counts the requests of a method. */
export function countRequests(method: string, sent: readonly JSONRPCMessage[]): number {
  return sent.filter((message) => 'method' in message && message.method === method).length;
}

/** The argument of every definition of the table {@link kinds}. */
export const Trip = z.object({ city: z.string() });

/** The configuration that all kinds share. `schema` replaces {@link Trip}. */
export interface SharedConfig {
  readonly resolve?: Readonly<Record<string, Filler>>;
  readonly guards?: readonly AnyResolver[];
  readonly scopeChallenge?: NonNullable<Parameters<typeof definePrompt>[1]['scopeChallenge']>;
  readonly schema?: typeof Trip;
}

/** A failed call: the message of a tool error or a protocol error. Only the latter has a code. */
export interface Failure {
  readonly code?: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A kind of definition. All of them take a city, `Lyon` by default. */
export interface Kind {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly listMethod: string;
  /** Creates a definition. */
  readonly define: (
    name: string,
    config: SharedConfig,
    body: (values: never, ctx: CallContext) => unknown,
  ) => AnyDefinition;
  /** Returns the second argument of `run`. */
  readonly input: (name: string, city?: string) => Readonly<Record<string, unknown>> | string;
  /** Returns the parameters of a request. */
  readonly params: (name: string, city?: string) => Record<string, unknown>;
  /** Calls a definition with the SDK's client, and returns its text. */
  readonly call: (client: PlainClient, name: string, city?: string) => Promise<string>;
  /** Calls a definition with the SDK's client, and returns its failure. */
  readonly fail: (client: PlainClient, name: string, city?: string) => Promise<Failure>;
  /** Calls a definition without a server. */
  readonly callDirectly: (definition: AnyDefinition, ctx?: ServerContext) => Promise<unknown>;
  /** Returns the expected result of a definition. */
  readonly result: (name: string, text: string) => Record<string, unknown>;
  /** Returns the expected failure of a definition. If `message` is omitted, the error is hidden. */
  readonly failure: (name: string, message?: string, city?: string) => Failure;
  /** The expected error for the name `nope`. */
  readonly notFound: Failure;
}

const LYON = 'Lyon';
const INTERNAL_ERROR = -32603;
const INVALID_PARAMS = -32602;

/** Returns the expected message of a failure. */
const failureText = (what: string, message: string | undefined): string =>
  message === undefined ? what : `${what}: ${message}`;

/** Returns the expected protocol error of a failure. If the error is hidden, it has the call id. */
const failureError = (what: string, message: string | undefined): Failure => ({
  code: INTERNAL_ERROR,
  message: failureText(what, message),
  ...(message === undefined && {
    data: { 'mcp-resolve/callId': expect.stringMatching(/^[\w-]{22}$/) as string },
  }),
});

const tool: Kind = {
  kind: 'tool',
  method: 'tools/call',
  listMethod: 'tools/list',
  define: (name, { schema = Trip, ...config }, body) =>
    defineTool(name, { inputSchema: schema, ...config }, body as never),
  input: (_, city = LYON) => ({ city }),
  params: (name, city = LYON) => ({ name, arguments: { city } }),
  call: (client, name, city = LYON) => client.text(name, { city }),
  fail: async (client, name, city = LYON) => ({ message: await client.errorText(name, { city }) }),
  callDirectly: (definition, ctx) =>
    (definition as Tool<{ city: string }>).call({ city: LYON }, ctx),
  result: (_, text) => ({ content: [{ type: 'text', text }] }),
  failure: (name, message) => ({ message: failureText(`Error executing tool ${name}`, message) }),
  notFound: { code: INVALID_PARAMS, message: 'Tool nope not found' },
};

const prompt: Kind = {
  kind: 'prompt',
  method: 'prompts/get',
  listMethod: 'prompts/list',
  define: (name, { schema = Trip, ...config }, body) =>
    definePrompt(name, { argsSchema: schema, ...config }, body as never),
  input: (_, city = LYON) => ({ city }),
  params: (name, city = LYON) => ({ name, arguments: { city } }),
  call: (client, name, city = LYON) => get(client, name, { city }),
  fail: (client, name, city = LYON) => protocolErrorOf(get(client, name, { city })),
  callDirectly: (definition, ctx) =>
    (definition as Prompt<{ city: string }>).get({ city: LYON }, ctx),
  result: (_, text) => ({ messages: [{ role: 'user', content: { type: 'text', text } }] }),
  failure: (name, message) => failureError(`Error getting prompt ${name}`, message),
  notFound: { code: INVALID_PARAMS, message: 'Prompt nope not found' },
};

const uriOf = (name: string, city = LYON): string => `trips://${name}/${city}`;

const resource: Kind = {
  kind: 'resource',
  method: 'resources/read',
  listMethod: 'resources/templates/list',
  define: (name, { schema = Trip, ...config }, body) =>
    defineResource(
      name,
      template(uriOf(name, '{city}')),
      { variables: schema, ...config },
      body as never,
    ),
  input: uriOf,
  params: (name, city) => ({ uri: uriOf(name, city) }),
  call: (client, name, city) => read(client, uriOf(name, city)),
  fail: (client, name, city) => protocolErrorOf(read(client, uriOf(name, city))),
  callDirectly: (definition, ctx) => (definition as Resource).read(uriOf(definition.name), ctx),
  result: (name, text) => ({ contents: [{ uri: uriOf(name), text }] }),
  failure: (name, message, city) =>
    failureError(`Error reading resource ${uriOf(name, city)}`, message),
  notFound: {
    code: INVALID_PARAMS,
    message: 'Resource not found: trips://nope/Lyon',
    data: { uri: 'trips://nope/Lyon' },
  },
};

/** The three kinds of definition. */
export const kinds: readonly Kind[] = [tool, prompt, resource];

/** The kinds with their names, for `describe.each(eachKind)('a %s', (_, kind) => …)`. */
export const eachKind = kinds.map((kind) => [kind.kind, kind] as const);

/** The kinds whose failures are protocol errors, with their names. */
export const promptAndResource = [prompt, resource].map((kind) => [kind.kind, kind] as const);
