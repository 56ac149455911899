/**
 * Reads and rewrites the state of calls with pinned values. All servers of these tests share their
 * keys, so the rounds of one call can go to different deployments.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Tool } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';

import { httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';
import { readState, serving, writeState } from '../support/rounds.js';
import type { RoundInput, RoundResult, StateRecord } from '../support/rounds.js';

/** The acceptance of a confirmation. */
export const yes = accept({ confirm: true });

/** A pinned value in a state record. `on` is the digest of the answers it depends on. */
export interface StatePin {
  readonly value: unknown;
  readonly on: string;
}

/** A state record with its pinned values. */
export interface PinRecord extends StateRecord {
  pins?: Record<string, StatePin>;
}

/** Returns the state record of a round. */
export function recordOf(result: RoundResult): PinRecord {
  return readState(result);
}

/** Returns the pinned values in the state of a round, by key. */
export function pinnedIn(result: RoundResult): Record<string, unknown> {
  const { pins = {} } = recordOf(result);
  return Object.fromEntries(Object.entries(pins).map(([key, { value }]) => [key, value]));
}

/** Returns the state of a round with a changed record, sealed with the key of the servers. */
export function rewriteState(
  result: RoundResult,
  change: (record: PinRecord) => Record<string, unknown>,
): string {
  return writeState(result, change(recordOf(result)));
}

/** Returns the state of a round with another answer to one question. */
export function changeAnswer(
  result: RoundResult,
  key: string,
  answer: Record<string, unknown>,
): string {
  return rewriteState(result, (record) => ({
    ...record,
    outcomes: { ...record.outcomes, [key]: { ...record.outcomes[key], ...answer } },
  }));
}

/** Sends rounds of one tool by hand, from a client with these capabilities. */
export function roundsFrom(
  tool: Tool,
  capabilities: ClientCapabilities,
): (input?: RoundInput) => Promise<RoundResult> {
  const handler = httpHandler(serving(tool));
  return async ({ args = {}, ...rest } = {}) => {
    const params = { name: tool.name, arguments: args, ...rest };
    const { body } = await post(handler, 'tools/call', params, { capabilities });
    if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
    return body.result as RoundResult;
  };
}
