/** Defines a resource, whose content may rest on values that its uri does not hold. */
import { KIND } from '../../define/brand.js';
import type {
  CheckGuards,
  CheckResolve,
  CheckResourceBody,
  OnceRead,
  ReadValues,
  Unread,
  VariablesOf,
} from '../../define/infer.js';
import type { AnyResolver, Filler } from '../../define/model.js';
import type { Schema } from '../../define/schema.js';
import { argumentSchema } from '../definition/argumentSchema.js';
import type { ResolvingConfig } from '../definition/definition.js';
import { assertObjectSchema } from '../definition/givenSchema.js';
import { assertParts } from '../definition/parts.js';
import { planDefinition } from '../../engine/planResolvers.js';
import { RESOURCE_FIELDS } from '../definition/slips.js';
import { shownWith } from '../definition/visibility.js';
import { install } from '../install/install.js';
import type {
  Location,
  ReadContext,
  Resource,
  ResourceDefinition,
  ResourceMetadata,
} from '../definition/resourceDefinition.js';
import { addressAt, readLocation, surroundingsAt } from './resourceLocation.js';
import { readDirectly } from '../definition/readResource.js';
import { failResource, resourceResult } from './resourceResult.js';

/** What a resource is defined with, besides its name, its place and its body. */
export interface ResourceConfig<V, R, G> extends ResourceMetadata, ResolvingConfig<R, G> {
  /** The variables of the template. Without it each is a `string | string[]`. */
  readonly variables?: V;
}

/**
 * Defines a resource at a fixed uri or wherever a `ResourceTemplate` matches. The body receives the
 * template's variables and the resolved values in one object and returns a string, bytes or a
 * `ReadResourceResult`; `ctx.uri` is what is read.
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
 * @throws {@link InvalidGraphError} If the definition cannot work; before any client connects.
 */
// eslint-disable-next-line max-params -- the parameters of the SDK's own registerResource
export function defineResource<
  U extends Location,
  V extends Schema | undefined = undefined,
  const R extends Readonly<Record<string, Filler>> = {},
  const G extends readonly AnyResolver[] = [],
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
// eslint-disable-next-line max-params -- as above
export function defineResource(
  name: string,
  uriOrTemplate: unknown,
  given: unknown,
  body: unknown,
): Resource {
  assertParts({ name, config: given, body }, PARTS);
  const { variables, resolve, guards, hideWhenCannotAsk, ...metadata } = given as AnyConfig;
  const location = readLocation(name, uriOrTemplate);
  if (variables !== undefined)
    assertObjectSchema({ what: 'Resource', name, field: 'variables' }, variables);
  const plan = planDefinition({ name, resolve, guards }, surroundingsAt(name, location, variables));
  const resolved = plan.params.map(({ param }) => param);
  const definition = {
    name,
    metadata,
    location,
    variables: variables && argumentSchema(variables, { name, resolved }),
    plan,
    address: addressAt(location),
    shownWith: shownWith(plan, hideWhenCannotAsk),
    body: body as ResourceDefinition['body'],
    fail: (error: unknown, policy: Parameters<ResourceDefinition['fail']>[1]) =>
      failResource(name, error, policy),
  };
  const { mimeType } = metadata;
  return makeResource({
    ...definition,
    at: (uri) => ({
      finish: (returned) => resourceResult({ name, uri, mimeType }, returned),
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
  const resource: Resource = Object.freeze<Resource>({
    name: definition.name,
    register: (server, options) => {
      install(server, [resource], options);
    },
    read: (uri, ctx) => readDirectly(definition, uri, ctx),
    [KIND]: 'resource',
    '~definition': definition,
  });
  return resource;
}
