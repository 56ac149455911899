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
import { isPlainObject, propertyNames, sentNames } from '../../define/schema.js';
import type { InputOf, Schema } from '../../define/schema.js';
import { InvalidGraphError } from '../../errors.js';
import type { Tool, ToolDefinition, ToolMetadata } from './definition.js';
import { callDirectly } from './directCall.js';
import { install } from '../install/install.js';
import { planResolvers } from './planResolvers.js';
import { findSlip } from './slips.js';
import {
  advertisedSchema,
  argumentSchema,
  assertInputSchema,
  assertOutputSchema,
} from './toolSchema.js';

/** What a tool is defined with, besides its name and body. */
export interface ToolConfig<I, O, R, G> extends ToolMetadata {
  /** The arguments that the model supplies, and all that it ever sees. */
  readonly inputSchema?: I;
  /** With it, the body returns the value itself. */
  readonly outputSchema?: O;
  /** The parameters that resolvers fill. */
  readonly resolve?: R;
  /** Resolvers that finish before anything else starts; their values are dropped. */
  readonly guards?: G;
}

/** What {@link Tool.call} takes. */
export type CallArguments<I> = I extends Schema
  ? InputOf<I>
  : Readonly<Record<string, never>> | undefined;

/**
 * Defines a tool. The body receives its arguments and the resolved values in one object and returns
 * a string or a `CallToolResult`; with `outputSchema` it returns the value itself.
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
export function defineTool(name: string, config: unknown, body: unknown): Tool {
  assertParts(name, config, body);
  const { inputSchema, outputSchema, resolve, guards, ...metadata } = config;
  if (inputSchema !== undefined) assertInputSchema(name, inputSchema);
  if (outputSchema !== undefined) assertOutputSchema(name, outputSchema);
  const spec = {
    name,
    ...(resolve !== undefined && { resolve }),
    ...(guards !== undefined && { guards }),
  };
  const plan =
    inputSchema === undefined
      ? planResolvers(spec, [])
      : planResolvers(spec, propertyNames(inputSchema), sentNames(inputSchema));
  const resolved = plan.params.map(({ param }) => param);
  return makeTool({
    name,
    metadata,
    inputSchema: inputSchema && argumentSchema(inputSchema, { tool: name, resolved }),
    outputSchema,
    advertisedOutput: outputSchema && advertisedSchema(outputSchema),
    plan,
    body: body as ToolDefinition['body'],
  });
}

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

function assertParts(name: unknown, config: unknown, body: unknown): asserts config is AnyConfig {
  if (typeof name !== 'string' || name === '') {
    throw invalid(
      'tool',
      "defineTool() takes the tool's name first: defineTool('refund_order', { … }, body).",
    );
  }
  if (!isPlainObject(config)) {
    throw invalid(name, `Tool '${name}': the second argument is its configuration, an object.`);
  }
  if (typeof body !== 'function') {
    throw invalid(name, `Tool '${name}' has no body: the third argument is its function.`);
  }
  const slip = findSlip(Object.keys(config));
  if (slip !== undefined) {
    throw invalid(
      name,
      `Tool '${name}' has no field '${slip.written}': did you mean '${slip.meant}'?`,
    );
  }
}

function invalid(name: string, message: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', message, [name]);
}
