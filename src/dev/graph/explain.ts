/**
 * Explains a definition from its plan and the declarations of its resolvers. Runs no resolver, and
 * does not need the SDK.
 */
import { KINDS } from '../../author/context.js';
import type { AskedKind } from '../../author/context.js';
import type { CallEvent } from '../../author/event.js';
import { declaredKind } from '../../author/model.js';
import { isSchema, sentNames } from '../../author/schema.js';
import { BODY } from '../../plan/plan.js';
import type { Fill, Plan, PlanNode } from '../../plan/plan.js';
import { CAPABILITIES } from '../../question/capability.js';
import { isDefinition } from '../../definition/definitions.js';
import type {
  AnyDefinition,
  Definition,
  ResourceDefinition,
} from '../../definition/definitions.js';
import { rejectUnknownOptions } from '../../options.js';
import { argumentsOf, variablesOf } from './explainArguments.js';
import type {
  ExplainedArgument,
  ExplainedCapability,
  ExplainedNeed,
  ExplainedQuestion,
  ExplainedResolver,
  ExplainedUse,
  Explanation,
} from './explanation.js';
import { FORMATS, formatExplanation } from './format.js';
import type { ExplainFormat } from './format.js';
import { longestChain } from './longestChain.js';
import { roundsOf } from './words.js';

/** The options of {@link explain}. */
export interface ExplainOptions {
  /**
   * Events of calls, as `onEvent` of `install` receives them. A resolver that asked in these events
   * is marked as seen, and its question counts. Events of other definitions are ignored.
   */
  readonly events?: Iterable<CallEvent>;
  /**
   * Returns a string instead of data: text for a terminal, JSON, a Mermaid flowchart, or an SVG
   * document for light and dark backgrounds.
   */
  readonly format?: ExplainFormat;
  /** Uses terminal colours. Only for the format `text`. Default: false. */
  readonly color?: boolean;
}

/**
 * Explains a tool, a prompt or a resource: the arguments that the caller fills, the parameters that
 * resolvers fill, the needs and questions of each resolver, the rounds that a call can take and the
 * capabilities that a client needs. With a `format`, it returns a string.
 *
 * @example
 *
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { explain } from 'mcp-resolve/graph';
 *
 * console.log(explain(refundOrder, { format: 'text' }));
 * await writeFile('refund_order.svg', explain(refundOrder, { format: 'svg' }));
 *
 * const { atMostRounds, capabilities } = explain(refundOrder);
 * ```
 *
 * @throws {TypeError} If the value is not a definition, or an option is wrong.
 */
export function explain(
  definition: AnyDefinition,
  options: ExplainOptions & { readonly format: ExplainFormat },
): string;
/** Explains a tool, a prompt or a resource as plain data. */
export function explain(
  definition: AnyDefinition,
  options?: ExplainOptions & { readonly format?: undefined },
): Explanation;
export function explain(
  definition: AnyDefinition,
  options: ExplainOptions = {},
): Explanation | string {
  assertOptions(options);
  const { events, format, color = false } = options;
  const explanation = explanationOf(definition, events);
  return format === undefined ? explanation : formatExplanation(explanation, format, color);
}

function assertOptions(options: ExplainOptions): void {
  rejectUnknownOptions(options, ['events', 'format', 'color'], 'explain()');
  if (options.format === undefined || FORMATS.includes(options.format)) return;
  throw new TypeError("explain(): `format` must be 'text', 'json', 'mermaid' or 'svg'.");
}

/**
 * Explains a definition as plain data.
 *
 * @throws {TypeError} If the value is not a definition.
 */
export function explanationOf(
  definition: AnyDefinition,
  events: Iterable<CallEvent> = [],
): Explanation {
  const read = definitionOf(definition);
  const { plan, metadata, name } = read;
  const seen = questionsSeen(name, events);
  const questions = plan.nodes.map((node) => questionOf(node, seen.get(node.key)));
  const asksOf = ({ index }: PlanNode): ExplainedQuestion => questions[index] ?? COMPUTED;
  const chain = longestChain(plan, (node) => roundsOf(asksOf(node)));
  return {
    kind: read.kind,
    name,
    ...(metadata.description !== undefined && { description: metadata.description }),
    ...(read.kind === 'resource' && { uri: uriOf(read) }),
    arguments: filledByCaller(read),
    guards: guardsOf(plan),
    resolvers: plan.nodes.map((node) => ({ ...resolverOf(plan, node), asks: asksOf(node) })),
    parameters: plan.params.map(({ param, source, wantsOutcome }) => {
      return { name: param, resolver: keyOf(plan, source), outcome: wantsOutcome };
    }),
    once: read.once !== undefined,
    ...(givesHandles(read) && { tasks: true }),
    capabilities: capabilitiesFor(questions),
    atMostRounds: chain.reduce((rounds, node) => rounds + roundsOf(asksOf(node)), 1),
    chain: chain.map(({ key }) => key),
  };
}

/** Returns true if a call can wait at a desk that has `tasks: true`. */
function givesHandles({ plan, approvals }: Definition): boolean {
  const asks = plan.nodes.some(({ resolver }) => resolver.options.asks === 'approval');
  return asks && approvals?.serveTasks !== undefined;
}

function definitionOf(given: AnyDefinition): Definition {
  if (isDefinition(given)) return given['~definition'];
  throw new TypeError(
    'explain(): the first argument must be a definition. Create one with defineTool(), definePrompt() or defineResource().',
  );
}

function filledByCaller(definition: Definition): ExplainedArgument[] {
  switch (definition.kind) {
    case 'tool':
      return argumentsOf(definition.inputSchema);
    case 'prompt':
      return argumentsOf(definition.argsSchema);
    case 'resource':
      return variablesOf(definition);
  }
}

function uriOf({ location }: ResourceDefinition): string {
  return typeof location === 'string' ? location : location.uriTemplate.toString();
}

/** Returns the kind of question that each resolver asked, by key. */
function questionsSeen(name: string, events: Iterable<CallEvent>): ReadonlyMap<string, AskedKind> {
  const seen = new Map<string, AskedKind>();
  for (const event of events) {
    const tells = event.type === 'asked' || event.type === 'answered' || event.type === 'fellBack';
    if (tells && event.definition === name) seen.set(event.resolver, event.kind);
  }
  return seen;
}

const COMPUTED: ExplainedQuestion = { kind: 'nothing', declared: false, seen: false };

/** Without `asks` a resolver computes its value, unless events show that it asked. */
function questionOf({ resolver }: PlanNode, seen: AskedKind | undefined): ExplainedQuestion {
  const { asks, attempts = 1 } = resolver.options;
  return {
    kind: declaredKind(resolver) ?? seen ?? 'nothing',
    declared: asks !== undefined,
    seen: seen !== undefined,
    ...(attempts > 1 && { attempts }),
    ...(isSchema(asks) && { fields: sentNames(asks) }),
  };
}

/** Returns the guards in their order, without duplicates. */
function guardsOf(plan: Plan): string[] {
  return [...new Set(plan.guards.map(({ source }) => keyOf(plan, source)))];
}

/** Returns true for the fill of a guard, which fills the body in one of the guard steps. */
function isGuard({ guardSteps }: Plan, { consumer, seq }: Fill): boolean {
  return consumer === BODY && seq < guardSteps;
}

function resolverOf(plan: Plan, node: PlanNode): Omit<ExplainedResolver, 'asks'> {
  const { key, index, serves, resolver } = node;
  return {
    key,
    guard: serves.some((fill) => isGuard(plan, fill)),
    first: index < plan.guardNodes,
    needs: needsOf(plan, node),
    usedBy: serves.filter((fill) => !isGuard(plan, fill)).map((fill) => useOf(plan, fill)),
    pinned: resolver.options.pin !== undefined,
    disposed: resolver.options.dispose !== undefined,
  };
}

/** Returns the needs in the author's order. The plan keeps arguments and resolvers apart. */
function needsOf(plan: Plan, { args, fills, resolver }: PlanNode): ExplainedNeed[] {
  const needs = [
    ...args.map(({ param, argument, optional }) => ({
      parameter: param,
      from: 'argument' as const,
      argument,
      ...(optional && { optional }),
    })),
    ...fills.map(({ param, source, wantsOutcome }) => ({
      parameter: param,
      from: 'resolver' as const,
      resolver: keyOf(plan, source),
      outcome: wantsOutcome,
    })),
  ];
  const byParameter = new Map(needs.map((need) => [need.parameter, need]));
  return Object.keys(resolver.needs).flatMap((parameter) => byParameter.get(parameter) ?? []);
}

function useOf(plan: Plan, { consumer, param, wantsOutcome }: Fill): ExplainedUse {
  const use = { parameter: param, outcome: wantsOutcome };
  return consumer === BODY
    ? { by: 'body', ...use }
    : { by: 'resolver', resolver: keyOf(plan, consumer), ...use };
}

function keyOf({ nodes }: Plan, index: number): string {
  return nodes[index]?.key ?? '';
}

function capabilitiesFor(questions: readonly ExplainedQuestion[]): ExplainedCapability[] {
  const asked = new Set(questions.map(({ kind }) => kind));
  return KINDS.filter((kind) => asked.has(kind)).map((kind) => {
    const { name, required } = CAPABILITIES[kind];
    return { kind, name, required };
  });
}
