/** Calls a tool without a request of its own: from a test, a script, or another handler. */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { CallContext } from '../../define/context.js';
import { ToolError } from '../../errors.js';
import { callTool } from '../call/callTool.js';
import { withoutAnswers } from '../call/context.js';
import type { ToolDefinition } from './definition.js';
import type { ClientFacts } from '../call/era.js';
import { toolError } from './toolResult.js';
import { parseArguments } from './parseArguments.js';

/**
 * Calls a tool. It starts on its first round whatever `ctx` carries: the answers and the state in
 * there belong to the outer call.
 *
 * @throws {ProtocolError} If a resolver asks and there is no client to ask.
 */
export async function callDirectly(
  tool: ToolDefinition,
  args: unknown,
  ctx: ServerContext = detachedContext(),
): Promise<CallToolResult> {
  const parsed = await parseArguments(tool, args);
  if ('problem' in parsed) return parsed.problem;
  const { mcpReq } = withoutAnswers(ctx);
  const result = await callTool(tool, parsed.args, {
    ctx: { ...ctx, mcpReq: { ...mcpReq, requestState: () => undefined } },
    ...factsOf(ctx),
    errors: 'all',
    onUnexpectedError: () => undefined,
  });
  if (!isInputRequiredResult(result)) return result;
  const nested = new ToolError(
    'it asks a question, which a call from inside another handler cannot do on this protocol version: use its resolvers in the outer tool',
  );
  return toolError(tool.name, nested, 'all');
}

/** A context of ours knows the client; another one does not. */
function factsOf(ctx: ServerContext | CallContext): ClientFacts {
  if (!('canAsk' in ctx)) return { protocolVersion: undefined, clientCapabilities: undefined };
  return { protocolVersion: ctx.protocolVersion, clientCapabilities: ctx.clientCapabilities };
}

/** The context of a call that no client made. */
function detachedContext(): ServerContext {
  const noClient = (): Promise<never> => Promise.reject(new Error('This call has no client.'));
  return {
    mcpReq: {
      id: 'direct',
      method: 'tools/call',
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
