/** Resolvers and cleanups that log, and servers that record the errors they report. */
import { McpServer } from '@modelcontextprotocol/server';
import { install, resolver, ToolError } from 'mcp-resolve';
import type { End, InstallOptions, Resolver, Tool } from 'mcp-resolve';

import { deferred } from '../support/deferred.js';
import type { Factory } from '../support/servers.js';

/** The log of a test, in order. */
export type Log = string[];

/** Creates a resolver that logs when it opens its value and how it disposes of it. */
export function opening(log: Log, name: string): Resolver<string> {
  return resolver(
    {},
    () => {
      log.push(`open ${name}`);
      return name;
    },
    { name, dispose: logClose(log) },
  );
}

/** Creates a `dispose` that logs the value and the end of the call. */
export const logClose =
  (log: Log) =>
  (name: string, end: End): void => {
    log.push(`close ${name}: ${end}`);
  };

/** Creates a `dispose` that logs and then throws. */
export const failToClose =
  (log: Log) =>
  (name: string, end: End): void => {
    log.push(`close ${name}: ${end}`);
    throw new Error(`${name} would not close`);
  };

/** A resolver that returns its value only when the test releases it. */
export interface Delayed<T> {
  readonly late: Resolver<T>;
  /** Settles when the resolver runs. */
  readonly started: Promise<void>;
  readonly release: () => void;
}

/** Creates a resolver named 'late' that waits for the test. */
export function delayed<T>(
  compute: () => T | Promise<T>,
  dispose: 'auto' | ((value: T, end: End) => unknown),
): Delayed<T> {
  const [started, released] = [deferred(), deferred()];
  const late = resolver(
    {},
    async () => {
      started.resolve();
      await released.promise;
      return compute();
    },
    { name: 'late', dispose },
  );
  return {
    late: late as Resolver<T>,
    started: started.promise,
    release: () => released.resolve(),
  };
}

/** Creates a resolver that fails the call as soon as another resolver has started. */
export const failsAfter = (started: Promise<void>): Resolver<never> =>
  resolver({}, async () => {
    await started;
    throw new ToolError('no such order');
  });

/** Creates servers with these tools. The messages that reach `onerror` are added to `reported`. */
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
