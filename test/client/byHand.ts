/** What the tests of calls by hand share: a client with nobody behind it, and readers of a call. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CallToolResult, ClientCapabilities } from '@modelcontextprotocol/server';
import type { OpenCall } from 'mcp-resolve/client';

import { connectClient, type PlainClient } from '../support/plainClient.js';
import { closeAfterTest, type Factory } from '../support/servers.js';

/** Everything that a client can be asked. */
export const capabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};

/** A call of the tool with two dependent questions. */
export const refund = { name: 'refund_order', arguments: { order_id: 'ORD-7' } };

/** Connects a client that can be asked anything and has nobody behind it. */
export function manual(factory: Factory): Promise<PlainClient> {
  return connectClient('modern', factory, { capabilities });
}

/** A file for one saved call. */
export async function scratchFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saved-call-'));
  closeAfterTest(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'call.json');
}

/** The call, which must be open. */
export function open<C extends { done: boolean }>(call: C): Extract<C, { done: false }> {
  if (call.done) throw new Error(`expected an open call, got ${JSON.stringify(call)}`);
  return call as Extract<C, { done: false }>;
}

/** The call, which must be finished. */
export function finished<C extends { done: boolean }>(call: C): Extract<C, { done: true }> {
  if (!call.done) throw new Error(`expected a result, got ${JSON.stringify(call)}`);
  return call as Extract<C, { done: true }>;
}

/** The text of a result that is one. */
export function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === 'text' ? block.text : '';
}

/** The message of an open question for a person. */
export function messageOf({ questions }: OpenCall, key: string): string | undefined {
  const question = questions[key];
  return question?.method === 'elicitation/create' ? question.params.message : undefined;
}
