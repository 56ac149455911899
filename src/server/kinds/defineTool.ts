/** Defines a tool: checks what the author wrote, once, and keeps it in the form in which it runs. */
import { KIND } from '../../define/brand.js';
import type { CallContext } from '../../define/context.js';
import type {
  ArgumentsOf,
  BodyValues,
  CheckBody,
  CheckGuards,
  CheckResolve,
  OnceRead,
  Unread,
} from '../../define/infer.js';
import type { AnyResolver, Filler } from '../../define/model.js';
import type { Schema } from '../../define/schema.js';
import type { OnceStore } from '../../once/onceStore.js';
import { onceSettings } from '../../once/onceSettings.js';
import type { OnceOptions } from '../../once/onceSettings.js';
import { advertisedSchema, argumentSchema } from '../definition/argumentSchema.js';
import { addressOf } from '../address.js';
import type { CallArguments, ResolvingConfig } from '../definition/definition.js';
import { assertAnySchema, assertObjectSchema } from '../definition/givenSchema.js';
import { assertParts } from '../definition/parts.js';
import { planDefinition, surroundingsOf } from '../../engine/planResolvers.js';
import { TOOL_FIELDS } from '../definition/slips.js';
import { shownWith } from '../definition/visibility.js';
import { install } from '../install/install.js';
import { callDirectly } from './callDirectly.js';
import type { Tool, ToolDefinition, ToolMetadata } from '../definition/toolDefinition.js';
import { toolError, toolResult } from './toolResult.js';

/** What a tool is defined with, besides its name and body. */
export interface ToolConfig<I, O, R, G> extends ToolMetadata, ResolvingConfig<R, G> {
  /** The arguments that the model supplies, and all that it ever sees. */
  readonly inputSchema?: I;
  /** With it, the body returns the value itself. */
  readonly outputSchema?: O;
  /**
   * Runs a call that has asked at most once: whoever sends its last round again gets the recorded
   * result. A store of `mcp-resolve/once`, or one with settings.
   */
  readonly once?: OnceStore | OnceOptions;
}

/**
 * Defines a tool. The body receives its arguments and the resolved values in one object and returns
 * a string or a `CallToolResult`; with `outputSchema` it returns the value itself.
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
 * @throws {@link InvalidGraphError} If the definition cannot work; before any client connects.
 */
export function defineTool<
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
  const R extends Readonly<Record<string, Filler>> = {},
  const G extends readonly AnyResolver[] = [],
  const Returned = Unread,
>(
  name: string,
  config: ToolConfig<
    I,
    O,
    R & OnceRead<Returned, CheckResolve<R, ArgumentsOf<I>>>,
    G & OnceRead<Returned, CheckGuards<G, ArgumentsOf<I>>>
  >,
  body: ((values: BodyValues<I, R>, ctx: CallContext) => Returned) &
    CheckBody<Awaited<Returned>, O>,
): Tool<CallArguments<I>>;
export function defineTool(name: string, given: unknown, body: unknown): Tool {
  assertParts({ name, config: given, body }, PARTS);
  const { inputSchema, outputSchema, resolve, guards, hideWhenCannotAsk, once, ...metadata } =
    given as AnyConfig;
  if (inputSchema !== undefined)
    assertObjectSchema({ what: 'Tool', name, field: 'inputSchema' }, inputSchema);
  if (outputSchema !== undefined)
    assertAnySchema({ what: 'Tool', name, field: 'outputSchema' }, outputSchema);
  const surroundings = surroundingsOf(inputSchema, { what: 'Tool', source: 'inputSchema' });
  const plan = planDefinition({ name, resolve, guards }, surroundings);
  const resolved = plan.params.map(({ param }) => param);
  const advertisedOutput = outputSchema && advertisedSchema(outputSchema);
  return makeTool({
    name,
    metadata,
    inputSchema: inputSchema && argumentSchema(inputSchema, { name, resolved }),
    advertisedOutput,
    registration:
      advertisedOutput === undefined ? metadata : { outputSchema: advertisedOutput, ...metadata },
    plan,
    address: addressOf('tools/call', name),
    shownWith: shownWith(plan, hideWhenCannotAsk),
    once: once === undefined ? undefined : onceSettings(name, once),
    body: body as ToolDefinition['body'],
    finish: (returned) => toolResult({ name, outputSchema }, returned),
    fail: (error, policy) => toolError(name, error, policy),
  });
}

const PARTS = {
  what: 'Tool',
  example: "defineTool('refund_order', { … }, body)",
  fields: TOOL_FIELDS,
} as const;

function makeTool(definition: ToolDefinition): Tool {
  const tool: Tool = Object.freeze<Tool>({
    name: definition.name,
    register: (server, options) => {
      install(server, [tool], options);
    },
    call: (args: unknown, ctx) => callDirectly(definition, args, ctx),
    [KIND]: 'tool',
    '~definition': definition,
  });
  return tool;
}

type AnyConfig = ToolConfig<
  Schema,
  Schema,
  Readonly<Record<string, Filler>>,
  readonly AnyResolver[]
>;
