/**
 * The routes of `tasks/get`, `tasks/update` and `tasks/cancel`, for servers with a tool whose desk
 * gives handles. Ids that begin with `parked-` belong to the desks of a server. All others go to
 * the handler of its host.
 */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import { clientFacts, isModern } from '../call/clientFacts.js';
import { whoseOf } from '../call/findParked.js';
import { notifyOnerror } from '../call/operator.js';
import { declaresTasks, TASKS_EXTENSION } from '../call/parking.js';
import type { TaskServer } from '../call/parking.js';
import { sealOf } from '../host/boundary.js';
import { paramsOf } from '../host/routeMap.js';
import type { Handler } from '../host/routeMap.js';
import { ensureRoutes, methodsWithSchemas } from '../host/sdkInternals.js';
import { shownError, Warnings } from '../log.js';
import type { Logger } from '../log.js';
import type { DeskCore } from './deskCore.js';
import { DeskTask } from './deskTask.js';
import { TASK_PREFIX } from './storedTask.js';

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;

type TaskMethod = (typeof METHODS)[number];

type FindTask = (id: unknown) => Promise<DeskTask | undefined>;

const DESKS = Symbol.for('mcp-resolve.taskDesks');

/** Returns the function that serves the tasks of a desk on a server. */
export function tasksAt(core: DeskCore): (at: TaskServer) => void {
  const find: FindTask = (id) => DeskTask.find(core, id);
  return ({ server, scopesAt, logger }) => {
    const desks = desksOf(server);
    if (desks.size === 0) {
      declare(server);
      Object.defineProperty(server, DESKS, { value: desks, configurable: true });
      for (const method of METHODS) openRoute(server, method, logger);
    }
    desks.add(find);
    if (scopesAt !== undefined) checkScopes(scopesAt, find);
  };
}

function desksOf(server: Server & { readonly [DESKS]?: Set<FindTask> }): Set<FindTask> {
  return server[DESKS] ?? new Set();
}

/** @throws {Error} If the SDK cannot serve tasks, or the client may know already what it serves. */
function declare(server: Server): void {
  if (methodsWithSchemas(server) === undefined)
    throw new TypeError(
      "install(): `tasks: true` of a desk requires '@modelcontextprotocol/server' 2.3 or later. Update the package, or remove the option.",
    );
  const { extensions = {} } = server.getCapabilities();
  if (TASKS_EXTENSION in extensions) return;
  if (server.transport !== undefined)
    throw new Error(
      'install(): this server is connected, so it cannot advertise the tasks of a desk any more. Call install() before connect(), or remove `tasks: true`.',
    );
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
}

const ANY: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mcp-resolve', validate: (value) => ({ value }) },
};

/** Opens a route in front of the handlers of the host. */
function openRoute(server: Server, method: TaskMethod, logger: Logger): void {
  const routes = ensureRoutes<ServerContext>(server);
  const answerTask = taskHandler(server, method);
  const answer: Handler<ServerContext> = async (request, ctx) => {
    try {
      return await answerTask(request, ctx);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (!notifyOnerror(server, error))
        Warnings.of(logger).failure(`${method} failed: ${shownError(error)}`);
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
    }
  };
  // The SDK sets a handler, so that it dispatches the method. The route answers instead.
  routes.capture(method, () => {
    server.setRequestHandler(method, { params: ANY }, () => ({}));
  });
  routes.open(method, {
    isForDefinition: (request) =>
      isModern(server.getNegotiatedProtocolVersion()) && isOfDesk(paramsOf(request).taskId),
    fallsBack: true,
    onOther: () => {
      keepDispatching(server, method, logger);
    },
    answer,
    answerOther: (request, ctx, others) => (others ?? answer)(request, ctx),
  });
}

/** Returns true for the id of a task of a desk. It may come from anybody. */
function isOfDesk(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith(TASK_PREFIX);
}

/** A handler without schemas would make the SDK answer for everybody that the method is unknown. */
function keepDispatching(server: Server, method: TaskMethod, logger: Logger): void {
  const methods = methodsWithSchemas(server);
  if (methods === undefined || methods.has(method)) return;
  methods.add(method);
  Warnings.of(logger).once(
    `The server sets a handler of ${method} without schemas, which cannot answer clients of 2026-07-28. Write setRequestHandler('${method}', { params, result }, handler).`,
  );
}

function taskHandler(server: Server, method: TaskMethod): Handler<ServerContext> {
  return async (request, ctx) => {
    const { protocolVersion, clientCapabilities = {} } = clientFacts(server, ctx);
    if (!isModern(protocolVersion))
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    if (!declaresTasks(clientCapabilities))
      throw new MissingRequiredClientCapabilityError(
        { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
        `Client did not declare the extension ${TASKS_EXTENSION}`,
      );
    const seal = sealOf(server);
    const toolsCall = ensureRoutes<ServerContext>(server).present('tools/call');
    if (seal === undefined || toolsCall === undefined) throw unknownTask();
    const whose = await whoseOf(await seal.callerOf(ctx));
    let task: DeskTask | undefined;
    for (const find of desksOf(server)) task ??= await find(paramsOf(request).taskId);
    // An id alone permits nothing.
    if (task?.whose !== whose) throw unknownTask();
    if (method === 'tasks/get') {
      const state = await task.get({ ctx, clientCapabilities, toolsCall });
      if (state === undefined) throw unknownTask();
      return state;
    }
    if (method === 'tasks/cancel') await task.cancel();
    else await task.update(ctx.mcpReq.inputResponses ?? {}, seal.policy.maxStateBytes);
    return { resultType: 'complete' };
  };
}

/** Creates the error for an id that is unknown, or that belongs to another caller. */
function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown task');
}

type ScopeChallengeResolver = (context: {
  readonly request: { readonly method: string; readonly params?: unknown };
}) => unknown;

/** Makes an McpServer check the scopes of a tool for its tasks, too, because the SDK does not. */
function checkScopes(server: object, find: FindTask): void {
  const resolve = Reflect.get(server, 'resolveScopeChallenge') as ScopeChallengeResolver;
  const value: ScopeChallengeResolver = async ({ request, ...context }) => {
    const isForTask = METHODS.some((method) => method === request.method);
    const task = isForTask ? await find(paramsOf(request).taskId) : undefined;
    const call = task && { method: 'tools/call', params: task.params };
    return resolve({ ...context, request: { ...request, ...call } });
  };
  // Unlike Reflect.set(), it throws if the server does not allow it.
  Object.assign(server, { resolveScopeChallenge: value });
}
