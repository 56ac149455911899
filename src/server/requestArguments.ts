/** Reads the variables of a request for a resource, and what the resource is called with. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { ReadResourceResult, ServerContext } from '@modelcontextprotocol/server';
import type { Raw } from '../define/infer.js';
import { describeIssues, isObject } from '../define/schema.js';
import { callAlone, detachedContext } from './directCall.js';
import type { ResourceDefinition } from './definitions.js';

/** What is asked for: a uri, and what the template found in it. */
export interface ReadRequest {
  readonly uri: URL;
  readonly raw: Raw;
  readonly ctx: ServerContext;
}

/** The same with the values that resolvers and the body see. */
export interface ReadableRequest {
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: ServerContext;
}

/**
 * Validates the variables of a request, once.
 *
 * @throws {ProtocolError} If they are not valid.
 */
export async function readVariables(
  { name, variables }: ResourceDefinition,
  { uri, raw, ctx }: ReadRequest,
): Promise<ReadableRequest> {
  const readContext = Object.assign({}, ctx, { uri, variables: raw });
  if (variables === undefined) return { args: raw, ctx: readContext };
  const result = await variables['~standard'].validate({ ...raw });
  if (result.issues === undefined) {
    return { args: isObject(result.value) ? result.value : {}, ctx: readContext };
  }
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Invalid variables for resource ${name}: ${describeIssues(result.issues)}`,
  );
}

/**
 * Reads a resource without a request of its own.
 *
 * @throws {ProtocolError} If it is not at this uri.
 */
export async function readDirectly(
  resource: ResourceDefinition,
  given: string | URL,
  ctx: ServerContext = detachedContext('resources/read'),
): Promise<ReadResourceResult> {
  const { location, address } = resource;
  if (!address.matches(String(given))) throw new ResourceNotFoundError(String(given));
  const uri = new URL(given);
  const raw = typeof location === 'string' ? {} : (location.uriTemplate.match(uri.href) ?? {});
  const request = await readVariables(resource, { uri, raw, ctx });
  return callAlone(resource.at(uri), request.args, request.ctx);
}
