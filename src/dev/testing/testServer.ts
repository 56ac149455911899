/** Creates servers that have one definition and nothing else, and records what happens on them. */
import { McpServer } from '@modelcontextprotocol/server';
import type { CallEvent } from '../../define/event.js';
import { requestStateSeal } from '../../server/requestStateSeal.js';
import type { RequestStateSeal } from '../../server/requestStateSeal.js';
import { install } from '../../server/install.js';
import { IDENTITY } from './connection.js';
import type { CallerOptions } from './runOptions.js';
import type { Subject } from './subject.js';

/** A factory of servers, and everything that happened on them. */
export interface TestServers {
  readonly factory: () => McpServer;
  readonly events: readonly CallEvent[];
  /** The errors that reached the servers' `onerror`. */
  readonly reported: readonly Error[];
}

/** Creates a factory of servers; `changeSeal` may replace the seal that they would use. */
export function createTestServers(
  { installed }: Subject,
  { install: given = {} }: CallerOptions,
  changeSeal: (seal: RequestStateSeal) => RequestStateSeal = (seal) => seal,
): TestServers {
  const events: CallEvent[] = [];
  const reported: Error[] = [];
  const { onEvent, eventValues = false, ...options } = given;
  const seal = changeSeal(given.seal ?? requestStateSeal.ephemeral({ logger: SILENT }));
  const listen = (event: CallEvent): unknown => {
    events.push(event);
    return onEvent?.(eventValues ? event : withoutValues(event));
  };
  const factory = (): McpServer => {
    const server = new McpServer(IDENTITY);
    server.server.onerror = (error) => {
      reported.push(error);
    };
    install(server, [installed], { ...options, seal, onEvent: listen, eventValues: true });
    return server;
  };
  // Throws for wrong options now. Later they would reach the test as an HTTP status.
  factory();
  return { factory, events, reported };
}

/** Probes would fill the log of the tests. */
const SILENT = { warn: () => undefined };

function withoutValues(event: CallEvent): CallEvent {
  const {
    value: _,
    question: __,
    ...rest
  } = event as CallEvent & {
    readonly value?: unknown;
    readonly question?: unknown;
  };
  return rest;
}
