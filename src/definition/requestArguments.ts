/**
 * Validates the input of a request: the arguments of a tool, if McpServer does not validate them,
 * and the variables in the uri of a resource.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { Raw } from '../author/infer.js';
import { describeIssues } from '../author/schema.js';
import type { Schema } from '../author/schema.js';
import { isObject } from '../values.js';

/** Valid arguments, or the result that describes the problem. */
export type ParsedArguments =
  { readonly args: Readonly<Record<string, unknown>> } | { readonly problem: CallToolResult };

/**
 * Returns the names that are dropped from the arguments of a call: those of resolved parameters,
 * and `__proto__`, which the digest of the arguments ignores.
 */
export function droppedNames(resolved: readonly string[]): readonly string[] {
  return [...resolved, '__proto__'];
}

/** A definition and the schema of its input. */
type Described<Field extends string> = { readonly name: string } & Readonly<
  Record<Field, Schema | undefined>
>;

/** Validates the arguments of a tool call. The error message is the same as McpServer's. */
export async function parseArguments(
  { name, inputSchema }: Described<'inputSchema'>,
  given: unknown,
): Promise<ParsedArguments> {
  if (inputSchema === undefined) return { args: {} };
  const result = await inputSchema['~standard'].validate(given ?? {});
  if (result.issues === undefined) return { args: isObject(result.value) ? result.value : {} };
  const text = `Input validation error: Invalid arguments for tool ${name}: ${describeIssues(result.issues)}`;
  return { problem: { content: [{ type: 'text', text }], isError: true } };
}

/** The requested uri, and the variables that the template found in it. */
export interface ReadRequest {
  readonly uri: URL;
  readonly raw: Raw;
  readonly ctx: ServerContext;
}

/** The validated variables, and the context for resolvers and the body. */
export interface ReadableRequest {
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: ServerContext;
}

/**
 * Validates the variables of a request.
 *
 * @throws {ProtocolError} If they are invalid.
 */
export async function readVariables(
  { name, variables }: Described<'variables'>,
  { uri, raw, ctx }: ReadRequest,
): Promise<ReadableRequest> {
  const readContext = { ...ctx, uri, variables: raw };
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
