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
  approval: 'for approval',
} as const;

/** Describes the question of a resolver, without the fields of a form. */
export function askingWords({ kind, declared, attempts }: ExplainedQuestion): string {
  if (kind === 'nothing') return 'computed';
  const times = attempts === undefined ? '' : `, up to ${attempts} times`;
  return `asks ${QUESTIONS[kind]}${times}${declared ? '' : ' (undeclared)'}`;
}

/** Describes the question of a resolver, with the fields of a form. */
export function askingInFull(question: ExplainedQuestion): string {
  const { fields = [] } = question;
  return `${askingWords(question)}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
}

/** Returns true if a resolver asks, according to its declaration or the events. */
export function asksSomething({ kind }: ExplainedQuestion): boolean {
  return kind !== 'nothing';
}

/**
 * Returns the number of rounds that the question of a resolver can take with the client. An
 * approval takes none, because the client is not asked.
 */
export function roundsOf(question: ExplainedQuestion): number {
  return asksSomething(question) && question.kind !== 'approval' ? (question.attempts ?? 1) : 0;
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

/** Describes the number of rounds and its reason. */
export function roundsWords({ atMostRounds, chain, resolvers }: Explanation): string {
  if (chain.length === 0) return '1: no questions';
  const questions = new Map(resolvers.map(({ key, asks }) => [key, asks]));
  const links = chain.map((key) => {
    const attempts = questions.get(key)?.attempts;
    return attempts === undefined ? key : `${key} (${attempts} attempts)`;
  });
  return `at most ${atMostRounds}: ${links.join(', then ')}`;
}

/** Describes what a client gets when a call waits, if the desk of its tool has `tasks: true`. */
export const TASKS =
  'a client that declares io.modelcontextprotocol/tasks gets a handle to poll; others call again';

/** Describes the capabilities that a client needs. */
export function clientWords({ capabilities }: Explanation): string {
  return `needs ${capabilities.map(({ name }) => name).join(', ') || 'nothing'}`;
}
