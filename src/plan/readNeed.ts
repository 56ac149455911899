/** Reads one need of a resolver or a tool, and describes a value that is not a need. */
import { isKind, kindOf } from '../author/brand.js';
import type { AnyResolver, Arg, OptionalArg, OutcomeOf } from '../author/model.js';
import { isSchema } from '../author/schema.js';
import { isThenable } from '../values.js';

/** A need that was read: the argument or the resolver that fills it. */
export type ReadNeed =
  | {
      readonly from: 'argument';
      readonly argument: string | undefined;
      readonly isOptional: boolean;
    }
  | { readonly from: 'resolver'; readonly resolver: AnyResolver; readonly wantsOutcome: boolean };

/** Reads a need. It returns `undefined` for any other value. */
export function readNeed(need: unknown): ReadNeed | undefined {
  if (isKind(need, 'arg')) {
    const { name, isOptional = false } = need as Arg<unknown, string | undefined> &
      Partial<OptionalArg<unknown>>;
    return { from: 'argument', argument: name, isOptional };
  }
  if (isKind(need, 'resolver')) {
    return { from: 'resolver', resolver: need as AnyResolver, wantsOutcome: false };
  }
  if (isKind(need, 'outcome')) {
    return {
      from: 'resolver',
      resolver: (need as OutcomeOf<unknown>).resolver,
      wantsOutcome: true,
    };
  }
  return undefined;
}

/** Describes a value that is not a need, and suggests a fix, after the words "expected …, got". */
export function describeMisfit(value: unknown): string {
  if (value === undefined)
    return 'undefined. Check for a misspelt name, a definition further down in the file, or a circular import.';
  if (value === null) return 'null.';
  if (typeof value === 'function') return 'a function. Wrap it as resolver({ … }, fn).';
  if (isSchema(value)) return 'a schema. Use arg() for an argument, or elicit() inside a resolver.';
  if (kindOf(value) === 'question') return 'a question. Return it from a resolver.';
  if (kindOf(value) === 'arg')
    return 'an argument. The body receives all arguments anyway, so remove this parameter.';
  if (isThenable(value)) return 'a promise. Await it inside a resolver: resolver({}, () => …).';
  if (typeof value === 'string')
    return 'a string. To use an argument, write args.name of argsOf(schema).';
  const kind = kindOf(value);
  if (kind === 'tool' || kind === 'prompt' || kind === 'resource')
    return `a ${kind}. Use one of its resolvers instead.`;
  if (Array.isArray(value)) return 'an array.';
  return `a value of type ${typeof value}.`;
}
