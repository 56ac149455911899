/** The subject of a test: a definition, its arguments, and the installed copy. */
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { approvalDesk } from '../../approvals/desk.js';
import type { ApprovalDesk } from '../../approvals/desk.js';
import type { ParkingPlace } from '../../call/parking.js';
import { memoryStore } from '../../store/memoryStore.js';
import type { CallTarget } from '../../client/target.js';
import { kindOf } from '../../author/brand.js';
import { isObject } from '../../values.js';
import { UNBOUND } from '../../author/unbound.js';
import type { Plan } from '../../plan/plan.js';
import { isDefinition } from '../../definition/definitions.js';
import type {
  AnyDefinition,
  Definition,
  Prompt,
  Resource,
  Tool,
} from '../../definition/definitions.js';
import type { Override } from './override.js';
import { overridePlan } from './overridePlan.js';

/** The input of a definition: the arguments of a tool or a prompt, the uri of a resource. */
export type ArgumentsFor<D extends AnyDefinition> = D extends Resource
  ? string | URL | undefined
  : D extends Tool<infer Args>
    ? Untyped<Args>
    : D extends Prompt<infer Args>
      ? Untyped<Args>
      : never;

/** The arguments of a definition whose type is not known, as in an array of tools. */
type Untyped<Args> = [Args] extends [never] ? Readonly<Record<string, unknown>> | undefined : Args;

/** The result of a definition. */
export type ResultOf<D extends AnyDefinition> = D extends Tool
  ? CallToolResult
  : D extends Prompt
    ? GetPromptResult
    : ReadResourceResult;

/**
 * The remaining parameters of a call: the arguments, optional if none are required, and the
 * options.
 */
export type CallOf<D extends AnyDefinition, Options> =
  undefined extends ArgumentsFor<D>
    ? [args?: ArgumentsFor<D>, options?: Options]
    : [args: ArgumentsFor<D>, options?: Options];

/** A definition that is about to be called. */
export interface Subject {
  readonly name: string;
  /** The plan as it was defined. */
  readonly plan: Plan;
  /** The target of the call. */
  readonly target: CallTarget;
  /** The desk of the installed copy. `undefined` if the definition needs no approvals. */
  readonly desk: ApprovalDesk | undefined;
  /** The installed copy, with the overrides applied. */
  readonly installed: AnyDefinition;
  /** Returns the number of times that the body has run. */
  readonly bodyRuns: () => number;
}

/** The parameters of {@link subjectOf}. */
export interface SubjectSpec {
  readonly definition: AnyDefinition;
  readonly args: unknown;
  readonly overrides: readonly Override[];
  /** The desk of the test. Default: a new one, so that no test notifies anybody. */
  readonly approvals?: ApprovalDesk | undefined;
  /** The function of the kit that was called, for error messages. */
  readonly caller: string;
  /** Called with the wire key of a resolver when its function starts, and with `''` for the body. */
  readonly onStart?: (key: string) => void;
}

/**
 * Prepares a definition for a call.
 *
 * @throws {TypeError} If the value is not a definition, or does not take these arguments.
 */
export function subjectOf(spec: SubjectSpec): Subject {
  const { definition, args, overrides, caller, onStart } = spec;
  if (!isDefinition(definition)) {
    throw new TypeError(
      `${caller}(): the first argument must be a definition, as in ${caller}(payInvoice, { invoice: 'INV-1' }). ${misfit(definition)}`,
    );
  }
  const read: Definition = definition['~definition'];
  const { name, plan } = read;
  let runs = 0;
  const needsDesk = read.approvals !== undefined;
  const desk = needsDesk ? (spec.approvals ?? approvalDesk({ store: memoryStore() })) : undefined;
  const change = {
    ...(desk && { approvals: desk['~place'] }),
    plan: watchStarts(overridePlan(plan, overrides), onStart),
    body: (...given: Parameters<Body>) => {
      runs += 1;
      onStart?.('');
      return read.body.apply(UNBOUND, given);
    },
  };
  return {
    name,
    plan,
    target: targetOf(read, args, caller),
    desk,
    installed: copyOf(definition, read, change),
    bodyRuns: () => runs,
  };
}

/** Returns a plan whose resolvers report that they start. */
function watchStarts(plan: Plan, onStart: SubjectSpec['onStart']): Plan {
  if (onStart === undefined) return plan;
  const nodes = plan.nodes.map((node) => {
    const { fn } = node.resolver;
    const watched: typeof fn = (...given) => {
      onStart(node.key);
      return fn(...given);
    };
    return { ...node, resolver: { ...node.resolver, fn: watched } };
  });
  return { ...plan, nodes };
}

type Body = Definition['body'];

interface Change {
  readonly plan: Plan;
  readonly body: Body;
  readonly approvals?: ParkingPlace;
}

/** Copies a definition with another plan and body. The author's object stays unchanged. */
function copyOf(given: AnyDefinition, read: Definition, change: Change): AnyDefinition {
  switch (read.kind) {
    case 'tool':
      return { ...(given as Tool), '~definition': { ...read, ...change } };
    case 'prompt':
      return { ...(given as Prompt), '~definition': { ...read, ...change } };
    case 'resource': {
      const { at } = read;
      const changed = { ...read, ...change };
      return {
        ...(given as Resource),
        '~definition': { ...changed, at: (uri) => ({ ...at(uri), ...change }) },
      };
    }
  }
}

function targetOf(definition: Definition, args: unknown, caller: string): CallTarget {
  const { kind, name } = definition;
  if (kind === 'resource') return { resource: uriOf(definition.location, args, caller) };
  if (args !== undefined && !isObject(args)) {
    throw new TypeError(`${caller}(): the arguments of '${name}' must be an object or undefined.`);
  }
  const given = args === undefined ? {} : { arguments: args as Record<string, string> };
  return kind === 'tool' ? { name, ...given } : { prompt: name, ...given };
}

function uriOf(location: unknown, given: unknown, caller: string): string {
  if (typeof given === 'string' || given instanceof URL) return String(given);
  if (given === undefined && typeof location === 'string') return location;
  throw new TypeError(
    `${caller}(): the second argument must be the URI of the resource, as in ${caller}(trip, 'trips://next').`,
  );
}

function misfit(given: unknown): string {
  const kind = kindOf(given);
  if (kind === 'resolver') return 'It is a resolver. Pass a tool that uses it.';
  if (given === undefined)
    return 'It is undefined. Check that the definition is exported and that its name is spelled correctly.';
  if (Array.isArray(given)) return 'It is an array. Pass one definition at a time.';
  if (isObject(given) && typeof given.registerTool === 'function')
    return 'It is a server. Pass one of its tools instead.';
  return typeof given === 'function'
    ? 'It is a function. Create a tool with defineTool(name, config, body).'
    : 'Create one with defineTool(name, config, body).';
}
