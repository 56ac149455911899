/**
 * One call of a definition: everything that its steps read. `beginCall` makes it once for each
 * request, in either era.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallEvent } from '../author/event.js';
import type { End } from '../author/model.js';
import type { Progress } from '../engine/ledger.js';
import type { Watch } from '../engine/steps.js';
import type { ToolError } from '../errors.js';
import type { OnceSettings } from '../once/onceSettings.js';
import type { CallRecord } from '../state/record.js';
import { STANDARD_ERROR } from '../log.js';
import type { Logger } from '../log.js';
import type { RequestBoundary } from './requestBoundary.js';
import type { ClientFacts } from './clientFacts.js';
import type { Parking } from './parking.js';
import type { ReportError } from './operator.js';

/** The errors that the model may read: all of them, or only `ToolError`s. */
export type ErrorPolicy = 'all' | 'toolErrorsOnly';

/** The settings of calls, with all defaults filled in. */
export interface CallSettings {
  readonly errors: ErrorPolicy;
  /** The destination of log lines. */
  readonly logger: Logger;
  /** The time that a legacy client has to answer a question. */
  readonly askTimeoutMs: number;
  readonly onEvent: ((event: CallEvent) => void) | undefined;
  /** True if events include values, answers and the text of questions. */
  readonly eventValues: boolean;
}

/** The defaults of all settings. The client has ten minutes to answer. */
export const DEFAULT_SETTINGS: CallSettings = {
  errors: 'toolErrorsOnly',
  logger: STANDARD_ERROR,
  askTimeoutMs: 600_000,
  onEvent: undefined,
  eventValues: false,
};

/** The request that a call serves. */
export interface CallRequest extends ClientFacts {
  readonly ctx: ServerContext;
  readonly settings: CallSettings;
  /**
   * The caller. `request`: a server, whose state must be sealed. `handler`: the same for a handler
   * of a host, which may serve over HTTP without a trace of it in the context. `engine`: another
   * library, whose state may be unsealed. `nested`: the author's code inside of a call, which has
   * no state. `direct`: the author's code outside of any request, so there is no client.
   */
  readonly origin: 'request' | 'handler' | 'engine' | 'nested' | 'direct';
  /** Receives every error that is not meant for the model. */
  readonly report: ReportError;
}

/** A call at the beginning of a round. */
export interface Call extends CallRequest {
  /** The name of the definition. */
  readonly name: string;
  /** The method and the name of the definition, such as `tools/call refund`. */
  readonly definition: string;
  /** The settings of the definition for running an approved call once, if it has any. */
  readonly once: OnceSettings | undefined;
  /** True if questions go out in the result, and not in the middle of the call. */
  readonly isModern: boolean;
  readonly boundary: RequestBoundary | undefined;
  /** The same in all rounds of a sealed call. */
  readonly id: string;
  /** The time span of the call. `undefined` if it has not asked. */
  readonly span: CallSpan | undefined;
  readonly progress: Progress;
  /** True if sealed state proves that the call continues an earlier round. */
  readonly resumed: boolean;
  /** The error that ends the call if it asks, because the state belongs to another one. */
  readonly conflict: ToolError | undefined;
  /** The place where the call waits for approvals. `undefined` if its definition has none. */
  readonly parking?: Parking | undefined;
  /** Reports the events of the call. `undefined` if there is no listener. */
  readonly watch: CallWatch | undefined;
  /** Receives the errors that do not change the result. */
  readonly onUnexpectedError: (error: unknown) => void;
}

/** The times, in seconds since the epoch, of a call's first question and of its deadline. */
export type CallSpan = Pick<CallRecord, 'start' | 'deadline'>;

/** Reports the events of one round of a call. */
export interface CallWatch {
  readonly reportStart: (method: string) => void;
  readonly reportStep: Watch;
  /** Reports the end of the round. Only the first report has an effect. */
  readonly reportEnd: (end: End, replayed?: boolean) => void;
}
