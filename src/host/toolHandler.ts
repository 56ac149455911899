/**
 * Creates a plain function from a tool, for hosts that register tools themselves. There is no
 * server to install on, so the function validates the arguments and opens and seals the state of
 * its calls.
 *
 * In: the arguments, and the context that the SDK gives to handlers. Out: a result, or questions.
 * Protocol errors, such as invalid state, are thrown.
 */
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { isKind } from '../author/brand.js';
import { isObject, withoutKeys } from '../values.js';
import type { Seal } from '../state/seal.js';
import type { CheckedSeal } from '../state/sealOptions.js';
import type { Logger } from '../log.js';
import { askingCallIn, withAskingCall } from '../call/askingCall.js';
import { withoutProgress } from '../call/requestContext.js';
import { asReceived, boundaryOf, runSealed } from '../call/requestBoundary.js';
import { isModern, limitFacts } from '../call/clientFacts.js';
import type { ClientFacts } from '../call/clientFacts.js';
import { noteInstalled } from '../definition/definitionCounts.js';
import type { Tool, ToolDefinition } from '../definition/definitions.js';
import { assertContext, readClient, toServerContext } from './handlerContext.js';
import type { HandlerContext } from './handlerContext.js';
import { checkOptions } from './installOptions.js';
import type { CallOptions, CheckedOptions, OptionsOwner } from './installOptions.js';
import { assertStoresFit, noteStores } from './onceStores.js';
import {
  exceptCancellation,
  logError,
  warnHalfOfRetry,
  warnThrowingSchema,
  warnUnknownEra,
} from '../call/operator.js';
import { droppedNames, parseArguments } from '../definition/requestArguments.js';
import { defaultPolicy, sealFor } from './requestStateSeal.js';
import { createRejectionListener } from '../call/callWatch.js';
import { declaresQuestions } from '../call/callRecord.js';
import { runCall } from '../call/runCall.js';
import type { Arguments } from '../call/runCall.js';
import { refuseChallenges } from './scopeChallenges.js';

/** A handler of one tool. The context is that of the SDK's handlers, or its parts. */
export type ToolHandler = (
  args: unknown,
  ctx: HandlerContext,
) => Promise<CallToolResult | InputRequiredResult>;

/** The options of `toolHandler()`. */
export interface ToolHandlerOptions extends CallOptions {
  /**
   * The protocol version of the client, or a function that reads it from the context. Default: the
   * version in the request's envelope. Without one, the client counts as a legacy client.
   */
  readonly protocolVersion?: string | ((ctx: HandlerContext) => string | undefined);
  /**
   * The capabilities of the client, or a function that reads them from the context. Default: those
   * in the request's envelope. Without them, the client is assumed to answer every question.
   */
  readonly clientCapabilities?:
    ClientCapabilities | ((ctx: HandlerContext) => ClientCapabilities | undefined);
  /** The audience of the state, if the seal has none. Default: the name of the tool. */
  readonly audience?: string;
  /**
   * True if the host validates the arguments with the tool's schema before it calls the handler.
   * The state is then bound to the validated arguments, so the schema must not generate values.
   * Default: false.
   */
  readonly argumentsParsed?: boolean;
}

const TOOL_HANDLER: OptionsOwner = {
  caller: 'toolHandler()',
  own: ['protocolVersion', 'clientCapabilities', 'audience', 'argumentsParsed'],
};

/**
 * Creates a handler for a host that registers tools itself.
 *
 * @example
 *
 * ```ts
 * const handler = toolHandler(payInvoice, { argumentsParsed: true });
 * server.registerTool(payInvoice.name, payInvoice, handler);
 * ```
 *
 * @throws {TypeError} If `tool` is not a tool, or an option is invalid.
 */
export function toolHandler(tool: Tool, options: ToolHandlerOptions = {}): ToolHandler {
  if (!isKind(tool, 'tool'))
    throw invalid('`tool` must be a tool. Create one with defineTool(name, config, body).');
  const definition = tool['~definition'];
  const checked = checkOptions(options, TOOL_HANDLER);
  checkOwnOptions(options, checked);
  refuseChallenges(
    [definition],
    TOOL_HANDLER.caller,
    'works only with install() on an McpServer. Check the scopes in a guard.',
  );
  const seal = createSeal(definition, checked, options.audience);
  const { usableCapabilities, logger } = checked;
  noteInstalled(definition, logger);
  const isParsed = options.argumentsParsed === true;
  return async (args, given) => {
    assertContext(definition.name, args, given);
    const declared = readClient(given, definition.name, options);
    const facts = usableCapabilities
      ? limitFacts(declared, { usableCapabilities, logger })
      : declared;
    warnMissingParts(definition, given, { facts, logger });
    const ctx = forNextCall(toServerContext(given));
    const call = (inner: ServerContext) =>
      runHandled(definition, args, { ctx: inner, facts, checked, isParsed });
    const params = { name: definition.name, arguments: args };
    const request = { method: 'tools/call', params, ctx };
    const boundary = boundaryOf(ctx);
    if (boundary !== undefined) {
      assertSealFits(boundary.seal.policy, definition, checked);
      return call(asReceived(ctx, request));
    }
    return runSealed({ seal, request, protocolVersion: facts.protocolVersion }, call);
  };
}

function checkOwnOptions(options: ToolHandlerOptions, { seal }: CheckedOptions): void {
  const { protocolVersion, clientCapabilities, audience, argumentsParsed } = options as {
    readonly [K in keyof ToolHandlerOptions]: unknown;
  };
  if (!['undefined', 'string', 'function'].includes(typeof protocolVersion))
    throw invalid('`protocolVersion` must be a string, or a function that takes the context.');
  if (!isObject(clientCapabilities ?? {}) && typeof clientCapabilities !== 'function')
    throw invalid('`clientCapabilities` must be an object, or a function that takes the context.');
  if (!['undefined', 'boolean'].includes(typeof argumentsParsed))
    throw invalid('`argumentsParsed` must be true or false.');
  if (audience === undefined) return;
  if (typeof audience !== 'string' || audience === '')
    throw invalid('`audience` must be a non-empty string.');
  if (seal?.['~policy'].audience !== undefined)
    throw invalid('the seal has an audience already. Remove `audience`.');
}

function createSeal(
  tool: ToolDefinition,
  checked: CheckedOptions,
  audience: string = tool.name,
): Seal {
  const { onEvent, logger } = checked;
  const policy = checked.seal?.['~policy'] ?? defaultPolicy();
  const owner = {};
  assertStoresFit(owner, policy, [tool]);
  noteStores(owner, [tool]);
  const seal = sealFor(policy, owner, { audience, logger });
  if (onEvent !== undefined)
    seal.listeners.set(onEvent, createRejectionListener({ onEvent, logger }));
  return seal;
}

/**
 * Checks that a handler can use the seal of the server that its request came through.
 *
 * @throws {TypeError} If the author chose another seal for the handler, or a store that does not
 *   fit.
 */
function assertSealFits(policy: CheckedSeal, tool: ToolDefinition, { seal }: CheckedOptions): void {
  if (seal !== undefined && seal['~policy'] !== policy) {
    throw new TypeError(
      `The handler of tool '${tool.name}' has another seal than its server. Pass the same seal to install() and to toolHandler(), or only to install().`,
    );
  }
  assertStoresFit({}, policy, [tool]);
}

/** Warns if a context lacks parts that an adapter should pass on. */
function warnMissingParts(
  { plan }: ToolDefinition,
  { mcpReq }: HandlerContext,
  { facts: { protocolVersion }, logger }: { readonly facts: ClientFacts; readonly logger: Logger },
): void {
  const cannotAsk = protocolVersion === undefined && mcpReq.send === undefined;
  if (cannotAsk && declaresQuestions(plan)) warnUnknownEra(logger);
  if (!isModern(protocolVersion)) return;
  const hasState = mcpReq.requestState?.() !== undefined;
  if (hasState !== (mcpReq.inputResponses !== undefined)) warnHalfOfRetry(logger);
}

/**
 * Hides the state and the answers of a request from a second handler, because they belong to the
 * call that the first one goes on with.
 */
function forNextCall(ctx: ServerContext): ServerContext {
  const asking = askingCallIn(ctx);
  if (asking === undefined) return ctx;
  // For a legacy client, the SDK calls the handler again in the same request, with its state.
  return withAskingCall(asking.sent === undefined ? withoutProgress(ctx) : ctx, asking);
}

interface HandledCall {
  readonly ctx: ServerContext;
  readonly facts: ClientFacts;
  readonly checked: CheckedOptions;
  /** True if the host has validated the arguments. */
  readonly isParsed: boolean;
}

async function runHandled(
  tool: ToolDefinition,
  args: unknown,
  { ctx, facts, checked, isParsed }: HandledCall,
): Promise<CallToolResult | InputRequiredResult> {
  const inputSchema = tool.inputSchema?.reportingTo((error, name) => {
    warnThrowingSchema(error, name, checked.logger);
  });
  const parsed = isParsed
    ? { args: withoutResolved(tool, args) }
    : await parseArguments({ name: tool.name, inputSchema }, args);
  if ('problem' in parsed) return parsed.problem;
  const report = exceptCancellation(ctx.mcpReq.signal, (error, place) => {
    logError(checked.logger, error, place);
  });
  const request = { ...facts, settings: checked, ctx, report };
  return runCall(tool, parsed.args, { ...request, origin: 'handler' });
}

/** Returns arguments that the host has validated, without the names of resolved parameters. */
function withoutResolved({ plan }: ToolDefinition, args: unknown): Arguments {
  const names = plan.params.map(({ param }) => param);
  const kept = withoutKeys(args, droppedNames(names));
  return isObject(kept) ? kept : {};
}

function invalid(problem: string): TypeError {
  return new TypeError(`toolHandler(): ${problem}`);
}
