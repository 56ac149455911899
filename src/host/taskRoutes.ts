/**
 * The routes of `tasks/get`, `tasks/update` and `tasks/cancel`, for tools whose desk gives handles.
 * Ids that begin with `parked-` belong to the desks. All others go to the handler of the host.
 */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Result, Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import { clientFacts, isModern } from '../call/clientFacts.js';
import { whoseOf } from '../call/findParked.js';
import { notifyOnerror } from '../call/operator.js';
import { declaresTasks, replayContext, TASK_PREFIX, TASKS_EXTENSION } from '../call/parkedTasks.js';
import type { ParkedTasks, TaskMethod, TaskRequest } from '../call/parkedTasks.js';
import type { Definition } from '../definition/definitions.js';
import { shownError, Warnings } from '../log.js';
import { isObject } from '../values.js';
import { sealOf } from './boundary.js';
import type { Sharing } from './definitionRoutes.js';
import { paramsOf } from './routeMap.js';
import type { Handler } from './routeMap.js';
import { hasChallenge } from './scopeChallenges.js';
import { methodsWithSchemas, ensureRoutes } from './sdkInternals.js';
import type { AnyServer } from './sdkInternals.js';

const METHODS: readonly TaskMethod[] = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Returns the tasks of the desks of some definitions. */
export function tasksOf(definitions: readonly Definition[]): readonly ParkedTasks[] {
  return [...new Set(definitions.flatMap(({ approvals }) => approvals?.tasks ?? []))];
}

/**
 * Advertises the extension.
 *
 * @throws {TypeError} If the SDK cannot serve it.
 */
export function declareTasks(server: Server): void {
  if (methodsWithSchemas(server) === undefined)
    throw new TypeError(
      "install(): `tasks: true` of a desk requires '@modelcontextprotocol/server' 2.3 or later. Update the package, or remove the option.",
    );
  const { extensions = {} } = server.getCapabilities();
  if (TASKS_EXTENSION in extensions) return;
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
}

const ANY: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mcp-resolve', validate: (value) => ({ value }) },
};

/** Opens the routes of a server, in front of the handlers of its host. */
export function openTaskRoutes(server: Server, sharing: Sharing<ServerContext>): void {
  const routes = ensureRoutes<ServerContext>(server);
  for (const method of METHODS) {
    if (routes.hasRoute(method)) continue;
    const answer: Handler<ServerContext> = (request, ctx) =>
      answerTask({ server, sharing, method }, paramsOf(request), ctx);
    // The SDK sets a handler, so that it dispatches the method. The route answers instead.
    routes.capture(method, () => {
      server.setRequestHandler(method, { params: ANY }, () => ({}));
    });
    routes.open(method, {
      isForDefinition: (request) =>
        isModern(server.getNegotiatedProtocolVersion()) && isForDesk(request),
      fallsBack: true,
      onOther: () => {
        keepDispatching(server, method, sharing);
      },
      answer,
      answerOther: (request, ctx, others) => (others ?? answer)(request, ctx),
    });
  }
}

function isForDesk(request: unknown): boolean {
  const { taskId } = paramsOf(request);
  return typeof taskId === 'string' && taskId.startsWith(TASK_PREFIX);
}

/** A handler without schemas would make the SDK answer for everybody that the method is unknown. */
function keepDispatching(
  server: Server,
  method: TaskMethod,
  { logger }: Sharing<ServerContext>,
): void {
  const methods = methodsWithSchemas(server);
  if (methods === undefined || methods.has(method)) return;
  methods.add(method);
  Warnings.of(logger).once(
    `The server sets a handler of ${method} without schemas, which cannot answer clients of 2026-07-28. Write setRequestHandler('${method}', { params, result }, handler).`,
  );
}

interface TaskRoute {
  readonly server: Server;
  readonly sharing: Sharing<ServerContext>;
  readonly method: TaskMethod;
}

async function answerTask(
  { server, sharing, method }: TaskRoute,
  { taskId: id }: Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<Result> {
  const { protocolVersion, clientCapabilities = {} } = clientFacts(server, ctx);
  if (!isModern(protocolVersion))
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
  if (!declaresTasks(clientCapabilities))
    throw new MissingRequiredClientCapabilityError(
      { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
      `Client did not declare the extension ${TASKS_EXTENSION}`,
    );
  const seal = sealOf(server);
  try {
    if (typeof id !== 'string' || seal === undefined) throw unknownTask();
    const { signal, inputResponses: responses = {} } = ctx.mcpReq;
    const request: TaskRequest = {
      ...{ method, id, whose: await whoseOf(await seal.callerOf(ctx)), clientCapabilities },
      ...{ responses, maxBytes: seal.policy.maxStateBytes, signal },
      run: (params, replay) =>
        toolsCall(server)({ method: 'tools/call', params }, replayContext(ctx, replay)),
    };
    for (const tasks of tasksOf(sharing.definitions.all)) {
      const answer = await tasks.answer(request);
      if (answer !== undefined) return answer;
    }
    throw unknownTask();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!notifyOnerror(server, error))
      Warnings.of(sharing.logger).failure(`${method} failed: ${shownError(error)}`);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  }
}

function toolsCall(server: Server): Handler<ServerContext> {
  const handler = ensureRoutes<ServerContext>(server).present('tools/call');
  if (handler === undefined) throw unknownTask();
  return handler;
}

/** Creates the error for an id that is unknown, or that belongs to another caller. */
function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown task');
}

type ScopeChallengeResolver = (context: {
  readonly request: { readonly method: string; readonly params?: unknown };
}) => unknown;

/**
 * Makes an McpServer check the scopes of a tool for the requests about its tasks, too, because the
 * SDK checks those of `tools/call` only.
 */
export function checkTaskScopes(server: AnyServer, definitions: readonly Definition[]): void {
  if (!definitions.some(hasChallenge)) return;
  const desks = tasksOf(definitions);
  const resolve = Reflect.get(server, 'resolveScopeChallenge') as ScopeChallengeResolver;
  const value: ScopeChallengeResolver = async (context) => {
    const { method, params } = context.request;
    if (!METHODS.some((one) => one === method) || !isObject(params)) return resolve(context);
    for (const tasks of desks) {
      const call = await tasks.callOf(String(params.taskId));
      if (call === undefined) continue;
      return resolve({
        ...context,
        request: { ...context.request, method: 'tools/call', params: call },
      });
    }
    return resolve(context);
  };
  Object.defineProperty(server, 'resolveScopeChallenge', {
    value,
    writable: true,
    configurable: true,
  });
}
