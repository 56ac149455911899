/**
 * Defines tools: checks the configuration, plans the resolvers, and turns the return value of the
 * body into a `CallToolResult`.
 */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { KIND } from '../author/brand.js';
import type { CallContext } from '../author/context.js';
import type {
  ArgumentsOf,
  BodyValues,
  CheckBody,
  CheckGuards,
  CheckResolve,
  FillersOrSentence,
  OnceRead,
  SchemaOrSentence,
  Unread,
} from '../author/infer.js';
import type { AnyResolver, Filler } from '../author/model.js';
import { shownField } from '../author/schema.js';
import { isObject } from '../values.js';
import type { Schema } from '../author/schema.js';
import type { Sentences } from '../author/sentences.js';
import { planDefinition, planContextOf } from '../plan/planResolvers.js';
import { onceSettings } from '../once/onceSettings.js';
import type { OnceOptions } from '../once/onceSettings.js';
import type { RecordStore } from '../store/recordStore.js';
import { addressOf } from '../call/callable.js';
import { assertResultValue, CALL_ID_KEY, describeReturned, failureText } from '../call/callable.js';
import type { CallFailure } from '../call/callable.js';
import { resultMetaOf } from '../errors.js';
import { advertisedSchema, argumentSchema } from './argumentSchema.js';
import { parseArguments } from './requestArguments.js';
import { assertAnySchema, assertObjectSchema, assertParts, TOOL_FIELDS } from './checkConfig.js';
import type {
  CallArguments,
  ResolvingConfig,
  Tool,
  ToolDefinition,
  ToolMetadata,
} from './definitions.js';
import { callAlone } from '../call/directCall.js';
import type { ParkingDesk } from '../call/parking.js';
import { placeOf } from './approvalPlace.js';
import { capabilitiesToShow } from './visibility.js';

/** The configuration of a tool. */
export interface ToolConfig<I, O, R, G, S = RecordStore | OnceOptions, D = ParkingDesk>
  extends ToolMetadata, ResolvingConfig<R, G> {
  /** The schema of the arguments that the model supplies. The model sees no other parameters. */
  readonly inputSchema?: I;
  /** The schema of the result. If set, the body returns the value itself. */
  readonly outputSchema?: O;
  /**
   * Makes sure that a call that asked a question runs at most once. If a client sends the last
   * round again, it gets the recorded result. Pass a store of `mcp-resolve/store`, or options that
   * contain one.
   */
  readonly once?: S;
  /**
   * The desk where calls wait until somebody else has approved. Required if a resolver declares
   * `asks: 'approval'`. Create it with `approvalDesk` of `mcp-resolve/approvals`.
   */
  readonly approvals?: D;
}

/** A call without a body or with a fourth argument does not compile, and the compiler says why. */
export function defineTool(name: string, config: Sentences['parts']): never;
// eslint-disable-next-line max-params -- the fourth one is the mistake
export function defineTool(
  name: string,
  config: object,
  body: (values: never) => unknown,
  options: Sentences['parts'],
): never;
/**
 * Defines a tool. The body receives the arguments and the resolved values in one object. It returns
 * a string or a `CallToolResult`. With `outputSchema` it returns the value itself.
 *
 * @example
 *
 * ```ts
 * const payInvoice = defineTool(
 *   'pay_invoice',
 *   { inputSchema: PayInput, resolve: { euros: amountDue, approved: approval } },
 *   ({ invoice, euros }) => `Paid ${euros} euros for ${invoice}.`,
 * );
 * ```
 *
 * @throws {TypeError} If an argument or an option is wrong.
 * @throws {@link InvalidGraphError} If the graph cannot work. This happens before any client
 *   connects.
 */
export function defineTool<
  I extends SchemaOrSentence | undefined = undefined,
  O extends SchemaOrSentence | undefined = undefined,
  const R extends FillersOrSentence = {},
  const G extends readonly (AnyResolver | Sentences['guard'])[] | Sentences['guards'] = [],
  const Returned = Unread,
  S extends RecordStore | OnceOptions | Sentences['once'] = RecordStore | OnceOptions,
  D extends ParkingDesk | Sentences['approvals'] | undefined = undefined,
>(
  name: string,
  config: ToolConfig<
    I,
    O,
    R & OnceRead<Returned, CheckResolve<R, ArgumentsOf<I>, 'inputSchema', D>>,
    G & OnceRead<Returned, CheckGuards<G, ArgumentsOf<I>>>,
    S,
    D
  >,
  body: ((values: BodyValues<I, R>, ctx: CallContext) => Returned) &
    CheckBody<Awaited<Returned>, O>,
): Tool<CallArguments<I>>;
export function defineTool(
  name: string,
  given: unknown,
  ...[body, extra]: readonly unknown[]
): Tool {
  assertParts({ name, config: given, body, extra }, PARTS);
  const { inputSchema, outputSchema, resolve, guards, hideWhenCannotAsk, once, ...rest } =
    given as AnyConfig;
  const { approvals, ...metadata } = rest;
  if (inputSchema !== undefined)
    assertObjectSchema({ what: 'Tool', name, field: 'inputSchema' }, inputSchema);
  if (outputSchema !== undefined)
    assertAnySchema({ what: 'Tool', name, field: 'outputSchema' }, outputSchema);
  const context = planContextOf(inputSchema, { what: 'Tool', source: 'inputSchema' });
  const plan = planDefinition({ name, resolve, guards }, context);
  const resolved = plan.params.map(({ param }) => param);
  const advertisedOutput = outputSchema && advertisedSchema(outputSchema);
  return makeTool({
    kind: 'tool',
    name,
    metadata,
    inputSchema: inputSchema && argumentSchema(inputSchema, { name, resolved }),
    advertisedOutput,
    registration:
      advertisedOutput === undefined ? metadata : { ...metadata, outputSchema: advertisedOutput },
    plan,
    address: addressOf('tools/call', name),
    shownWith: capabilitiesToShow('Tool', plan, hideWhenCannotAsk),
    once: once === undefined ? undefined : onceSettings(name, once),
    approvals: placeOf(name, plan, { approvals, once }),
    body: body as ToolDefinition['body'],
    finish: (returned) => toolResult({ name, outputSchema }, returned),
    fail: (failure) => toolError(name, failure),
  });
}

const PARTS = {
  what: 'Tool',
  example: "defineTool('refund_order', { … }, body)",
  fields: TOOL_FIELDS,
} as const;

function makeTool(definition: ToolDefinition): Tool {
  const { inputSchema, advertisedOutput: outputSchema, metadata } = definition;
  return Object.freeze<Tool>({
    ...metadata,
    ...(inputSchema && { inputSchema }),
    ...(outputSchema && { outputSchema }),
    name: definition.name,
    call: (args: unknown, ctx) => callDirectly(definition, args, ctx),
    [KIND]: 'tool',
    '~definition': definition,
  });
}

type AnyConfig = ToolConfig<
  Schema,
  Schema,
  Readonly<Record<string, Filler>>,
  readonly AnyResolver[]
>;

/** Validates the arguments, then calls the tool. */
export async function callDirectly(
  tool: ToolDefinition,
  args: unknown,
  ctx?: ServerContext,
): Promise<CallToolResult> {
  const parsed = await parseArguments(tool, args);
  return 'problem' in parsed ? parsed.problem : callAlone(tool, parsed.args, ctx);
}

/** The parts of a tool that its result depends on. */
export interface ResultSpec {
  readonly name: string;
  readonly outputSchema: Schema | undefined;
}

/**
 * Returns the result for the return value of the body.
 *
 * @throws {Error} If the return value is not a result of this tool.
 */
export async function toolResult(
  { name, outputSchema }: ResultSpec,
  returned: unknown,
): Promise<CallToolResult> {
  assertResultValue(name, returned);
  if (outputSchema !== undefined) return structuredResult(name, outputSchema, returned);
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] };
  if (isObject(returned) && Array.isArray(returned.content)) return returned as CallToolResult;
  throw new Error(
    `The body of '${name}' returned ${describeReturned(returned)}. A tool body must return a string or a CallToolResult. To return another value, declare \`outputSchema\`.`,
  );
}

/**
 * Returns a result with the validated value, so that properties which the schema drops never leave
 * the server.
 */
async function structuredResult(
  name: string,
  schema: Schema,
  returned: unknown,
): Promise<CallToolResult> {
  const result = await schema['~standard'].validate(returned);
  if (result.issues !== undefined) {
    // The words of the schema may quote the value, so they are only in the cause.
    throw new Error(
      `The result of '${name}' does not match \`outputSchema\`${shownField(schema, result.issues)}.${remedyFor(returned)}`,
      { cause: result.issues },
    );
  }
  const text = JSON.stringify(result.value) as string | undefined;
  if (text === undefined) throw new Error(`The result of '${name}' cannot be converted to JSON.`);
  return {
    content: [{ type: 'text', text }],
    structuredContent: result.value,
  };
}

/** Returns what to do about a value that is not the one that `outputSchema` describes. */
function remedyFor(returned: unknown): string {
  if (returned === undefined)
    return ' The body returned nothing. Return the value that the schema describes.';
  if (isObject(returned) && ('structuredContent' in returned || Array.isArray(returned.content)))
    return ' The body returned a CallToolResult. With `outputSchema`, return the value itself.';
  return '';
}

/**
 * Returns the result of a failed call. An unexpected error is its `cause`, which is not enumerable
 * and so never leaves the process.
 */
export function toolError(name: string, failure: CallFailure): CallToolResult {
  const { error, callId } = failure;
  const text = failureText(`Error executing tool ${name}`, failure);
  const result: CallToolResult = { content: [{ type: 'text', text }], isError: true };
  const meta = resultMetaOf(error);
  if (meta !== undefined) return { ...result, _meta: meta };
  if (callId === undefined) return result;
  const unexpected = { ...result, _meta: { [CALL_ID_KEY]: callId } };
  return Object.defineProperty(unexpected, 'cause', { value: error });
}
