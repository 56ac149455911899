/**
 * A tool that pays once after an approval, the raw rounds that a client sends to it, and stores
 * that record their steps.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, memoryStore, requestStateSeal, resolver } from 'mcp-resolve';
import type { CallContext, InstallOptions, Tool } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { accept, cancel as cancelled, decline as declined } from 'mcp-resolve/testing';
import { expect, vi } from 'vitest';

import { overHttp, type Reply, type SendOptions, tokenOf } from '../../sealing/desk.js';
import { aroundSteps, type Step, type StepName } from './steps.js';
import { deferred } from '../../support/deferred.js';
import { connectClient } from '../../support/plainClient.js';
import type { Factory } from '../../support/servers.js';

/** The answers that a user can give to `confirm`. */
export const yes = accept({ confirm: true });
export const unticked = accept({ confirm: false });
export const decline = declined();
export const cancel = cancelled();

/** The parts of a round besides the tool. */
export interface RoundInput {
  readonly args?: Record<string, unknown>;
  readonly answers?: Record<string, unknown>;
  readonly token?: unknown;
}

/** Sends one round of a tool. */
export type Rounds = (input?: RoundInput, options?: SendOptions) => Promise<Reply>;

const quiet = { warn: () => undefined };

/** Creates a seal with a key of its own. */
export const ownSeal = (settings: Parameters<typeof requestStateSeal.ephemeral>[0] = {}) =>
  requestStateSeal.ephemeral({ logger: quiet, ...settings });

/** Creates a seal with a key that other processes can share. */
export const sharedSeal = (settings: Parameters<typeof requestStateSeal.ephemeral>[0] = {}) =>
  requestStateSeal({
    keys: ['a key of the tests, 32 bytes or more'],
    audience: 'bank',
    logger: quiet,
    ...settings,
  });

/** The options of {@link bank}. */
export interface BankOptions extends InstallOptions {
  /** Receives every error that the server reports. */
  readonly onerror?: (error: Error) => void;
}

/** Creates a factory of servers with these tools. Default: sealed with a key of their own. */
export function bank(tools: readonly Tool[], { onerror, ...options }: BankOptions = {}): Factory {
  const seal = options.seal ?? ownSeal();
  return () => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    if (onerror !== undefined) server.server.onerror = onerror;
    install(server, tools, { logger: quiet, ...options, seal });
    return server;
  };
}

/** Serves one tool and sends rounds to it. */
export function roundsOf(tool: Tool, options?: BankOptions): Rounds {
  return roundsAt(bank([tool], options), tool.name);
}

/** Sends rounds of a tool to the servers of a factory. */
export function roundsAt(factory: Factory, name: string, over = overHttp): Rounds {
  const send = over(factory);
  return ({ args = {}, answers, token } = {}, options) =>
    send(
      'tools/call',
      {
        name,
        arguments: args,
        ...(answers !== undefined && { inputResponses: answers }),
        ...(token !== undefined && { requestState: token }),
      },
      options,
    );
}

/** A call with one question, after its first round. */
export interface AskedCall {
  readonly rounds: Rounds;
  readonly token: string;
  /** The last round: the token and the approval. */
  readonly last: RoundInput;
}

/** Serves one tool and sends the first round of a call. */
export async function askedCall(tool: Tool, options?: BankOptions): Promise<AskedCall> {
  const rounds = roundsOf(tool, options);
  const token = tokenOf(await rounds());
  return { rounds, token, last: { token, answers: { approved: yes } } };
}

/** A request that its client can abort. */
export interface AbortableRound {
  readonly abort: () => void;
  /** Settles when the client has given up. */
  readonly ended: Promise<void>;
}

/** Sends the last round of `pay` with an SDK client that can abort the request. */
export async function sendAbortable(factory: Factory, token: string): Promise<AbortableRound> {
  const { client } = await connectClient('modern', factory, { elicit: [] });
  const controller = new AbortController();
  const params = { name: 'pay', requestState: token, inputResponses: { approved: yes } };
  const call = client.request({ method: 'tools/call', params }, { signal: controller.signal });
  return { abort: () => controller.abort(), ended: expect(call).rejects.toThrow() };
}

/** The result of a call, in short. */
export interface Answer {
  readonly text: string;
  readonly isError?: true;
  /** The reason in `_meta` why the call did not run. */
  readonly once?: unknown;
}

/** Returns the result in a reply. */
export function answerOf({ result, text }: Reply): Answer {
  const { content, isError, _meta } = (result ?? {}) as {
    content?: { text: string }[];
    isError?: boolean;
    _meta?: Record<string, unknown>;
  };
  if (content?.[0] === undefined) throw new Error(`expected a complete result, got ${text}`);
  const once = _meta?.['mcp-resolve/once'];
  return {
    text: content[0].text,
    ...(isError === true && { isError }),
    ...(once !== undefined && { once }),
  };
}

const failure = (once: string, sentence: string) => (tool: string) => ({
  text: `Error executing tool ${tool}: ${sentence}`,
  isError: true as const,
  once,
});

/** Sends a round until the result is the expected one. */
export const eventually = (send: () => Promise<Reply>, expected: object): Promise<void> =>
  vi.waitFor(async () => expect(answerOf(await send())).toEqual(expected), {
    timeout: 15_000,
    interval: 20,
  });

/** The results of a call that does not run, as they are on the wire. */
export const inProgress = failure(
  'in_progress',
  'this call is already in progress, so it was not started again. Send the same request again to get its result.',
);
export const outcomeUnknown = failure(
  'outcome_unknown',
  'the outcome of this call is unknown. A request was about to run it, but its end was never recorded, so it is not run again. Check what it did before you start a new call.',
);
export const resultNotKept = failure(
  'result_not_kept',
  'this call has completed, but its result was not kept, because it was too large or the store had no room. It is not run again.',
);
export const storeUnavailable = failure(
  'store_unavailable',
  'this request did not run the call, because the store that prevents a second run failed or did not answer in time. An earlier request may have run it. Send the same request again later. If the outcome is then unknown, this request may be the reason, because the store may have noted it.',
);
export const storeFull = failure(
  'store_full',
  'this call was not started, because the store that prevents a second run is full.',
);

/** The result of {@link payTool}. */
export const PAID = { text: 'Paid 48 euros.' };

/** A tool that pays after an approval. */
export interface PayTool {
  readonly tool: Tool;
  /** The functions that ran, in order: `due`, `approved`, `body`. */
  readonly runs: string[];
}

/** Creates a tool that pays after an approval. `body` replaces the payment. */
export function payTool(
  once: RecordStore | { store: RecordStore; waitMs?: number; maxResultBytes?: number } | undefined,
  body: (ctx: CallContext) => unknown = () => PAID.text,
): PayTool {
  const runs: string[] = [];
  const due = resolver({}, () => {
    runs.push('due');
    return 48;
  });
  const approved = resolver(
    { due },
    (values) => {
      runs.push('approved');
      return confirm(`Pay ${values.due} euros?`);
    },
    { asks: 'form' },
  );
  const tool = defineTool(
    'pay',
    { resolve: { due, approved }, ...(once && { once }) },
    async (_, ctx) => {
      runs.push('body');
      return (await body(ctx)) as string;
    },
  );
  return { tool, runs };
}

/** A call whose body runs until the test releases it. */
export interface RunningCall extends AskedCall {
  readonly factory: Factory;
  readonly runs: string[];
  /** The reply to the last round. */
  readonly first: Promise<Reply>;
  readonly release: () => void;
}

/** Starts a call whose body runs until the test releases it. */
export async function runningCall(
  once: RecordStore | { store: RecordStore; waitMs: number },
  options?: BankOptions,
): Promise<RunningCall> {
  const started = deferred();
  const release = deferred();
  const { tool, runs } = payTool(once, async () => {
    started.resolve();
    await release.promise;
    return PAID.text;
  });
  const factory = bank([tool], options);
  const rounds = roundsAt(factory, 'pay');
  const token = tokenOf(await rounds());
  const last = { token, answers: { approved: yes } };
  const first = rounds(last);
  await started.promise;
  return { factory, rounds, token, last, runs, first, release: () => release.resolve() };
}

/** Waits until a condition holds. */
export const until = (holds: () => boolean): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 15_000, interval: 10 });

/** Counts the runs of a function. */
export const countOf = (runs: readonly string[], what: string): number =>
  runs.filter((ran) => ran === what).length;

/** A store and the steps that it took. */
export interface RecordedStore {
  readonly store: RecordStore;
  readonly taken: Step[];
  /** Returns the names of the steps since its last call. */
  readonly newSteps: () => StepName[];
}

/** Records the steps of a store. */
export function recordSteps(store: RecordStore = memoryStore()): RecordedStore {
  const taken: Step[] = [];
  let returned = 0;
  return {
    taken,
    newSteps: () => {
      const names = taken.slice(returned).map(({ step }) => step);
      returned = taken.length;
      return names;
    },
    store: aroundSteps(store, (step, take) => {
      taken.push(step);
      return take();
    }),
  };
}

/** Returns a store in which a function takes the place of one kind of step. */
export function withStep(
  name: StepName,
  instead: (take: () => Promise<unknown>) => unknown,
  store: RecordStore = memoryStore(),
): RecordStore {
  return aroundSteps(store, async (step, take) => {
    if (step.step !== name) return take();
    return (await instead(take)) as Awaited<ReturnType<typeof take>>;
  });
}
