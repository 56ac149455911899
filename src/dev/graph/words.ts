/** What is said about a graph in more than one form: the same words in text and in pictures. */
import type {
  ExplainedArgument,
  ExplainedNeed,
  ExplainedQuestion,
  ExplainedResolver,
  Explanation,
} from './explanation.js';

/** Who fills the arguments. */
export const FILLED_BY: Readonly<Record<Explanation['kind'], string>> = {
  tool: 'the model fills',
  prompt: 'the user fills',
  resource: 'the uri fills',
};

/** What stands above the guards. */
export const GUARDS_FIRST = 'guards, before anything else';

/** An argument by its name, as in a type. */
export function argumentName({ name, required }: ExplainedArgument): string {
  return required ? name : `${name}?`;
}

/** How a question is called. */
const QUESTIONS = {
  form: 'a form',
  url: 'a link',
  sample: 'the model',
  roots: 'the roots',
} as const;

/** What a resolver asks, without the fields. */
export function askingWords({ kind, declared }: ExplainedQuestion): string {
  if (kind === 'unknown') return 'may ask';
  if (kind === 'nothing') return 'asks nothing';
  return `${kind === 'roots' ? 'asks for' : 'asks'} ${QUESTIONS[kind]}${declared ? '' : ' (seen)'}`;
}

/** The same, with the fields of a form. */
export function askingInFull(question: ExplainedQuestion): string {
  const { fields = [] } = question;
  return `${askingWords(question)}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
}

/** Whether it is known that a resolver asks. */
export function asksSomething({ kind }: ExplainedQuestion): boolean {
  return kind !== 'unknown' && kind !== 'nothing';
}

/** What a resolver is above all; decides its colour. */
export function roleOf({ asks, guard }: ExplainedResolver): 'asks' | 'guard' | 'computes' {
  if (asksSomething(asks)) return 'asks';
  return guard ? 'guard' : 'computes';
}

/** What is special about a resolver, besides what it asks. */
export function traitsOf(resolver: ExplainedResolver): ('pinned' | 'disposed')[] {
  return (['pinned', 'disposed'] as const).filter((trait) => resolver[trait]);
}

/** Whether a need takes a decline as a value. */
export function takesOutcome(need: ExplainedNeed): boolean {
  return need.from === 'resolver' && need.outcome;
}

/** Whether the arguments are all that the body gets. */
export function goesStraight({ arguments: given, resolvers }: Explanation): boolean {
  return given.length > 0 && resolvers.length === 0;
}

/** How many rounds a call takes, and how that was counted: one line, or two. */
export function roundsWords(explanation: Explanation): string[] {
  const { declaredRounds, atMostRounds, chain, undeclared } = explanation;
  const declared =
    chain.length === 0
      ? `1: ${undeclared.length === 0 ? 'nothing is asked' : 'no question is known'}`
      : `at most ${declaredRounds}: ${chain.join(', then ')}`;
  if (undeclared.length === 0) return [declared];
  const ask = undeclared.length === 1 ? 'this one asks' : 'these ask';
  return [declared, `at most ${atMostRounds}, if ${ask} as well: ${some(undeclared)}`];
}

/** What a client has to be capable of. */
export function clientWords({ capabilities, undeclared }: Explanation): string {
  const names = capabilities.map(({ name }) => name).join(', ') || 'nothing';
  return undeclared.length === 0 ? `needs ${names}` : `needs ${names}, as far as is known`;
}

/** More names than anybody reads. */
const SOME = 5;

function some(names: readonly string[]): string {
  const shown = names.slice(0, SOME).join(', ');
  return names.length > SOME ? `${shown} and ${names.length - SOME} more` : shown;
}
