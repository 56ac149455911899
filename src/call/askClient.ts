/**
 * Asks the client. `assertCanAsk` checks its capabilities in both eras. `pushQuestion` sends a
 * question during a call to a legacy client.
 */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/server';
import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { CallContext } from '../author/context.js';
import { ToolError } from '../errors.js';
import type { UnansweredQuestion } from '../engine/round.js';
import type { Capability } from '../question/capability.js';
import type { Call } from './call.js';
import { identityOf } from './clientFacts.js';
import { warnNoBackChannel, warnUnanswered } from './operator.js';

/**
 * Checks that the client can answer all open questions. The check covers all of them before any is
 * sent, so that a client never gets only some.
 *
 * @throws {ProtocolError} For the first question, in walk order, that the client cannot answer.
 * @throws {@link ToolError} If a direct call asks.
 */
export function assertCanAsk(
  open: readonly UnansweredQuestion[],
  { clientCapabilities, origin, settings }: Call,
): void {
  for (const { node, asked } of open) {
    if (asked.data.kind === 'approval') throw noDeskError(node.key);
    if (clientCapabilities === undefined) {
      if (origin === 'direct') throw noClientError(node.key);
      warnNoBackChannel(settings.logger);
      throw noBackChannelError(asked.rendered.method);
    }
    if (asked.capability.isDeclaredIn(clientCapabilities)) continue;
    throw missingCapabilityError(asked.capability, node.key);
  }
}

/** Creates the error for a client that cannot answer the question of a resolver. */
export function missingCapabilityError(
  { name, required }: Pick<Capability, 'name' | 'required'>,
  resolver: string,
): ProtocolError {
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities: required },
    `Client did not declare the ${name} capability required by resolver '${resolver}'`,
  );
}

/** Returns true if the client can answer a question. Only somebody else can give an approval. */
export function isForClient({ asked }: UnansweredQuestion): boolean {
  return asked.data.kind !== 'approval';
}

function noDeskError(resolver: string): Error {
  return new Error(
    `Resolver '${resolver}' asks for an approval, but its definition has no desk. Add \`approvals\` to a tool. Prompts and resources cannot ask for approvals.`,
  );
}

function noClientError(resolver: string): ToolError {
  return new ToolError(
    `Resolver '${resolver}' asks a question, but a direct call has no client to ask. Call it through a server, or test it with run() of mcp-resolve/testing.`,
  );
}

function noBackChannelError(method: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Cannot send '${method}': this transport context has no back-channel for server-initiated requests.`,
  );
}

const METHOD_NOT_FOUND: number = ProtocolErrorCode.MethodNotFound;

/** Accepts any result. The library checks the answer later and uses its own error messages. */
const anyResult: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'mcp-resolve', validate: (value) => ({ value }) },
};

/**
 * Asks a legacy client one question and returns its response.
 *
 * @throws {@link ToolError} If the response does not arrive in time.
 */
export async function pushQuestion(
  { node, asked }: UnansweredQuestion,
  ctx: CallContext,
  { name, clientInfo, settings: { askTimeoutMs, logger } }: Call,
): Promise<unknown> {
  const { method, params, pushedParams } = asked.rendered;
  const sent = pushedParams?.() ?? params;
  try {
    // `send` adds the id of the call, so that the question uses the call's own stream.
    return await ctx.mcpReq.send({ method, ...(sent && { params: { ...sent } }) }, anyResult, {
      timeout: askTimeoutMs,
      signal: ctx.signal,
    });
  } catch (error) {
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      const seconds = askTimeoutMs / 1000;
      warnUnanswered(logger, identityOf(clientInfo), { definition: name, key: node.key, seconds });
      throw new ToolError(
        `The client did not answer the question of resolver '${node.key}' within ${seconds} seconds`,
      );
    }
    // toolHandler() assumes capabilities that its host does not pass on, so this client may lack them.
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) {
      throw new MissingRequiredClientCapabilityError(
        { requiredCapabilities: asked.capability.required },
        `Client cannot answer the question of resolver '${node.key}', because it does not know ${method}`,
      );
    }
    throw error;
  }
}
