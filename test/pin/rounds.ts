/**
 * Calls with pinned values, round by round: every server here has the same keys, so that the rounds
 * of one call may go to different deployments, and states can be opened and written by the tests.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Tool } from 'mcp-resolve';

import { httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';
import { readState, serving, writeState } from '../support/rounds.js';
import type { RoundInput, RoundResult, StateRecord } from '../support/rounds.js';

/** An accepted form. */
export const accept = <C extends object>(content: C) => ({ action: 'accept' as const, content });

/** A tick in the box. */
export const yes = accept({ confirm: true });

/** A pinned value as it stands in a record. */
export interface StatePin {
  readonly value: unknown;
  readonly on: string;
}

/** What a state says, pinned values included. */
export interface PinRecord extends StateRecord {
  pins?: Record<string, StatePin>;
}

/** What stands in the state of a round. */
export function recordOf(result: RoundResult): PinRecord {
  return readState(result);
}

/** The pinned values in the state of a round, by key. */
export function pinnedIn(result: RoundResult): Record<string, unknown> {
  const { pins = {} } = recordOf(result);
  return Object.fromEntries(Object.entries(pins).map(([key, { value }]) => [key, value]));
}

/** The state of a round with another record inside, sealed as the server would. */
export function rewritten(
  result: RoundResult,
  change: (record: PinRecord) => Record<string, unknown>,
): string {
  return writeState(result, change(recordOf(result)));
}

/** The state of a round in which one question was answered otherwise. */
export function answeredOtherwise(
  result: RoundResult,
  key: string,
  answer: Record<string, unknown>,
): string {
  return rewritten(result, (record) => ({
    ...record,
    outcomes: { ...record.outcomes, [key]: { ...record.outcomes[key], ...answer } },
  }));
}

/** Sends rounds of one tool by hand, from a client that can be asked only so much. */
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
