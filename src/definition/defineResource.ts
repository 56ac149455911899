/**
 * Defines resources: checks the configuration, plans the resolvers, and turns the return value of
 * the body into a `ReadResourceResult`.
 */
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { ReadResourceResult, ServerContext } from '@modelcontextprotocol/server';
import { KIND } from '../author/brand.js';
import type {
  CheckGuards,
  CheckResolve,
  FillersOrSentence,
  SchemaOrSentence,
  CheckResourceBody,
  OnceRead,
  ReadValues,
  Unread,
  VariablesOf,
} from '../author/infer.js';
import type { AnyResolver, Filler } from '../author/model.js';
import { isObject } from '../values.js';
import type { Schema } from '../author/schema.js';
import type { Sentences } from '../author/sentences.js';
import { refuseApprovals } from './approvalPlace.js';
import { planDefinition } from '../plan/planResolvers.js';
import { base64 } from '../platform.js';
import { assertResultValue, describeReturned, failureError } from '../call/callable.js';
import type { CallFailure } from '../call/callable.js';
import { argumentSchema } from './argumentSchema.js';
import { assertObjectSchema, assertParts, RESOURCE_FIELDS } from './checkConfig.js';
import type {
  Location,
  ReadContext,
  ResolvingConfig,
  Resource,
  ResourceDefinition,
  ResourceMetadata,
} from './definitions.js';
import { callAlone, detachedContext } from '../call/directCall.js';
import { readVariables } from './requestArguments.js';
import { capabilitiesToShow } from './visibility.js';
import { addressAt, readLocation, planContextAt } from './resourceLocation.js';

/** The configuration of a resource. */
export interface ResourceConfig<V, R, G> extends ResourceMetadata, ResolvingConfig<R, G> {
  /** The schema of the template's variables. If omitted, each variable is a `string | string[]`. */
  readonly variables?: V;
}

/** A call without a configuration or a body does not compile, and the compiler says why. */
export function defineResource(name: string, uri: Sentences['resourceParts']): never;
export function defineResource(
  name: string,
  uri: unknown,
  config: Sentences['resourceParts'],
): never;
/**
 * Defines a resource at a fixed uri, or at every uri that a `ResourceTemplate` matches. The body
 * receives the template's variables and the resolved values in one object. It returns a string,
 * bytes or a `ReadResourceResult`. `ctx.uri` is the requested uri.
 *
 * @example
 *
 * ```ts
 * const invoice = defineResource(
 *   'invoice',
 *   new ResourceTemplate('invoice://{invoice}', { list: undefined }),
 *   { variables: PayInput, resolve: { euros: amountDue } },
 *   ({ invoice, euros }) => `${invoice}: ${euros} euros`,
 * );
 * ```
 *
 * @throws {TypeError} If an argument or an option is wrong.
 * @throws {@link InvalidGraphError} If the graph cannot work. This happens before any client
 *   connects.
 */
// eslint-disable-next-line max-params -- the parameters of the SDK's own registerResource
export function defineResource<
  U extends Location,
  V extends SchemaOrSentence | undefined = undefined,
  const R extends FillersOrSentence = {},
  const G extends readonly (AnyResolver | Sentences['guard'])[] | Sentences['guards'] = [],
  const Returned = Unread,
>(
  name: string,
  uriOrTemplate: U,
  config: ResourceConfig<
    V,
    R & OnceRead<Returned, CheckResolve<R, VariablesOf<U, V>, 'variables'>>,
    G & OnceRead<Returned, CheckGuards<G, VariablesOf<U, V>, 'variables'>>
  >,
  body: ((values: ReadValues<U, V, R>, ctx: ReadContext) => Returned) &
    CheckResourceBody<Awaited<Returned>>,
): Resource;
export function defineResource(
  name: string,
  uriOrTemplate: unknown,
  ...[given, body, extra]: readonly unknown[]
): Resource {
  assertParts({ name, config: given, body, extra }, PARTS);
  const { variables, resolve, guards, hideWhenCannotAsk, ...metadata } = given as AnyConfig;
  const location = readLocation(name, uriOrTemplate);
  if (variables !== undefined)
    assertObjectSchema({ what: 'Resource', name, field: 'variables' }, variables);
  const plan = planDefinition({ name, resolve, guards }, planContextAt(name, location, variables));
  refuseApprovals('Resource', plan);
  const resolved = plan.params.map(({ param }) => param);
  const definition = {
    name,
    metadata,
    location,
    variables: variables && argumentSchema(variables, { name, resolved }),
    plan,
    address: addressAt(location),
    shownWith: capabilitiesToShow('Resource', plan, hideWhenCannotAsk),
    body: body as ResourceDefinition['body'],
  };
  const { mimeType } = metadata;
  return makeResource({
    kind: 'resource',
    ...definition,
    at: (uri) => ({
      finish: (returned) => resourceResult({ name, uri, mimeType }, returned),
      fail: (failure) => failResource(uri, failure),
      ...definition,
    }),
  });
}

const PARTS = {
  what: 'Resource',
  example: "defineResource('trip', 'trips://next', { … }, body)",
  fields: RESOURCE_FIELDS,
} as const;

type AnyConfig = ResourceConfig<Schema, Readonly<Record<string, Filler>>, readonly AnyResolver[]>;

function makeResource(definition: ResourceDefinition): Resource {
  return Object.freeze<Resource>({
    name: definition.name,
    read: (uri, ctx) => readDirectly(definition, uri, ctx),
    [KIND]: 'resource',
    '~definition': definition,
  });
}

/** The resource that was read. */
export interface ReadSpec {
  readonly name: string;
  readonly uri: URL;
  readonly mimeType: string | undefined;
}

/**
 * Returns the result for the return value of the body. A string or bytes become the content of the
 * requested uri.
 *
 * @throws {Error} If the return value is not a result of a resource.
 */
export function resourceResult(spec: ReadSpec, returned: unknown): ReadResourceResult {
  const { name } = spec;
  assertResultValue(name, returned);
  if (typeof returned === 'string') return readAs(spec, { text: returned });
  if (returned instanceof Uint8Array) return readAs(spec, { blob: base64(returned) });
  if (isObject(returned) && Array.isArray(returned.contents)) return returned as ReadResourceResult;
  throw new Error(
    `The body of '${name}' returned ${describeReturned(returned)}. A resource body must return a string, bytes or a ReadResourceResult.`,
  );
}

function readAs(
  { uri, mimeType }: ReadSpec,
  content: { readonly text: string } | { readonly blob: string },
): ReadResourceResult {
  const kind = mimeType === undefined ? {} : { mimeType };
  return { contents: [{ uri: uri.href, ...kind, ...content }] };
}

/**
 * Throws the error of a failed read.
 *
 * @throws {ProtocolError} Always, because the result of a resource cannot express a failure.
 */
export function failResource(uri: URL, failure: CallFailure): never {
  throw failureError(`Error reading resource ${uri.href}`, failure);
}

/**
 * Reads a resource without a client request.
 *
 * @throws {ProtocolError} If the resource does not match the uri, or its variables are invalid.
 */
async function readDirectly(
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
