/** Servers whose resolvers have something to clean up, and a log of how that went. */
import { McpServer } from '@modelcontextprotocol/server';
import { install, resolver } from 'mcp-resolve';
import type { End, InstallOptions, Resolver, Tool } from 'mcp-resolve';

import type { Factory } from '../support/servers.js';

/** What happened, in order. */
export type Log = string[];

/** A resolver that opens something, and writes down when it is opened and how it is closed. */
export function opening(log: Log, name: string): Resolver<string> {
  return resolver(
    {},
    () => {
      log.push(`open ${name}`);
      return name;
    },
    { name, dispose: closing(log) },
  );
}

/** Writes down what is closed, and how. */
export const closing =
  (log: Log) =>
  (name: string, end: End): void => {
    log.push(`close ${name}: ${end}`);
  };

/** A cleanup that writes down, and then fails. */
export const failing =
  (log: Log) =>
  (name: string, end: End): void => {
    log.push(`close ${name}: ${end}`);
    throw new Error(`${name} would not close`);
  };

/** Makes servers with these tools; what they report is written down. */
export function reporting(
  tools: readonly Tool[],
  reported: string[],
  options?: InstallOptions,
): Factory {
  return () => {
    const server = new McpServer({ name: 'desk', version: '1.0.0' });
    server.server.onerror = ({ message }) => {
      reported.push(message);
    };
    install(server, tools, options);
    return server;
  };
}
