/** Where a definition is called: servers that have it and nothing else, and what they tell. */
import { McpServer } from '@modelcontextprotocol/server';
import type { CallEvent } from '../../define/event.js';
import { requestStateSeal } from '../../server/requestStateSeal.js';
import type { RequestStateSeal } from '../../server/requestStateSeal.js';
import { install } from '../../server/install/install.js';
import { IDENTITY } from './connection.js';
import type { Subject } from './subject.js';
import type { CallerOptions } from './runOptions.js';

/** Servers of one definition, and everything that happened on them. */
export interface Stage {
  readonly factory: () => McpServer;
  readonly events: readonly CallEvent[];
  /** What went to the servers' `onerror`. */
  readonly reported: readonly Error[];
}

/** Sets a stage; `change` may put another seal in the place of the one that would be used. */
export function setStage(
  { installed }: Subject,
  { install: given = {} }: CallerOptions,
  change: (seal: RequestStateSeal) => RequestStateSeal = (seal) => seal,
): Stage {
  const events: CallEvent[] = [];
  const reported: Error[] = [];
  const { onEvent, eventValues = false, ...options } = given;
  const seal = change(given.seal ?? requestStateSeal.ephemeral({ logger: SILENT }));
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
  // A mistake in the options would otherwise reach the test as a status of HTTP.
  factory();
  return { factory, events, reported };
}

/** Nobody reads a log of tests, and probes would fill it. */
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
