/** Helpers for the tests of `startCall` and `resumeCall`: a client, and checks of a call's state. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { OpenCall } from 'mcp-resolve/client';

import { connectClient, type PlainClient } from '../support/plainClient.js';
import { closeAfterTest, type Factory } from '../support/servers.js';

/** The capabilities for every kind of question. */
export const capabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};

/** A call of the tool with two dependent questions. */
export const refund = { name: 'refund_order', arguments: { order_id: 'ORD-7' } };

/** Connects a client that declares all capabilities and answers no question on its own. */
export function connectByHand(factory: Factory): Promise<PlainClient> {
  return connectClient('modern', factory, { capabilities });
}

/** Returns the path of a file for one saved call. */
export async function scratchFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saved-call-'));
  closeAfterTest(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'call.json');
}

/** Returns the call, or throws if it is finished. */
export function expectOpen<C extends { done: boolean }>(call: C): Extract<C, { done: false }> {
  if (call.done) throw new Error(`expected an open call, got ${JSON.stringify(call)}`);
  return call as Extract<C, { done: false }>;
}

/** Returns the call, or throws if it is open. */
export function expectFinished<C extends { done: boolean }>(call: C): Extract<C, { done: true }> {
  if (!call.done) throw new Error(`expected a result, got ${JSON.stringify(call)}`);
  return call as Extract<C, { done: true }>;
}

/** Returns the message of an open elicitation. */
export function messageOf({ questions }: OpenCall, key: string): string | undefined {
  const question = questions[key];
  return question?.method === 'elicitation/create' ? question.params.message : undefined;
}
