/**
 * A request for a definition, as a server received it: what is known about its client is read here,
 * and what went wrong unexpectedly is reported to the server's operator.
 */
import type { InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server';
import type { CallEvent } from '../../define/event.js';
import { errorOf } from '../../errors.js';
import type { Rejection } from '../../state/sealOptions.js';
import type { CheckedOptions } from '../installOptions.js';
import { runCall } from './runCall.js';
import type { Callable } from './callable.js';
import { tell } from './callWatch.js';
import { clientFacts } from '../clientFacts.js';

/** Arguments, after validation. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a definition answers: a result, or questions. */
export type Answer<Result> = Result | InputRequiredResult;

/** One request for a definition. */
export interface CallRequest {
  readonly args: Arguments;
  readonly ctx: ServerContext;
  readonly options: CheckedOptions;
}

/** Calls a definition for a request that a server received. */
export function callFor<Result>(
  server: Server,
  definition: Callable<Result>,
  { args, ctx, options }: CallRequest,
): Promise<Answer<Result>> {
  const { protocolVersion, clientCapabilities } = clientFacts(server, ctx);
  return runCall(definition, args, {
    ctx,
    protocolVersion,
    clientCapabilities,
    askTimeoutMs: options.askTimeoutMs,
    errors: options.errors,
    onEvent: options.onEvent,
    eventValues: options.eventValues,
    onUnexpectedError: (error) => {
      // That the request is no longer wanted is no news; what failed because of it is.
      const { signal } = ctx.mcpReq;
      if (!signal.aborted || error !== signal.reason) report(server, error);
    },
  });
}

/** Tells a listener of rejected states. */
export function rejectionTeller(
  server: Server,
  onEvent: (event: CallEvent) => void,
): (rejection: Rejection) => void {
  const onUnexpectedError = (error: unknown): void => {
    report(server, error);
  };
  return ({ reason, method }) => {
    tell({ onEvent, onUnexpectedError }, { type: 'rejected', at: Date.now(), reason, method });
  };
}

/** Tells the server's operator; what their function throws must not change the answer. */
function report(server: Server, error: unknown): void {
  try {
    server.onerror?.(errorOf(error));
  } catch {
    // There is nobody left to tell.
  }
}
