/**
 * Calls with pinned values, leg by leg: every server here has the same keys, so that the legs of
 * one call may go to different deployments, and states can be opened and written by the tests.
 */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Tool } from 'mcp-resolve';

import { httpHandler, post } from '../support/conversation.js';
import { readState, serving, writeState } from '../support/legs.js';
import type { LegInput, LegResult, StateRecord } from '../support/legs.js';

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

/** What stands in the state of a leg. */
export function recordOf(result: LegResult): PinRecord {
  return readState(result);
}

/** The pinned values in the state of a leg, by key. */
export function pinnedIn(result: LegResult): Record<string, unknown> {
  const { pins = {} } = recordOf(result);
  return Object.fromEntries(Object.entries(pins).map(([key, { value }]) => [key, value]));
}

/** The state of a leg with another record inside, sealed as the server would. */
export function rewritten(
  result: LegResult,
  change: (record: PinRecord) => Record<string, unknown>,
): string {
  return writeState(result, change(recordOf(result)));
}

/** The state of a leg in which one question was answered otherwise. */
export function answeredOtherwise(
  result: LegResult,
  key: string,
  answer: Record<string, unknown>,
): string {
  return rewritten(result, (record) => ({
    ...record,
    outcomes: { ...record.outcomes, [key]: { ...record.outcomes[key], ...answer } },
  }));
}

/** Sends legs of one tool by hand, from a client that can be asked only so much. */
export function legsFrom(
  tool: Tool,
  capabilities: ClientCapabilities,
): (input?: LegInput) => Promise<LegResult> {
  const handler = httpHandler(serving(tool));
  return async ({ args = {}, ...rest } = {}) => {
    const params = { name: tool.name, arguments: args, ...rest };
    const { body } = await post(handler, 'tools/call', params, { capabilities });
    if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
    return body.result as LegResult;
  };
}
