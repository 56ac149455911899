/** Creates servers with a single definition, and records their events and errors. */
import { McpServer } from '@modelcontextprotocol/server';
import type { CallEvent } from '../../author/event.js';
import { AUTHOR_ONLY } from '../../log.js';
import { requestStateSeal } from '../../host/requestStateSeal.js';
import type { RequestStateSeal } from '../../host/requestStateSeal.js';
import { install } from '../../host/install.js';
import { KIT_IDENTITY } from './connection.js';
import type { CallerOptions } from './runOptions.js';
import type { Subject } from './subject.js';

/** A server factory, with the events and errors of its servers. */
export interface TestServers {
  readonly factory: () => McpServer;
  readonly events: readonly CallEvent[];
  /** The errors that reached the servers' `onerror`. */
  readonly reported: readonly Error[];
}

/** Creates a server factory. `changeSeal` can replace the seal of the servers. */
export function createTestServers(
  { installed, desk }: Subject,
  { install: given = {}, authInfo }: CallerOptions,
  changeSeal: (seal: RequestStateSeal) => RequestStateSeal = (seal) => seal,
): TestServers {
  const events: CallEvent[] = [];
  const reported: Error[] = [];
  const { onEvent, eventValues = false, ...options } = given;
  const isNamed = desk === undefined || authInfo !== undefined;
  const seal = changeSeal(given.seal ?? requestStateSeal.ephemeral(isNamed ? {} : NAMED));
  const listen = (event: CallEvent): unknown => {
    events.push(event);
    return onEvent?.(eventValues ? event : withoutValues(event));
  };
  const factory = (): McpServer => {
    const server = new McpServer(KIT_IDENTITY);
    server.server.onerror = (error) => {
      reported.push(error);
    };
    install(server, [installed], {
      logger: AUTHOR_ONLY,
      ...options,
      seal,
      onEvent: listen,
      eventValues: true,
    });
    return server;
  };
  // Throws for invalid options now. Later the test would only see an HTTP status.
  factory();
  return { factory, events, reported };
}

/** The caller of a tool with approvals, which refuses callers without a principal. */
const NAMED = { principal: () => 'the caller of the test' };

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
