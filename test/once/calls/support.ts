/**
 * What these tests share: a tool that pays once after a yes, the raw rounds that a client sends it,
 * and stores that tell what they are asked, or do something else instead.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import type { CallContext, InstallOptions, Tool } from 'mcp-resolve';
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceEnd, OnceLease, OnceStore } from 'mcp-resolve/once';
import { vi } from 'vitest';

import { overHttp, type Reply, type SendOptions } from '../../sealing/desk.js';
import type { Factory } from '../../support/servers.js';

/** The answers that a person can give to a form. */
export const accept = (content: object) => ({ action: 'accept', content });
export const yes = accept({ confirm: true });
export const unticked = accept({ confirm: false });
export const decline = { action: 'decline' };
export const cancel = { action: 'cancel' };

/** What a round carries besides the tool. */
export interface RoundInput {
  readonly args?: Record<string, unknown>;
  readonly answers?: Record<string, unknown>;
  readonly token?: unknown;
}

/** Sends one round of a tool and gives the very text of the response. */
export type Rounds = (input?: RoundInput, options?: SendOptions) => Promise<Reply>;

const quiet = { warn: () => undefined };

/** A seal whose key nobody else has, and which says nothing. */
export const ownSeal = (settings: Parameters<typeof requestStateSeal.ephemeral>[0] = {}) =>
  requestStateSeal.ephemeral({ logger: quiet, ...settings });

/** A seal over keys that other processes could have too. */
export const sharedSeal = (settings: Parameters<typeof requestStateSeal.ephemeral>[0] = {}) =>
  requestStateSeal({
    keys: ['a key of the tests, 32 bytes or more'],
    audience: 'bank',
    logger: quiet,
    ...settings,
  });

/** How a bank is set up. */
export interface BankOptions extends InstallOptions {
  /** Told of every error that the operator is told. */
  readonly onerror?: (error: Error) => void;
}

/** Makes servers with these tools, sealed under a key of their own unless told otherwise. */
export function bank(tools: readonly Tool[], { onerror, ...options }: BankOptions = {}): Factory {
  const seal = options.seal ?? ownSeal();
  return () => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    if (onerror !== undefined) server.server.onerror = onerror;
    install(server, tools, { ...options, seal });
    return server;
  };
}

/** Serves one tool, and sends it rounds by hand. */
export function roundsOf(tool: Tool, options?: BankOptions): Rounds {
  return roundsAt(bank([tool], options), tool.name);
}

/** Sends rounds of a tool to the servers of a factory. */
export function roundsAt(factory: Factory, name: string): Rounds {
  const send = overHttp(factory);
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

/** An answer of a tool, in short. */
export interface Answer {
  readonly text: string;
  readonly isError?: true;
  /** What `_meta` says about a call that is to run once. */
  readonly once?: unknown;
}

/** The answer that a reply brings; `once` where programs are told a reason. */
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

/** The reasons for which a call that is to run once gives no answer, as they stand on the wire. */
export const inProgress = failure(
  'in_progress',
  'this call is in progress: nothing was started a second time. Send the same round again to get its result',
);
export const outcomeUnknown = failure(
  'outcome_unknown',
  'the outcome of this call is unknown: it was started, and its end was never recorded. It is not run again; check what it did before you start a new one',
);
export const resultNotKept = failure(
  'result_not_kept',
  'this call has been completed, but its result was too large to be kept. It is not run again',
);
export const storeUnavailable = failure(
  'store_unavailable',
  'nothing was started: the store that keeps this call from running twice cannot be reached, so it may have run before. Send the same round again later',
);
export const storeFull = failure(
  'store_full',
  'nothing was started: the store that keeps this call from running twice is full',
);

/** A tool that pays after a yes. */
export interface PayTool {
  readonly tool: Tool;
  /** What ran, in order: `due`, `approved`, `body`. */
  readonly runs: string[];
}

/** Makes a tool that pays after a yes to `approved`; `body` can do something else instead. */
export function payTool(
  once: OnceStore | { store: OnceStore; waitMs?: number; maxResultBytes?: number } | undefined,
  body: (ctx: CallContext) => unknown = () => 'Paid 48 euros.',
): PayTool {
  const runs: string[] = [];
  const due = resolver({}, () => {
    runs.push('due');
    return 48;
  });
  const approved = resolver({ due }, (values) => {
    runs.push('approved');
    return confirm(`Pay ${values.due} euros?`);
  });
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

/** Waits until this holds, for as long as a test may take. */
export const until = (holds: () => boolean): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 15_000, interval: 10 });

/** How often something ran. */
export const countOf = (runs: readonly string[], what: string): number =>
  runs.filter((ran) => ran === what).length;

export type StepName = 'read' | 'claim' | 'renew' | 'finish';

/** A step that a store was asked to take. */
export interface TakenStep {
  readonly step: StepName;
  readonly id: string;
  readonly details?: OnceLease | OnceEnd;
}

/** A store that tells what it is asked. */
export interface HeardStore {
  readonly store: OnceStore;
  readonly taken: TakenStep[];
  /** The names of the steps since the last time. */
  readonly since: () => StepName[];
}

/** Listens to a store. */
export function heard(store: OnceStore = memoryOnceStore()): HeardStore {
  const taken: TakenStep[] = [];
  let told = 0;
  return {
    taken,
    since: () => {
      const names = taken.slice(told).map(({ step }) => step);
      told = taken.length;
      return names;
    },
    store: {
      ...store,
      read: (id) => {
        taken.push({ step: 'read', id });
        return store.read(id);
      },
      claim: (id, details) => {
        taken.push({ step: 'claim', id, details });
        return store.claim(id, details);
      },
      renew: (id, details) => {
        taken.push({ step: 'renew', id, details });
        return store.renew(id, details);
      },
      finish: (id, details) => {
        taken.push({ step: 'finish', id, details });
        return store.finish(id, details);
      },
    },
  };
}
