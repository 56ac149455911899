/**
 * What the tests of prompts and resources share: the same definitions on both kinds of server, and
 * short words for what a client gets.
 */
import type { Client } from '@modelcontextprotocol/client';
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import type {
  GetPromptResult,
  JSONRPCMessage,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import type { AnyDefinition, InstallOptions } from 'mcp-resolve';

import type { Factory } from '../support/servers.js';

const INFO = { name: 'library', version: '1.0.0' };

/** Both kinds of server; for `describe.each(layers)`. */
export const layers = ['McpServer', 'Server'] as const;

export type Layer = (typeof layers)[number];

/** Makes a server of a kind, with nothing on it. */
export function newServer(layer: Layer): McpServer | Server {
  return layer === 'McpServer' ? new McpServer(INFO) : new Server(INFO);
}

/** A factory of servers with these definitions, and nothing else. */
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

/** The same; errors that the model does not read are kept. */
export function servingHeard(
  layer: Layer,
  definitions: readonly AnyDefinition[],
  options?: InstallOptions,
): { readonly factory: Factory; readonly heard: string[] } {
  const heard: string[] = [];
  const factory: Factory = () => {
    const server = newServer(layer);
    const inner = server instanceof McpServer ? server.server : server;
    inner.onerror = ({ message }) => void heard.push(message);
    install(server, definitions, options);
    return server;
  };
  return { factory, heard };
}

/** A template that lists nothing. */
export function template(uri: string): ResourceTemplate {
  return new ResourceTemplate(uri, { list: undefined });
}

/** The text of a prompt of one message. */
export function saidIn({ messages }: GetPromptResult): string {
  const [message] = messages;
  if (messages.length !== 1 || message?.role !== 'user' || message.content.type !== 'text') {
    throw new Error(`expected one text of the user, got ${JSON.stringify(messages)}`);
  }
  return message.content.text;
}

/** The text of a resource of one content. */
export function readIn({ contents }: ReadResourceResult): string {
  const [content] = contents;
  if (contents.length !== 1 || content === undefined || !('text' in content)) {
    throw new Error(`expected one text, got ${JSON.stringify(contents)}`);
  }
  return content.text;
}

/** Gets a prompt and gives its text; questions are answered by the script. */
export async function get(
  { client }: { readonly client: Client },
  name: string,
  args: Record<string, string> = {},
): Promise<string> {
  return saidIn(await client.getPrompt({ name, arguments: args }));
}

/** Reads a resource and gives its text; questions are answered by the script. */
export async function read({ client }: { readonly client: Client }, uri: string): Promise<string> {
  return readIn(await client.readResource({ uri }));
}

/** How many requests of a method were sent. */
export function countOf(method: string, sent: readonly JSONRPCMessage[]): number {
  return sent.filter((message) => 'method' in message && message.method === method).length;
}
