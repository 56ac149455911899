/**
 * A place where a call waits for somebody else. A desk of approvals implements it and travels on
 * the definition, so this folder knows neither its store nor its texts.
 *
 * A call that waits is parked: its record, which otherwise travels in a token, stays at the place.
 * The same call, made again by any client of its principal, continues from there.
 */
import type {
  ClientCapabilities,
  InputResponses,
  Result,
  Server,
} from '@modelcontextprotocol/server';
import type { KIND } from '../author/brand.js';
import type { ApprovalTerms } from '../author/approvalTerms.js';
import type { End } from '../author/model.js';
import type { Verdict } from '../engine/ledger.js';
import { RESULT_META, ToolError } from '../errors.js';
import type { Logger } from '../log.js';
import type { CallRecord } from '../state/record.js';
import type { RecordStore } from '../store/recordStore.js';
import { isObject } from '../values.js';

/** The value of `approvals` on a tool. `approvalDesk` of `mcp-resolve/approvals` creates one. */
export interface ParkingDesk {
  readonly [KIND]: 'desk';
  readonly '~place': ParkingPlace;
}

/** A place where calls wait. */
export interface ParkingPlace {
  /** Looks up a call. It takes one read of the store. */
  readonly find: (slot: ParkingSlot) => Promise<Parking>;
  readonly store: RecordStore;
  /** Serves the tasks of its calls, if it gives handles. */
  readonly serveTasks?: ((at: TaskServer) => void) | undefined;
}

export interface ParkingSlot {
  /** A digest of everything that tells calls apart: audience, method, name, principal, arguments. */
  readonly key: string;
  /** The name of the definition. */
  readonly tool: string;
  readonly audience: string | undefined;
  /** A digest of the audience and the principal, if the place gives handles. */
  readonly whose?: string | undefined;
  /** The user that its records count for. */
  readonly user: Promise<string | undefined>;
  /** Receives errors of the store and of notifications. */
  readonly report: (error: unknown) => void;
}

/** An approval that is open in a round. */
export interface OpenApproval {
  /** The wire key of the resolver. */
  readonly resolver: string;
  readonly digest: string;
  readonly terms: ApprovalTerms;
}

/** A call and its requests, as they were looked up. */
export interface Parking {
  /** The record of the call that waits, if one does. */
  readonly record: CallRecord | undefined;
  /** The user that its records count for. */
  readonly user: Promise<string | undefined>;
  /** The error for a call that has run. */
  readonly spent: ToolError | undefined;
  /** Returns the decision on exactly this question. */
  readonly verdictOn: (resolver: string, digest: string) => Verdict | undefined;
  /** True for a task that has run, so that its result is the recorded one. */
  readonly hasRun?: boolean;
  /** The time that a client was told to keep the handle of the call, in seconds. */
  readonly keepSeconds: number;
  /** Parks the call, and returns the error that it ends with. */
  readonly park: (round: ParkedRound) => Promise<Parked>;
  /** Keeps the questions of a round of a task. Other calls have a token. */
  readonly ask?: (round: AskedRound) => Promise<void>;
  /**
   * Claims the approvals that this call has used, if it has used any. Afterwards no other call can
   * use them.
   *
   * @throws {@link ToolError} If one of them no longer counts, or a value differs.
   */
  readonly claim: (run: ClaimedRun) => Promise<void>;
  /** Gives the claimed approvals back, if the body has not started. */
  readonly release: () => Promise<void>;
  /** Withdraws the requests, because the caller has declined. */
  readonly drop: () => Promise<void>;
  /** Reports that the body starts, or how it has ended. */
  readonly note: (end?: End) => void;
  /** Notes that the round of a task gets the recorded end of the call. */
  readonly noteRecorded?: () => void;
}

/** The answers for a call that waits. */
export interface Parked {
  readonly error: ApprovalError;
  /** The handle of a task, for a client that can poll. */
  readonly handle?: Result | undefined;
}

/** A round that ends because questions to the caller are open. */
export interface AskedRound {
  readonly record: CallRecord;
  readonly questions: readonly TaskQuestion[];
}

/** A round that ends because approvals are open. */
export interface ParkedRound {
  readonly record: CallRecord;
  readonly open: readonly OpenApproval[];
  /** The values of the body's parameters that are known, by parameter. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The arguments as the client sent them, if it can poll a task. */
  readonly sent?: { readonly args: unknown } | undefined;
}

export interface TaskQuestion {
  /** The wire key of the resolver. */
  readonly resolver: string;
  /** The name of the capability that it needs. */
  readonly capability: string;
  readonly request: { readonly method: string; readonly params?: object };
}

export interface ClaimedRun {
  readonly values: Readonly<Record<string, unknown>>;
  /** The time that a token of the call may still live, in milliseconds. */
  readonly tokensLiveMs: number;
}

/** A server on which a tool is installed whose place gives handles. */
export interface TaskServer {
  readonly server: Server;
  /** The McpServer around it, if it checks the scopes of a definition. */
  readonly scopesAt: object | undefined;
  readonly logger: Logger;
}

/** One round of a task. */
export interface TaskReplay extends Pick<ParkingSlot, 'key'>, Pick<ParkingPlace, 'store'> {
  /** The answers of the client, by the wire keys of resolvers. */
  readonly answers: InputResponses;
  /** @throws {@link ToolError} If the task has ended. */
  readonly begin: (slot: ParkingSlot) => Parking;
}

/** The property of a result's `_meta` that says what a call with approvals waits for. */
export const APPROVALS_META_KEY = 'mcp-resolve/approvals';

/** The content of {@link APPROVALS_META_KEY}. */
export interface ApprovalsMeta {
  readonly state: 'pending' | 'denied' | 'used' | 'refused';
  readonly why?: ApprovalRefusal;
  readonly requests: readonly {
    readonly id: string;
    readonly resolver: string;
    readonly by: readonly string[];
    readonly state: 'pending' | 'approved' | 'denied' | 'used' | 'over';
    /** The number of persons who have approved. */
    readonly given: number;
    readonly quorum: number;
  }[];
  /** The time until which the answer stays, in milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** The reasons for refusing a call with approvals. */
export type ApprovalRefusal =
  'no_principal' | 'direct_call' | 'too_many' | 'changed' | 'store_unavailable' | 'store_full';

/** The error of a call that has no approval, or none that still counts. */
export class ApprovalError extends ToolError {
  readonly [RESULT_META]: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    readonly meta: ApprovalsMeta,
  ) {
    super(message);
    this[RESULT_META] = { [APPROVALS_META_KEY]: meta };
  }
}

/** Creates the error of a call that is refused before it can wait. */
export function refused(
  why: ApprovalRefusal,
  message: string,
  requests: ApprovalsMeta['requests'] = [],
): ApprovalError {
  return new ApprovalError(message, { state: 'refused', why, requests });
}

/** The extension that a client declares, in the capabilities of each request. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Returns true if a client can poll tasks. */
export function declaresTasks(declared: ClientCapabilities | undefined): boolean {
  const extensions: unknown = declared?.extensions;
  return (
    isObject(extensions) &&
    Object.hasOwn(extensions, TASKS_EXTENSION) &&
    isObject(extensions[TASKS_EXTENSION])
  );
}
