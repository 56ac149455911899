/**
 * A parked call as a task of the extension `io.modelcontextprotocol/tasks`: a client that declares
 * it gets a handle, and a poll makes the stored call again. A desk answers the requests about its
 * tasks, and the routes are in `host/taskRoutes.ts`. Neither knows the other.
 */
import type {
  ClientCapabilities,
  InputResponses,
  Result,
  ServerContext,
} from '@modelcontextprotocol/server';
import { isObject } from '../values.js';

/** The extension that a client declares, in the capabilities of each request. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The beginning of the ids of parked calls. All other ids belong to the host. */
export const TASK_PREFIX = 'parked-';

/** Returns true if a client can poll tasks. */
export function declaresTasks(declared: ClientCapabilities | undefined): boolean {
  const extensions: unknown = declared?.extensions;
  return (
    isObject(extensions) &&
    Object.hasOwn(extensions, TASKS_EXTENSION) &&
    isObject(extensions[TASKS_EXTENSION])
  );
}

/** The desk's side of tasks. */
export interface ParkedTasks {
  /** Answers a request about a task. Returns `undefined` if the caller has no such task here. */
  readonly answer: (request: TaskRequest) => Promise<Result | undefined>;
  /** Returns the call of a task, without a check of the caller. */
  readonly callOf: (id: string) => Promise<StoredCall | undefined>;
}

export type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/cancel';

export interface TaskRequest {
  readonly method: TaskMethod;
  readonly id: string;
  /** A digest of the caller. */
  readonly whose: string;
  readonly clientCapabilities: ClientCapabilities;
  /** The answers that the request brings. */
  readonly responses: Readonly<Record<string, unknown>>;
  /** The most bytes of answers that are kept. */
  readonly maxBytes: number;
  /** Aborted when the client no longer wants the answer. */
  readonly signal: AbortSignal;
  /** Makes a call, through everything that `tools/call` passes. The signal does not abort it. */
  readonly run: (call: StoredCall, replay: TaskReplay) => Promise<Result>;
}

/** The parameters of a `tools/call`. */
export interface StoredCall {
  readonly name: string;
  readonly arguments: unknown;
}

export interface TaskQuestion {
  /** The wire key of the resolver. */
  readonly resolver: string;
  /** The name of the capability that it needs. */
  readonly capability: string;
  readonly request: { readonly method: string; readonly params?: object };
}

/** One round of a task. */
export interface TaskReplay {
  readonly key: string;
  /** The part of the id that cannot be guessed. */
  readonly secret: string;
  /** The answers of the client, by the wire keys of resolvers. */
  readonly answers: InputResponses;
  /** True once the round got the recorded end of the call. */
  recorded: boolean;
  /** Ends the task, if nothing has changed it since this round. Set once the call was found. */
  finish?: (result: Result) => Promise<boolean>;
}

const REPLAY = Symbol.for('mcp-resolve.taskReplay');

type ReplayContext = ServerContext & { readonly [REPLAY]?: TaskReplay };

/** Returns the round of a task that a context belongs to. */
export function replayIn(ctx: ReplayContext): TaskReplay | undefined {
  return ctx[REPLAY];
}

/** Returns the context for a round of a task. It outlives the poll, so it reaches no client. */
export function replayContext(ctx: ServerContext, replay: TaskReplay): ServerContext {
  const { droppedInputResponseKeys: _, _meta: __, ...known } = ctx.mcpReq;
  const mcpReq: ServerContext['mcpReq'] = {
    ...known,
    method: 'tools/call',
    inputResponses: replay.answers,
    requestState: () => undefined,
    signal: new AbortController().signal,
    notify: () => Promise.resolve(),
    log: () => Promise.resolve(),
  };
  return Object.assign({}, ctx, { mcpReq, [REPLAY]: replay });
}
