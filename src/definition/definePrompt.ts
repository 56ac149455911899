/**
 * Defines prompts: checks the configuration, plans the resolvers, and turns the return value of the
 * body into a `GetPromptResult`.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { GetPromptResult, ServerContext } from '@modelcontextprotocol/server';
import { KIND } from '../author/brand.js';
import type { CallContext } from '../author/context.js';
import type {
  ArgumentsOf,
  BodyValues,
  CheckGuards,
  CheckPromptBody,
  CheckResolve,
  FillersOrSentence,
  SchemaOrSentence,
  OnceRead,
  Unread,
} from '../author/infer.js';
import type { AnyResolver, Filler } from '../author/model.js';
import { describeIssues } from '../author/schema.js';
import { isObject } from '../values.js';
import type { Schema } from '../author/schema.js';
import type { Sentences } from '../author/sentences.js';
import { refuseApprovals } from './approvalPlace.js';
import { planDefinition, planContextOf } from '../plan/planResolvers.js';
import { addressOf } from '../call/callable.js';
import { assertResultValue, describeReturned, failureError } from '../call/callable.js';
import type { CallFailure } from '../call/callable.js';
import { argumentSchema } from './argumentSchema.js';
import { assertObjectSchema, assertParts, PROMPT_FIELDS } from './checkConfig.js';
import type {
  CallArguments,
  Metadata,
  Prompt,
  PromptDefinition,
  ResolvingConfig,
} from './definitions.js';
import { callAlone } from '../call/directCall.js';
import { capabilitiesToShow } from './visibility.js';

/** The configuration of a prompt. */
export interface PromptConfig<I, R, G> extends Metadata, ResolvingConfig<R, G> {
  /** The schema of the arguments that the user supplies. The SDK's `completable` works in it. */
  readonly argsSchema?: I;
}

/** A call without a body or with a fourth argument does not compile, and the compiler says why. */
export function definePrompt(name: string, config: Sentences['promptParts']): never;
// eslint-disable-next-line max-params -- the fourth one is the mistake
export function definePrompt(
  name: string,
  config: object,
  body: (values: never) => unknown,
  options: Sentences['promptParts'],
): never;
/**
 * Defines a prompt. The body receives the arguments and the resolved values in one object. It
 * returns a string, which becomes a user message, or a `GetPromptResult`.
 *
 * @example
 *
 * ```ts
 * const remind = definePrompt(
 *   'remind',
 *   { argsSchema: PayInput, resolve: { euros: amountDue } },
 *   ({ invoice, euros }) => `Write a reminder for ${invoice}, over ${euros} euros.`,
 * );
 * ```
 *
 * @throws {TypeError} If an argument or an option is wrong.
 * @throws {@link InvalidGraphError} If the graph cannot work. This happens before any client
 *   connects.
 */
export function definePrompt<
  I extends SchemaOrSentence | undefined = undefined,
  const R extends FillersOrSentence = {},
  const G extends readonly (AnyResolver | Sentences['guard'])[] | Sentences['guards'] = [],
  const Returned = Unread,
>(
  name: string,
  config: PromptConfig<
    I,
    R & OnceRead<Returned, CheckResolve<R, ArgumentsOf<I>, 'argsSchema'>>,
    G & OnceRead<Returned, CheckGuards<G, ArgumentsOf<I>, 'argsSchema'>>
  >,
  body: ((values: BodyValues<I, R>, ctx: CallContext) => Returned) &
    CheckPromptBody<Awaited<Returned>>,
): Prompt<CallArguments<I>>;
export function definePrompt(
  name: string,
  given: unknown,
  ...[body, extra]: readonly unknown[]
): Prompt {
  assertParts({ name, config: given, body, extra }, PARTS);
  const { argsSchema, resolve, guards, hideWhenCannotAsk, ...metadata } = given as AnyConfig;
  if (argsSchema !== undefined)
    assertObjectSchema({ what: 'Prompt', name, field: 'argsSchema' }, argsSchema);
  const context = planContextOf(argsSchema, { what: 'Prompt', source: 'argsSchema' });
  const plan = planDefinition({ name, resolve, guards }, context);
  refuseApprovals('Prompt', plan);
  const resolved = plan.params.map(({ param }) => param);
  return makePrompt({
    kind: 'prompt',
    name,
    metadata,
    argsSchema: argsSchema && argumentSchema(argsSchema, { name, resolved }),
    plan,
    address: addressOf('prompts/get', name),
    shownWith: capabilitiesToShow('Prompt', plan, hideWhenCannotAsk),
    body: body as PromptDefinition['body'],
    finish: (returned) => promptResult(name, returned),
    fail: (failure) => failPrompt(name, failure),
  });
}

const PARTS = {
  what: 'Prompt',
  example: "definePrompt('plan_trip', { … }, body)",
  fields: PROMPT_FIELDS,
} as const;

type AnyConfig = PromptConfig<Schema, Readonly<Record<string, Filler>>, readonly AnyResolver[]>;

function makePrompt(definition: PromptDefinition): Prompt {
  return Object.freeze<Prompt>({
    name: definition.name,
    get: (args: unknown, ctx) => getDirectly(definition, args, ctx),
    [KIND]: 'prompt',
    '~definition': definition,
  });
}

/**
 * Gets a prompt without a client request.
 *
 * @throws {ProtocolError} If the arguments are invalid. The message is the same as McpServer's.
 */
async function getDirectly(
  prompt: PromptDefinition,
  given: unknown,
  ctx?: ServerContext,
): Promise<GetPromptResult> {
  const result = await prompt.argsSchema?.['~standard'].validate(given ?? {});
  if (result?.issues !== undefined) {
    const message = `Invalid arguments for prompt ${prompt.name}: ${describeIssues(result.issues)}`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  return callAlone(prompt, isObject(result?.value) ? result.value : {}, ctx);
}

/**
 * Returns the result for the return value of the body. A string becomes a user message.
 *
 * @throws {Error} If the return value is not a result of a prompt.
 */
export function promptResult(name: string, returned: unknown): GetPromptResult {
  assertResultValue(name, returned);
  if (typeof returned === 'string') {
    return { messages: [{ role: 'user', content: { type: 'text', text: returned } }] };
  }
  if (isObject(returned) && Array.isArray(returned.messages)) return returned as GetPromptResult;
  throw new Error(
    `The body of '${name}' returned ${describeReturned(returned)}. A prompt body must return a string or a GetPromptResult.`,
  );
}

/**
 * Throws the error of a failed prompt.
 *
 * @throws {ProtocolError} Always, because the result of a prompt cannot express a failure.
 */
export function failPrompt(name: string, failure: CallFailure): never {
  throw failureError(`Error getting prompt ${name}`, failure);
}
