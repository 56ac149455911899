/** The phrases that text output and pictures share. */
import type {
  ExplainedArgument,
  ExplainedNeed,
  ExplainedQuestion,
  ExplainedResolver,
  Explanation,
} from './explanation.js';

/** The titles of the arguments, by the kind of definition. */
export const FILLED_BY: Readonly<Record<Explanation['kind'], string>> = {
  tool: 'filled by the model',
  prompt: 'filled by the user',
  resource: 'filled from the URI',
};

/** The title of the guards. */
export const GUARDS_FIRST = 'guards, which run first';

/** Returns the name of an argument, with `?` if it is optional. */
export function argumentName({ name, required }: ExplainedArgument): string {
  return required ? name : `${name}?`;
}

/** The phrase for each kind of question. */
const QUESTIONS = {
  form: 'with a form',
  url: 'with a link',
  sample: 'the model',
  roots: 'for the roots',
} as const;

/** Describes the question of a resolver, without the fields of a form. */
export function askingWords({ kind, declared }: ExplainedQuestion): string {
  if (kind === 'unknown') return 'may ask';
  if (kind === 'nothing') return 'asks nothing';
  return `asks ${QUESTIONS[kind]}${declared ? '' : ' (seen)'}`;
}

/** Describes the question of a resolver, with the fields of a form. */
export function askingInFull(question: ExplainedQuestion): string {
  const { fields = [] } = question;
  return `${askingWords(question)}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
}

/** Returns true if a resolver is known to ask. */
export function asksSomething({ kind }: ExplainedQuestion): boolean {
  return kind !== 'unknown' && kind !== 'nothing';
}

/** Returns the main role of a resolver, which decides its colour. */
export function roleOf({ asks, guard }: ExplainedResolver): 'asks' | 'guard' | 'computes' {
  if (asksSomething(asks)) return 'asks';
  return guard ? 'guard' : 'computes';
}

/** Returns the special traits of a resolver. */
export function traitsOf(resolver: ExplainedResolver): ('pinned' | 'disposed')[] {
  return (['pinned', 'disposed'] as const).filter((trait) => resolver[trait]);
}

/** Returns true if a need takes a decline as a value. */
export function takesOutcome(need: ExplainedNeed): boolean {
  return need.from === 'resolver' && need.outcome;
}

/**
 * Returns true if there are arguments but no resolvers, so all arguments go straight to the body.
 */
export function goesStraight({ arguments: given, resolvers }: Explanation): boolean {
  return given.length > 0 && resolvers.length === 0;
}

/** Describes the number of rounds and its reason, in one or two lines. */
export function roundsWords(explanation: Explanation): string[] {
  const { declaredRounds, atMostRounds, chain, undeclared } = explanation;
  const declared =
    chain.length === 0
      ? `1: ${undeclared.length === 0 ? 'no questions' : 'no known questions'}`
      : `at most ${declaredRounds}: ${chain.join(', then ')}`;
  if (undeclared.length === 0) return [declared];
  const ask = undeclared.length === 1 ? 'this one asks' : 'these ask';
  return [declared, `at most ${atMostRounds} if ${ask} as well: ${some(undeclared)}`];
}

/** Describes the capabilities that a client needs. */
export function clientWords({ capabilities, undeclared }: Explanation): string {
  const names = capabilities.map(({ name }) => name).join(', ') || 'nothing';
  return undeclared.length === 0 ? `needs ${names}` : `needs ${names}, as far as is known`;
}

/** The maximum number of names to show. */
const SOME = 5;

function some(names: readonly string[]): string {
  const shown = names.slice(0, SOME).join(', ');
  return names.length > SOME ? `${shown} and ${names.length - SOME} more` : shown;
}
