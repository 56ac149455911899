/**
 * Reads the context that a host passes to a handler of `toolHandler()`. A host may leave out parts,
 * or have them in getters or in a class.
 */
import type { AuthInfo, ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import { envelopeFacts, hasBackChannel, isModern } from '../call/clientFacts.js';
import type { ClientFacts } from '../call/clientFacts.js';
import { isObject } from '../values.js';

/** The parts of the SDK's `ServerContext` that a handler uses. */
export interface HandlerContext {
  readonly mcpReq: {
    readonly signal: AbortSignal;
    /** The id of the request. Without it, a call without `once` runs once in each process. */
    readonly id?: string | number | undefined;
    /** Returns the state that a modern client sent back. */
    readonly requestState?: () => unknown;
    /** The answers that a modern client sent. */
    readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
    /** The version and the capabilities that a modern client declares. */
    readonly envelope?: object | undefined;
    /** Sends a question to a legacy client. Without it, such a client cannot be asked. */
    send?(request: never, schema: never, options: never): Promise<unknown>;
  };
  /** The session of a legacy client over HTTP. Without one, such a client cannot be asked. */
  readonly sessionId?: string | undefined;
  /** The request and its user, if it came over HTTP. Without `authInfo`, calls are anonymous. */
  readonly http?:
    { readonly authInfo?: AuthInfo | undefined; readonly req?: Request | undefined } | undefined;
}

/** @throws {TypeError} If the second argument is not the context of a request. */
export function assertContext(tool: string, args: unknown, ctx: unknown): void {
  if (isObject(ctx) && isObject(ctx.mcpReq) && isObject(ctx.mcpReq.signal)) return;
  throw new TypeError(
    `The handler of tool '${tool}' has no \`mcpReq.signal\` in its second argument. ${remedyFor(args, ctx)}`,
  );
}

function remedyFor(args: unknown, ctx: unknown): string {
  if (isObject(args) && isObject(args.mcpReq))
    return 'For a tool without `inputSchema`, the SDK passes only the context. Register (ctx) => handler({}, ctx).';
  if (isObject(ctx))
    return "Pass on the parts of the host's context: handler(args, { mcpReq: { id, signal, requestState, inputResponses }, http: { authInfo } }).";
  return 'Pass the context of the request: (args, ctx) => handler(args, ctx).';
}

/** The options about the client of a request. */
interface ClientOptions {
  readonly protocolVersion?: string | ((ctx: HandlerContext) => string | undefined);
  readonly clientCapabilities?:
    ClientCapabilities | ((ctx: HandlerContext) => ClientCapabilities | undefined);
}

/** The capabilities if the host passes on none. The client itself refuses what it does not know. */
const ASSUMED: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

/**
 * Returns the facts about the client of a request.
 *
 * @throws {TypeError} If the context lacks a part that the request needs.
 */
export function readClient(ctx: HandlerContext, tool: string, options: ClientOptions): ClientFacts {
  const declared = envelopeFacts(ctx);
  const protocolVersion = optionFor(ctx, options.protocolVersion) ?? declared.protocolVersion;
  const modern = isModern(protocolVersion);
  if (modern && typeof ctx.mcpReq.requestState !== 'function') {
    throw new TypeError(
      `The handler of tool '${tool}' needs \`mcpReq.requestState\` in its second argument, a function that returns the state of the request. Pass on that of the host's context.`,
    );
  }
  if (!modern && !canPush(ctx)) return { protocolVersion, clientCapabilities: undefined };
  const clientCapabilities =
    optionFor(ctx, options.clientCapabilities) ??
    // A legacy client can send a part of an envelope, which says nothing about its session.
    (modern ? declared.clientCapabilities : undefined) ??
    ASSUMED;
  return { protocolVersion, clientCapabilities, clientInfo: declared.clientInfo };
}

/** Returns true if a question can reach a legacy client, and its answer can come back. */
function canPush({ mcpReq, http, sessionId }: HandlerContext): boolean {
  return typeof mcpReq.send === 'function' && hasBackChannel(http, sessionId);
}

/** Returns the value of an option that may be a function of the context. */
function optionFor<T>(ctx: HandlerContext, option: T | ((ctx: HandlerContext) => T)): T {
  return typeof option === 'function' ? (option as (ctx: HandlerContext) => T)(ctx) : option;
}

/**
 * Returns a context of the SDK's shape. It reads each part by its name, because a host may have
 * them in getters or in a class, which a spread would leave out. Without its user, a call is
 * anonymous.
 */
export function toServerContext(ctx: HandlerContext): ServerContext {
  const { mcpReq: given, http, sessionId } = ctx;
  const { id, signal, inputResponses, envelope } = given;
  const mcpReq = {
    method: 'tools/call',
    ...given,
    id,
    signal,
    requestState: () => given.requestState?.(),
    ...(inputResponses !== undefined && { inputResponses }),
    ...(envelope !== undefined && { envelope }),
    ...(given.send && { send: given.send.bind(given) }),
  };
  const parts = { ...(http && { http }), ...(sessionId !== undefined && { sessionId }), mcpReq };
  return { ...ctx, ...parts } as unknown as ServerContext;
}
