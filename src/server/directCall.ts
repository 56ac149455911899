/** Calls a definition without a client request: from a test, a script or another handler. */
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallContext } from '../define/context.js';
import { ToolError } from '../errors.js';
import { allowManyListeners } from '../platform.js';
import { STANDARD_ERROR } from '../state/warnings.js';
import { shownFailure } from './callable.js';
import type { Method } from './callable.js';
import { runCall } from './runCall.js';
import { outerCallOf, withoutProgress } from './callContext.js';
import type { OuterCall } from './callContext.js';
import { logError } from './operator.js';
import type { ClientFacts } from './clientFacts.js';
import type { Definition } from './definitions.js';

/**
 * Calls a definition with validated arguments. The call always starts with its first round. The
 * answers and the state in `ctx` belong to the outer call, so they are ignored. The result hides
 * unexpected errors, because a body may return it to the model. Its `cause` is the error.
 */
export async function callAlone<Result>(
  definition: Definition<Result>,
  args: Readonly<Record<string, unknown>>,
  ctx: ServerContext = detachedContext(definition.address.method),
): Promise<Result> {
  // Many calls may run at the same time inside one request.
  allowManyListeners(ctx.mcpReq.signal);
  const outer = outerCallOf(ctx) ?? NO_OUTER_CALL;
  const result = await runCall(definition, args, {
    ctx: withoutProgress(ctx),
    ...factsOf(ctx),
    errors: 'toolErrorsOnly',
    logger: outer.logger,
    isDirect: outer.isDirect,
    report: (error, place) => {
      if (outer.report === undefined) logError(outer.logger, error, place);
      else outer.report(error, place);
    },
  });
  if (!isInputRequiredResult(result)) return result;
  return definition.fail(shownFailure(nested(definition.name)));
}

/** The settings of a call that the author's code starts. */
const NO_OUTER_CALL: OuterCall = { report: undefined, logger: STANDARD_ERROR, isDirect: true };

function nested(name: string): ToolError {
  return new ToolError(
    `'${name}' asks a question, but a call from inside another handler cannot ask on this protocol version. Use its resolvers in the outer definition.`,
  );
}

/** Returns the facts about the client. Only a context of this library contains them. */
function factsOf(ctx: ServerContext | CallContext): ClientFacts {
  if (!('canAsk' in ctx)) return { protocolVersion: undefined, clientCapabilities: undefined };
  return { protocolVersion: ctx.protocolVersion, clientCapabilities: ctx.clientCapabilities };
}

/** Creates the context of a call without a client. */
export function detachedContext(method: Method): ServerContext {
  const noClient = (): Promise<never> =>
    Promise.reject(new Error('This call has no client. Pass the `ctx` of a handler to reach one.'));
  return {
    mcpReq: {
      id: 'direct',
      method,
      signal: new AbortController().signal,
      requestState: () => undefined,
      send: noClient,
      notify: noClient,
      log: noClient,
      elicitInput: noClient,
      requestSampling: noClient,
    },
  };
}
