/**
 * Random calls for fast-check. A call is plain data ({@link CallShape}), which prints and shrinks
 * well. It converts to the oracle's {@link CallSpec} and to real resolvers.
 */
import { arg, confirm, elicit, listRoots, outcome, resolver, sample, ToolError } from 'mcp-resolve';
import type { AnyResolver, CallContext, Filler, Need } from 'mcp-resolve';
import fc from 'fast-check';
import { z } from 'zod';

import { answerTo } from './oracle.js';
import type { Act, Ask, AskKind, CallSpec, FillSpec, NeedSpec, Reply } from './oracle.js';

/** The behaviour of a node's function. */
export type Behaviour =
  | { readonly does: 'compute' }
  /** Computes another value in some rounds, so that the wording of questions changes. */
  | { readonly does: 'drift'; readonly after: number; readonly times: number }
  | { readonly does: 'throw' }
  /** Depends on its inputs. */
  | { readonly does: 'throwOrCompute' }
  | { readonly does: 'ask'; readonly kind: AskKind }
  | { readonly does: 'askOrCompute'; readonly kind: AskKind };

/** A resolver, as data. */
export interface NodeShape {
  readonly name: string | undefined;
  /** The distance to an earlier node. If there is no such node, an argument is needed. */
  readonly needs: readonly { readonly back: number; readonly outcome: boolean }[];
  readonly behaviour: Behaviour;
  /** True if the function computes `true`, as a guard does. */
  readonly approves: boolean;
  readonly salt: number;
  /** True if the function returns a promise, which the scheduler settles in any order. */
  readonly later: boolean;
  readonly reply: Reply;
  readonly ignored: number;
}

/** A call, as data. */
export interface CallShape {
  readonly nodes: readonly NodeShape[];
  readonly guards: readonly number[];
  readonly params: readonly { readonly back: number; readonly outcome: boolean }[];
  readonly canAnswer: CallSpec['canAnswer'];
  /** True if the modern client also sends answers to questions that were not asked. */
  readonly noisy: boolean;
}

/** The weights of failures. */
export interface Odds {
  readonly throws: number;
  readonly refusals: number;
  /** Guards that compute another value than `true`. */
  readonly slips: number;
  readonly invalid: number;
  readonly incapable: number;
  readonly maxNodes: number;
}

const NAMES = ['left', 'alpha', 'left#1', 'constructor', 'toString', 'guard'];
const NEED_PARAMS = ['left', 'right', 'third', 'fourth', 'fifth'];
const BODY_PARAMS = ['alpha', 'beta', 'left', 'valueOf', 'guard', 'zeta'];
const ARGUMENTS = { city: 'Ulm', count: 7 };

/** The names of the tool's arguments. */
export const ARGUMENT_NAMES: readonly string[] = Object.keys(ARGUMENTS);

/** Creates an arbitrary of random calls. */
export function callShapes(odds: Odds): fc.Arbitrary<CallShape> {
  const shapes = fc.record({
    nodes: fc.array(nodeShapes(odds), { minLength: 1, maxLength: odds.maxNodes, size: 'max' }),
    guards: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(fc.nat(24), { maxLength: 3 }) },
    ),
    params: fc.array(fc.record({ back: fc.nat(24), outcome: oneIn(3) }), {
      minLength: 1,
      maxLength: BODY_PARAMS.length,
    }),
    canAnswer: fc.record({
      form: mostlyTrue(odds.incapable),
      sample: mostlyTrue(odds.incapable),
      roots: mostlyTrue(odds.incapable),
    }),
    noisy: fc.boolean(),
  });
  return shapes.map((shape) => ({
    ...shape,
    nodes: shape.nodes.map((node, index) =>
      guardsOf(shape).includes(index) && node.approves
        ? asGuard(node)
        : { ...node, approves: false },
    ),
  }));
}

/** Changes a node so that it asks for a confirmation, if it asks. */
function asGuard(node: NodeShape): NodeShape {
  const { behaviour } = node;
  return 'kind' in behaviour ? { ...node, behaviour: { ...behaviour, kind: 'confirm' } } : node;
}

function guardsOf({ guards, nodes }: CallShape): readonly number[] {
  return guards.map((guard) => guard % nodes.length);
}

function nodeShapes(odds: Odds): fc.Arbitrary<NodeShape> {
  return fc.record({
    name: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
    ),
    needs: fc.array(fc.record({ back: fc.nat(26), outcome: oneIn(3) }), {
      maxLength: NEED_PARAMS.length,
      size: 'max',
    }),
    behaviour: behaviours(odds),
    approves: mostlyTrue(odds.slips),
    salt: fc.nat(9),
    later: fc.boolean(),
    reply: replies(odds),
    ignored: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(1, 2) },
    ),
  });
}

function behaviours({ throws }: Odds): fc.Arbitrary<Behaviour> {
  const kind = fc.constantFrom<AskKind>('elicit', 'confirm', 'sample', 'roots', 'elicitSlowly');
  return fc.oneof(
    { weight: 40, arbitrary: fc.constant<Behaviour>({ does: 'compute' }) },
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constant('drift'),
        after: fc.nat(3),
        times: fc.constantFrom(1, 2),
      }),
    },
    { weight: throws, arbitrary: fc.constant<Behaviour>({ does: 'throw' }) },
    { weight: throws, arbitrary: fc.constant<Behaviour>({ does: 'throwOrCompute' }) },
    { weight: 25, arbitrary: fc.record({ does: fc.constant('ask'), kind }) },
    { weight: 25, arbitrary: fc.record({ does: fc.constant('askOrCompute'), kind }) },
  );
}

function replies({ refusals, invalid }: Odds): fc.Arbitrary<Reply> {
  return fc.oneof(
    {
      weight: 40,
      arbitrary: fc.record({ how: fc.constant('accept'), number: fc.nat(99) }),
    },
    {
      weight: refusals,
      arbitrary: fc.record({ how: fc.constantFrom('decline', 'cancel') }),
    },
    { weight: invalid, arbitrary: fc.record({ how: fc.constantFrom(...INVALID) }) },
  );
}

const INVALID = ['untick', 'noContent', 'mismatch', 'wrongKind'] as const;

function oneIn(many: number): fc.Arbitrary<boolean> {
  return fc.nat(many - 1).map((number) => number === many - 1);
}

/** True, except for `weight` of 100 + `weight` cases. */
function mostlyTrue(weight: number): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: 100, arbitrary: fc.constant(true) },
    { weight, arbitrary: fc.constant(false) },
  );
}

/** Converts a shape to the form that the oracle takes. */
export function specOf(shape: CallShape): CallSpec {
  const { nodes, params, canAnswer } = shape;
  return {
    nodes: nodes.map((node, index) => ({
      name: node.name,
      needs: needsOf(node, index),
      act: (inputs, round) => actOf(node, index, { inputs, round }),
    })),
    guards: guardsOf(shape),
    params: params.map(({ back, outcome: wantsOutcome }, index) => ({
      param: BODY_PARAMS[index]!,
      node: nodes.length - 1 - (back % nodes.length),
      outcome: wantsOutcome,
    })),
    args: ARGUMENTS,
    canAnswer,
    replies: nodes.map(({ reply }) => reply),
    ignored: nodes.map(({ ignored }) => ignored),
  };
}

function needsOf({ needs }: NodeShape, index: number): readonly NeedSpec[] {
  return needs.map(({ back, outcome: wantsOutcome }, position) => {
    const param = NEED_PARAMS[position]!;
    // The range is one larger than the number of earlier nodes, so that arguments occur.
    const node = index - 1 - (back % (index + 1));
    if (node >= 0) return { param, node, outcome: wantsOutcome };
    return { param, argument: ARGUMENT_NAMES[back % ARGUMENT_NAMES.length]! };
  });
}

interface Situation {
  readonly inputs: readonly unknown[];
  readonly round: number;
}

/** Returns what a node's function does with its inputs. */
export function actOf(node: NodeShape, index: number, { inputs, round }: Situation): Act {
  const { behaviour, salt, approves } = node;
  const hash = hashOf(`${salt} ${JSON.stringify(inputs, sortedProperties)}`);
  const asks = (kind: AskKind): Act => ({ asks: { kind, message: `question ${index}: ${hash}` } });
  const computes = (value: number): Act => ({ value: approves || value });
  switch (behaviour.does) {
    case 'compute':
      return computes(hash);
    case 'drift':
      return computes(hash + Math.min(Math.max(round - behaviour.after, 0), behaviour.times));
    case 'throw':
      return { throws: `node ${index} failed on ${hash}` };
    case 'throwOrCompute':
      return hash % 2 === 0 ? { throws: `node ${index} failed on ${hash}` } : computes(hash);
    case 'ask':
      return asks(behaviour.kind);
    case 'askOrCompute':
      return hash % 3 === 0 ? computes(hash) : asks(behaviour.kind);
  }
}

/** Sorts properties, because a schema may return them in another order. */
function sortedProperties(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function hashOf(text: string): number {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + char.charCodeAt(0)) % 10_007;
  return hash;
}

/** Runs the function of a node. */
export type Perform = (index: number, inputs: readonly unknown[], ctx: CallContext) => unknown;

/** A graph, as `planResolvers` and `defineTool` take it. */
export interface RealGraph {
  readonly resolve: Readonly<Record<string, Filler>>;
  readonly guards: readonly AnyResolver[];
}

/** Creates the resolvers of a call. */
export function realGraph({ nodes, guards, params }: CallSpec, perform: Perform): RealGraph {
  const made: AnyResolver[] = [];
  const filler = ({ node, outcome: wantsOutcome }: FillSpec): Filler =>
    wantsOutcome ? outcome(made[node]!) : made[node]!;
  for (const [index, { name, needs }] of nodes.entries()) {
    const entries = needs.map((need): [string, Need] => [
      need.param,
      'argument' in need ? arg(need.argument) : filler(need),
    ]);
    const params = needs.map(({ param }) => param);
    made.push(
      resolver(
        Object.fromEntries(entries),
        (values: Record<string, unknown>, ctx: CallContext): unknown => {
          if (Object.keys(values).length !== params.length) throw new Error('wrong parameters');
          return perform(
            index,
            params.map((param) => values[param]),
            ctx,
          );
        },
        name === undefined ? {} : { name },
      ),
    );
  }
  return {
    resolve: Object.fromEntries(params.map((param) => [param.param, filler(param)])),
    guards: guards.map((guard) => made[guard]!),
  };
}

/** Returns, throws or asks, as an author's function would. */
export function realise(act: Act): unknown {
  if ('throws' in act) throw new ToolError(act.throws);
  return 'value' in act ? act.value : realQuestion(act.asks);
}

const Pieces = z.object({ number: z.number(), unit: z.string().default('pieces') });

/** The same schema with asynchronous validation. */
const SlowPieces: typeof Pieces = {
  '~standard': {
    ...Pieces['~standard'],
    validate: async (value: unknown) => Pieces['~standard'].validate(value),
  },
} as unknown as typeof Pieces;

function realQuestion({ kind, message }: Ask): unknown {
  switch (kind) {
    case 'elicit':
      return elicit(message, Pieces);
    case 'elicitSlowly':
      return elicit(message, SlowPieces);
    case 'confirm':
      return confirm(message);
    case 'sample':
      return sample({
        messages: [{ role: 'user', content: { type: 'text', text: message } }],
        maxTokens: 9,
      });
    case 'roots':
      return listRoots();
  }
}

/** Converts a reply to the response that the client sends. */
export function responseOf(kind: AskKind, reply: Reply): Record<string, unknown> {
  const isForm = kind !== 'sample' && kind !== 'roots';
  switch (reply.how) {
    case 'accept':
      if (!isForm) return answerTo(kind, reply.number) as Record<string, unknown>;
      return {
        action: 'accept',
        content: kind === 'confirm' ? { confirm: true } : { number: reply.number },
      };
    case 'decline':
    case 'cancel':
      return { action: reply.how, content: { confirm: true, number: 1 } };
    case 'untick':
      return { action: 'accept', content: { confirm: false } };
    case 'noContent':
      return { action: 'accept' };
    case 'mismatch':
      return { action: 'accept', content: { nope: 'x' } };
    case 'wrongKind':
      return isForm ? { action: 'banana' } : { action: 'accept', content: { x: 'y' } };
  }
}

/** The method and the message of a question on the wire. */
export interface WireQuestion {
  readonly method: string;
  readonly message: string | undefined;
}

/** Converts a question to its expected form on the wire. */
export function wireQuestion({ kind, message }: Ask): WireQuestion {
  switch (kind) {
    case 'elicit':
    case 'elicitSlowly':
    case 'confirm':
      return { method: 'elicitation/create', message };
    case 'sample':
      return { method: 'sampling/createMessage', message };
    case 'roots':
      return { method: 'roots/list', message: undefined };
  }
}

/** Reads a question from the wire. */
export function readWireQuestion(request: { method: string; params?: unknown }): WireQuestion {
  const params = (request.params ?? {}) as {
    message?: string;
    messages?: { content: { text: string } }[];
  };
  return {
    method: request.method,
    message: params.message ?? params.messages?.[0]?.content.text,
  };
}
