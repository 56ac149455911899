/** Calls a definition without a client request: from a test, a script or another handler. */
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { ToolError } from '../errors.js';
import { allowManyListeners } from '../platform.js';
import { shownFailure } from './callable.js';
import { runCall } from './runCall.js';
import { DEFAULT_SETTINGS } from './call.js';
import { callOf } from './callContext.js';
import { withoutProgress } from './requestContext.js';
import { logError } from './operator.js';
import type { Callable, Method } from './callable.js';

/**
 * Calls a definition with validated arguments. The call always starts with its first round. The
 * answers and the state in `ctx` belong to the outer call, so they are ignored. The result hides
 * unexpected errors, because a body may return it to the model. Its `cause` is the error.
 */
export async function callAlone<Result>(
  definition: Callable<Result>,
  args: Readonly<Record<string, unknown>>,
  ctx: ServerContext = detachedContext(definition.address.method),
): Promise<Result> {
  // Many calls may run at the same time inside one request.
  allowManyListeners(ctx.mcpReq.signal);
  const outer = callOf(ctx);
  const { logger } = outer?.settings ?? DEFAULT_SETTINGS;
  const result = await runCall(definition, args, {
    ctx: withoutProgress(ctx),
    protocolVersion: outer?.protocolVersion,
    clientCapabilities: outer?.clientCapabilities,
    settings: { ...DEFAULT_SETTINGS, logger },
    origin: outer === undefined || outer.origin === 'direct' ? 'direct' : 'nested',
    report:
      outer?.report ??
      ((error, place) => {
        logError(logger, error, place);
      }),
  });
  if (!isInputRequiredResult(result)) return result;
  return definition.fail(shownFailure(nestedAskError(definition.name)));
}

function nestedAskError(name: string): ToolError {
  return new ToolError(
    `'${name}' asks a question, but a call from inside another handler cannot ask on this protocol version. Use its resolvers in the outer definition.`,
  );
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
