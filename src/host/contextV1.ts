/**
 * Creates the context of SDK 2.x from the flat one that SDK 1.x gives to request handlers, so that
 * resolvers and bodies see the same properties on both.
 */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type {
  AuthInfo,
  RequestId,
  RequestMeta,
  ServerContext,
  StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { describeIssues } from '../author/schema.js';
import { isObject } from '../values.js';
import { hasBackChannel, withFacts } from '../call/clientFacts.js';
import type { ServerV1 } from './serverV1.js';

/** The second argument of SDK 1.x request handlers. */
export interface ExtraV1 {
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  readonly sessionId?: string;
  readonly authInfo?: AuthInfo;
  readonly _meta?: RequestMeta;
  /** The HTTP request. Absent over stdio and in memory. */
  readonly requestInfo?: {
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
    readonly url?: URL;
  };
  readonly sendNotification: (notification: object) => Promise<void>;
  readonly sendRequest: (request: object, schema: object, options: object) => Promise<unknown>;
  readonly closeSSEStream?: () => void;
  readonly closeStandaloneSSEStream?: () => void;
}

export function contextOf(server: ServerV1, method: string, extra: ExtraV1): ServerContext {
  const { signal, requestId: id, sessionId, _meta } = extra;
  const send = createSender(extra);
  const mcpReq = {
    id,
    method,
    signal,
    ...(_meta && { _meta }),
    requestState: () => undefined,
    send,
    notify: extra.sendNotification,
    log: (level: string, data: unknown, logger?: string) =>
      server.sendLoggingMessage({ level, data, logger } as never, sessionId),
    elicitInput: (params: object, options?: SendOptions) =>
      send({ method: 'elicitation/create', params }, options),
    requestSampling: (params: object, options?: SendOptions) =>
      send({ method: 'sampling/createMessage', params }, options),
  };
  const http = httpOf(extra);
  const ctx = { ...(sessionId !== undefined && { sessionId }), mcpReq, ...(http && { http }) };
  const canPush = hasBackChannel(extra.requestInfo, sessionId);
  // SDK 1.x does not expose the version that it negotiated.
  return withFacts(ctx as unknown as ServerContext, {
    protocolVersion: undefined,
    clientCapabilities: canPush ? (server.getClientCapabilities() ?? {}) : undefined,
    clientInfo: server.getClientVersion(),
  });
}

function httpOf(extra: ExtraV1): ServerContext['http'] {
  const { authInfo, requestInfo, closeSSEStream, closeStandaloneSSEStream } = extra;
  if (authInfo === undefined && requestInfo === undefined) return undefined;
  return {
    ...(authInfo && { authInfo }),
    ...(requestInfo && { req: requestOf(requestInfo) }),
    ...(closeSSEStream && { closeSSE: closeSSEStream }),
    ...(closeStandaloneSSEStream && { closeStandaloneSSE: closeStandaloneSSEStream }),
  };
}

/** Returns the HTTP request. Some transports pass on its headers, but not its URL. */
function requestOf({ headers, url }: NonNullable<ExtraV1['requestInfo']>): Request {
  const given = new Headers();
  for (const [name, values = []] of Object.entries(headers)) {
    for (const value of [values].flat()) given.append(name, value);
  }
  return new Request(url ?? 'http://localhost/', { headers: given });
}

interface SendOptions {
  readonly signal?: AbortSignal;
}

/** Accepts any result. SDK 1.x calls one method or the other, depending on its version. */
const ANY_RESULT = {
  parse: (data: unknown) => data,
  safeParse: (data: unknown) => ({ success: true, data }),
};

/** The names of the schemas of results, for a caller that passes no schema. */
const RESULTS = {
  'elicitation/create': 'ElicitResult',
  'sampling/createMessage': 'CreateMessageResultWithTools',
  'roots/list': 'ListRootsResult',
} as const;

function resultSchema(method: string): StandardSchemaV1 | undefined {
  return method in RESULTS ? specTypeSchemas[RESULTS[method as keyof typeof RESULTS]] : undefined;
}

/** Creates `send` of SDK 2.x: the schema is optional, and errors are those of SDK 2.x. */
function createSender({ sendRequest }: ExtraV1) {
  return async (
    request: { readonly method: string; readonly params?: object },
    schemaOrOptions?: StandardSchemaV1 | SendOptions,
    last?: SendOptions,
  ): Promise<unknown> => {
    const [schema, options] =
      schemaOrOptions !== undefined && '~standard' in schemaOrOptions
        ? [schemaOrOptions, last]
        : [resultSchema(request.method), schemaOrOptions];
    const answer = await follow(options?.signal, (signal) =>
      sendRequest(request, ANY_RESULT, { ...options, signal }),
    );
    const result = await schema?.['~standard'].validate(answer);
    if (result?.issues === undefined) return result === undefined ? answer : result.value;
    const problem = `Invalid result for ${request.method}: ${describeIssues(result.issues)}`;
    throw new SdkError(SdkErrorCode.InvalidResult, problem);
  };
}

/**
 * Sends a request with a signal that follows the given one until the answer is there. SDK 1.x would
 * cancel a request that has been answered, because it never stops listening.
 */
async function follow(
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const abort = (): void => {
    own.abort(signal?.reason);
  };
  signal?.addEventListener('abort', abort);
  try {
    return await send(own.signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw modernError(error);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** The code of SDK 1.x for a request that was not answered in time. */
const REQUEST_TIMEOUT = -32_001;

/** Returns the error of SDK 2.x for an `McpError` of SDK 1.x. */
function modernError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number')
    return error;
  const { code } = error;
  const data = 'data' in error ? error.data : undefined;
  const message = error.message.replace(`MCP error ${code}: `, '');
  // An error of the client can have the same code, but not the time limit.
  const isTimeout = code === REQUEST_TIMEOUT && isObject(data) && typeof data.timeout === 'number';
  return isTimeout
    ? new SdkError(SdkErrorCode.RequestTimeout, message, data)
    : ProtocolError.fromError(code, message, data);
}
