/**
 * Reports to the operator of a server. Unexpected errors go to the server's `onerror`. If the
 * author set none, a line in the log replaces it, so that the operator always learns of a failure.
 */
import type { Server } from '@modelcontextprotocol/server';
import type { AskedKind } from '../author/context.js';
import type { AnyResolver } from '../author/model.js';
import { errorOf } from '../errors.js';
import type { RejectReason } from '../errors.js';
import { AUTHOR_ONLY, nameOf, shownError, STANDARD_ERROR, Warnings } from '../log.js';
import type { Logger } from '../log.js';
import { isThenable } from '../values.js';
import { visibleText } from '../visibleText.js';

/** The call that an unexpected error belongs to. */
export interface ErrorPlace {
  readonly definition: string;
  readonly callId: string;
  /** True if the call failed with the error. False if its result is the same without the error. */
  readonly failed: boolean;
}

/** Reports an error that the schema of a definition threw. */
export type ReportThrown = (error: unknown, definition: string) => void;

/** Reports an unexpected error of a call. */
export type ReportError = (error: unknown, place: ErrorPlace) => void;

/** Reports an error to the server's `onerror`, or else in the log. */
export function reportError(
  server: Server,
  thrown: unknown,
  { place, logger }: { readonly place: ErrorPlace; readonly logger: Logger },
): void {
  const error = errorOf(thrown);
  if (place.failed) failedCalls.set(error, place.callId);
  if (!notifyOnerror(server, error)) logError(logger, error, place);
}

/** Returns a reporter that omits the cancellation itself, but not other errors that it caused. */
export function exceptCancellation(signal: AbortSignal, report: ReportError): ReportError {
  return (error, place) => {
    if (!signal.aborted || error !== signal.reason) report(error, place);
  };
}

export function logError(
  logger: Logger,
  error: unknown,
  { definition, callId, failed }: ErrorPlace,
): void {
  const what = failed ? 'failed in' : 'caused an error in';
  Warnings.of(logger).failure(`'${definition}' ${what} call ${callId}: ${shownError(error)}`);
}

/** Calls the server's `onerror`. Returns false if there is none, or if it throws. */
export function notifyOnerror(server: Server, error: unknown): boolean {
  try {
    server.onerror?.(errorOf(error));
    return server.onerror !== undefined;
  } catch {
    return false;
  }
}

/** The ids of failed calls, by their errors. */
const failedCalls = new WeakMap<Error, string>();

export function failedCallOf(error: Error): string | undefined {
  return failedCalls.get(error);
}

/** Warns about a question that changes after every answer, so that it can never be answered. */
export function warnMovingQuestion(logger: Logger, definition: string, key: string): void {
  Warnings.of(logger).once(
    `'${definition}': the question '${key}' changed after every answer. Pin the value that it shows.`,
  );
}

/** Warns about a resolver that asks although it does not declare it. */
export function warnUndeclared(
  logger: Logger,
  resolver: AnyResolver,
  { place, kind }: { readonly place: string; readonly kind: AskedKind },
): void {
  Warnings.of(logger === AUTHOR_ONLY ? STANDARD_ERROR : logger).onceAbout(
    resolver,
    `${place} asks, but does not declare it, so explain() shows it as computed. Add { asks: '${kind}' } to its options.`,
  );
}

/** Warns about a guard that refused because it returned neither true nor false. */
export function warnGuardValue(logger: Logger, guard: string, returned: string): void {
  Warnings.of(logger === AUTHOR_ONLY ? STANDARD_ERROR : logger).once(
    `${guard} returned ${returned}, so it refused the call. A guard must return true to let the call go on, or throw a ToolError.`,
  );
}

/** Warns about an approval that a client gave by declaring no forms. */
export function warnUnasked(logger: Logger, resolver: string): void {
  Warnings.of(logger === AUTHOR_ONLY ? STANDARD_ERROR : logger).once(
    `${resolver} approved without asking, because the client does not declare forms and \`otherwise\` is true. Write \`otherwise: false\`, or remove it, so that such a client receives an error.`,
  );
}

/** Warns about a definition that is made again for every request. */
export function warnManyDefinitions(logger: Logger, name: string, times: number): void {
  Warnings.of(logger).once(
    `'${name}' was defined ${times} times. Define it once, outside the function that builds a server, and only install() it there.`,
  );
}

/** The longest name or version of a client in a line of the log. */
const LONGEST_IDENTITY = 60;

/** Warns about a question that a client did not answer in time. */
export function warnUnanswered(
  logger: Logger,
  { name, version }: { readonly name: string | undefined; readonly version: string | undefined },
  asked: { readonly definition: string; readonly key: string; readonly seconds: number },
): void {
  const parts = [name === undefined ? 'without a name' : `'${shortText(name)}'`];
  if (version !== undefined) parts.push(shortText(version));
  Warnings.of(logger).warn(
    `'${asked.definition}': the client ${parts.join(' ')} did not answer the question '${asked.key}' within ${asked.seconds} seconds. If it shows no such questions, take the capability away with \`usableCapabilities\`.`,
  );
}

function shortText(text: string): string {
  return visibleText(text, LONGEST_IDENTITY);
}

/** The consequence of a failed `usableCapabilities` for its client. */
const ABLE_TO_NOTHING =
  'so its client counts as able to nothing. It must return the capabilities at once, such as those that it receives.';

/** One object for each mistake, so that each is logged once, whatever its error says. */
const MISTAKES = { threw: {}, returned: {} };

/** Warns about a `usableCapabilities` that throws. */
export function warnCapabilitiesThrew(logger: Logger, error: unknown): void {
  const line = `\`usableCapabilities\` threw ${shownError(error)}, ${ABLE_TO_NOTHING}`;
  Warnings.of(logger).onceAbout(MISTAKES.threw, line);
}

/** Warns about a `usableCapabilities` that returns something else than capabilities. */
export function warnNotCapabilities(logger: Logger, returned: unknown): void {
  const line = `\`usableCapabilities\` returned ${kindOf(returned)}, ${ABLE_TO_NOTHING}`;
  Warnings.of(logger).onceAbout(MISTAKES.returned, line);
}

function kindOf(value: unknown): string {
  if (isThenable(value)) return 'a promise';
  if (Array.isArray(value)) return 'an array';
  return value == null ? String(value) : `a ${typeof value}`;
}

/** Warns about definitions that were made but not installed. */
export function warnNothingInstalled(): void {
  Warnings.of(STANDARD_ERROR).once(
    'Definitions were created, but the server has none of them. Call install(server, [definition]) where the server is built.',
  );
}

/** Warns about a legacy client that cannot be asked, because its host keeps no sessions. */
export function warnNoBackChannel(logger: Logger): void {
  Warnings.of(logger).once(
    'A client of protocol 2025-11-25 or earlier cannot be asked, because this server is built for every request and keeps no session. Serve it with createDualEraHandler() or serveHttp() of mcp-resolve/node, or over stdio. A transport of SDK 1.x needs a `sessionIdGenerator`. Otherwise give the question a fallback with `otherwise`, or hide the definition with `hideWhenCannotAsk`.',
  );
}

/** Warns about a definition that clients cannot find, because a handler of the host hides it. */
export function warnUnlisted(logger: Logger, definition: string, method: string): void {
  Warnings.of(logger).once(
    `'${definition}' is installed, but a handler of the host answers ${method} without it. Call install(server.server, …) after the host has set its handlers.`,
  );
}

/** Warns about a handler that does not learn which protocol its client speaks. */
export function warnUnknownEra(logger: Logger): void {
  Warnings.of(logger).once(
    "A handler of toolHandler() learns neither the protocol version of its client nor how to send a question, so the client cannot be asked. If the host serves clients of protocol 2026-07-28, set the option `protocolVersion: '2026-07-28'`.",
  );
}

/** Warns about a retry whose answers or state did not reach the handler. */
export function warnHalfOfRetry(logger: Logger): void {
  Warnings.of(logger).once(
    "A client came back with answers or with state, but not with both, so it is asked again. Check that the second argument of the handler has `requestState` and `inputResponses` of the host's context.",
  );
}

/** Warns about a definition whose name the author's own handler lists, too. */
export function warnListedTwice(logger: Logger, name: string): void {
  Warnings.of(logger).once(
    `The server's own handler also lists '${name}'. The definition of that name answers, so rename one of them.`,
  );
}

/** Warns about a handler that sends the state of a call without a seal. */
export function warnUnsealedState(logger: Logger): void {
  Warnings.of(logger).once(
    'The state between rounds leaves this server unsealed, so the client can read it and change it. It comes from resolveArguments() of mcp-resolve/engine in a handler that no seal protects. Call requestStateSeal({ keys, audience }).protect(server) where the server is built.',
  );
}

/** Warns about state that reached a definition without a seal. */
export function warnUnsealedRequest(logger: Logger, method: string): void {
  const reason: RejectReason = 'unsealed';
  Warnings.of(logger).warn(`requestState rejected on ${method}: ${reason}`);
}

/** Returns a reporter of errors that the schemas of a server throw. */
export function schemaReporter(server: Server, logger: Logger): ReportThrown {
  return (error, definition) => {
    notifyOnerror(server, error);
    warnThrowingSchema(error, definition, logger);
  };
}

/**
 * Warns about a schema that throws. Its message may quote an argument, so neither the model nor the
 * log gets it.
 */
export function warnThrowingSchema(
  error: unknown,
  definition: string,
  logger: Logger = STANDARD_ERROR,
): void {
  Warnings.of(logger).warn(
    `'${definition}': the schema threw ${nameOf(error)} while it validated arguments. A schema must return issues instead.`,
  );
}
