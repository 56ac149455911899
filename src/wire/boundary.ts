/**
 * The boundary: a wrapper around a server's request handlers for the methods that can ask. It
 * stands outside McpServer's error funnel, so what it throws reaches the client as a JSON-RPC
 * error.
 *
 * ```
 * client ─► SDK dispatch ─► boundary ─► handler (McpServer's funnel ─► tool callback)
 *                              │  ▲                                        │
 *                              │  └── lane: a protocol error, put there ◄──┘
 *                              └─► thrown as it is
 * ```
 *
 * Inbound it opens the request state, outbound it seals it; what a client of the 2025 era sends as
 * answers or state is not genuine and never reaches a handler.
 */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { isModern } from './era.js';

/** How request state is kept from the client's hands. Both directions may take time. */
export interface StateSeal {
  readonly seal: (plaintext: string) => string | Promise<string>;
  readonly open: (token: string) => string | Promise<string>;
}

/** State that travels as it is. */
export const IDENTITY_SEAL: StateSeal = { seal: (text) => text, open: (text) => text };

/** What a wrapped handler can hand to the boundary past anything that stands between. */
interface Lane {
  error?: ProtocolError;
}

const LANE = Symbol.for('mcp-resolve.lane');
const BOUNDARY = Symbol.for('mcp-resolve.boundary');

/** The SDK copies contexts member by member, so the lane is an enumerable member of it. */
type LanedContext = ServerContext & { [LANE]?: Lane };

type Handler = (request: unknown, ctx: LanedContext) => Result | Promise<Result>;

const METHODS: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];

/**
 * Hands a protocol error to the boundary, from inside a handler whose own errors would become tool
 * errors. Gives whether there is a boundary to take it.
 */
export function passToBoundary(ctx: ServerContext, error: ProtocolError): boolean {
  const lane = (ctx as LanedContext)[LANE];
  if (lane === undefined) return false;
  lane.error = error;
  return true;
}

/**
 * Puts the boundary around a server's handlers, those that are there and those that will be. Once
 * per server; doing it again changes nothing.
 *
 * @throws {Error} If the SDK has changed so that handlers can no longer be reached.
 */
export function installBoundary(server: Server, seal: StateSeal = IDENTITY_SEAL): void {
  if (Object.hasOwn(server, BOUNDARY)) return;
  if (Reflect.get(server, '_requestStateVerify') !== undefined) {
    throw new Error(
      "This server has the SDK's own requestState.verify, which would reject the state that mcp-resolve sends: use one or the other.",
    );
  }
  Object.defineProperty(server, BOUNDARY, { value: true });
  const wrap = (handler: Handler): Handler => withBoundary(server, handler, seal);
  wrapPresentHandlers(server, wrap);
  wrapComingHandlers(server, wrap);
}

/** Handlers that were set before live in a private map of the SDK, and are replaced there. */
function wrapPresentHandlers(server: Server, wrap: (handler: Handler) => Handler): void {
  const handlers: unknown = Reflect.get(server, '_requestHandlers');
  if (!(handlers instanceof Map)) {
    throw new Error(
      'mcp-resolve cannot find the request handlers of this server: this version of @modelcontextprotocol/server is not supported.',
    );
  }
  for (const method of METHODS) {
    const present = handlers.get(method) as Handler | undefined;
    if (present !== undefined) handlers.set(method, wrap(present));
  }
}

function wrapComingHandlers(server: Server, wrap: (handler: Handler) => Handler): void {
  const original = server.setRequestHandler.bind(server) as (
    method: string,
    ...rest: unknown[]
  ) => void;
  const override = (method: string, ...rest: unknown[]): void => {
    const handler = rest.at(-1);
    if (METHODS.includes(method) && typeof handler === 'function') {
      original(method, ...rest.slice(0, -1), wrap(handler as Handler));
    } else {
      original(method, ...rest);
    }
  };
  Object.defineProperty(server, 'setRequestHandler', {
    value: override,
    writable: true,
    configurable: true,
  });
}

function withBoundary(server: Server, handler: Handler, seal: StateSeal): Handler {
  return async (request, ctx) => {
    // Already inside: a handler that was wrapped before stands behind another one that was.
    if (ctx[LANE] !== undefined) return handler(request, ctx);
    const lane: Lane = {};
    const inner = isModern(server.getNegotiatedProtocolVersion())
      ? await enterModern(ctx, seal)
      : enterLegacy(ctx);
    const result = await handler(request, { ...inner, [LANE]: lane });
    if (lane.error !== undefined) throw lane.error;
    if (!isInputRequiredResult(result) || typeof result.requestState !== 'string') return result;
    return { ...result, requestState: await seal.seal(result.requestState) };
  };
}

async function enterModern(ctx: LanedContext, seal: StateSeal): Promise<ServerContext> {
  const token = ctx.mcpReq.requestState();
  if (token === undefined) return ctx;
  if (typeof token !== 'string') throw invalidState();
  return withState(ctx, await seal.open(token));
}

const ENTERED = Symbol.for('mcp-resolve.entered');

/**
 * On the 2025 era only the SDK's own shim has genuine answers: it calls a hand-written handler
 * again with a copy of the context that it was given first. So the context that comes in first is
 * marked, and a marked one is the shim's.
 */
function enterLegacy(ctx: LanedContext & { [ENTERED]?: true }): ServerContext {
  if (ctx[ENTERED] === true) return ctx;
  ctx[ENTERED] = true;
  if (ctx.mcpReq.requestState() !== undefined) throw invalidState();
  const { inputResponses: _, droppedInputResponseKeys: __, ...mcpReq } = ctx.mcpReq;
  return { ...ctx, mcpReq };
}

function withState(ctx: ServerContext, plaintext: string): ServerContext {
  const requestState = (() => plaintext) as ServerContext['mcpReq']['requestState'];
  return { ...ctx, mcpReq: { ...ctx.mcpReq, requestState } };
}

function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  });
}
