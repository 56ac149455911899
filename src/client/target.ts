/**
 * The target of a call: a tool, a prompt or a resource.
 *
 * Turns a target into the method and the parameters that every round of the call sends. The
 * parameters are a JSON copy, so that later changes to the caller's arguments do not change the
 * call.
 */
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
} from '@modelcontextprotocol/client';
import { isObject } from '../values.js';

/** A tool, as for `client.callTool`. */
export interface ToolTarget {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A prompt, by its name. */
export interface PromptTarget {
  readonly prompt: string;
  readonly arguments?: Readonly<Record<string, string>>;
}

/** A resource, by its URI. */
export interface ResourceTarget {
  readonly resource: string;
}

/** A tool, a prompt or a resource to call. */
export type CallTarget = ToolTarget | PromptTarget | ResourceTarget;

/** The result of each method that can ask questions. */
export interface CallResults {
  'tools/call': CallToolResult;
  'prompts/get': GetPromptResult;
  'resources/read': ReadResourceResult;
}

/** A method that can ask questions. */
export type CallMethod = keyof CallResults;

/** The parameters of each method, as sent over the wire. */
export interface CallParams {
  'tools/call': Pick<ToolTarget, 'name' | 'arguments'>;
  'prompts/get': { readonly name: string; readonly arguments?: Readonly<Record<string, string>> };
  'resources/read': { readonly uri: string };
}

/** The part of a call that all its rounds share. */
export interface CallRequest<M extends CallMethod = CallMethod> {
  readonly method: M;
  readonly params: CallParams[M];
}

/**
 * Creates the request for a target.
 *
 * @throws {TypeError} If the target does not name exactly one tool, prompt or resource.
 */
export function requestOf(target: CallTarget): CallRequest {
  const given: unknown = target;
  if (!isObject(given)) throw new TypeError(WHAT_TO_CALL);
  const { name, prompt, resource, arguments: args } = given;
  const named = [name, prompt, resource].filter((field) => field !== undefined);
  if (named.length !== 1) throw new TypeError(WHAT_TO_CALL);
  if (resource !== undefined) return checkRequest('resources/read', { uri: resource }, PLACE);
  const method = name === undefined ? 'prompts/get' : 'tools/call';
  return checkRequest(method, { name: name ?? prompt, arguments: args }, PLACE);
}

const PLACE = 'startCall(): ';

const WHAT_TO_CALL = `${PLACE}the target must be a tool { name, arguments }, a prompt { prompt, arguments } or a resource { resource }.`;

/**
 * Creates a request with a copy of the parameters that the method knows. Error messages start with
 * `place`.
 *
 * @throws {TypeError} If the parameters do not fit the method.
 */
export function checkRequest(method: unknown, params: unknown, place = ''): CallRequest {
  if (!isObject(params)) throw new TypeError(`${place}the parameters must be an object.`);
  if (method === 'resources/read') {
    return { method, params: { uri: stringOf(params.uri, `${place}the URI`) } };
  }
  if (method !== 'tools/call' && method !== 'prompts/get') {
    throw new TypeError(
      `${place}the method must be 'tools/call', 'prompts/get' or 'resources/read'.`,
    );
  }
  const name = stringOf(params.name, `${place}the name`);
  if (params.arguments === undefined) return { method, params: { name } };
  return { method, params: { name, arguments: copyOfArguments(params.arguments, place) } };
}

function stringOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${what} must be a string.`);
}

function copyOfArguments(args: unknown, place: string): Record<string, string> {
  if (!isObject(args)) throw new TypeError(`${place}the arguments must be an object.`);
  // The server checks that the arguments of a prompt are strings.
  return JSON.parse(JSON.stringify(args)) as Record<string, string>;
}
