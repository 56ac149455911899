/**
 * The contents of a picture: a card for the arguments, one for each resolver and one for the body,
 * and the wires between them.
 */
import type { ExplainedNeed, ExplainedResolver, Explanation } from '../explanation.js';
import {
  argumentName,
  askingWords,
  FILLED_BY,
  goesStraight,
  roleOf,
  takesOutcome,
  traitsOf,
} from '../words.js';
import { ARGUMENTS, CardWriter } from './card.js';
import type { Card, Made } from './card.js';
import type { Wire } from './slots.js';
import type { Tone } from './style.js';

/** A wire and its style. */
export interface Strand extends Wire {
  readonly tone: Tone;
  readonly outcome: boolean;
}

/** All cards and wires of a definition. */
export interface Deck {
  readonly cards: readonly Card[];
  readonly strands: readonly Strand[];
}

/** Creates the cards and wires of a definition. Each card comes after the cards that it needs. */
export function deckOf(explanation: Explanation): Deck {
  const given = explanation.arguments.length === 0 ? [] : [argumentsCard(explanation)];
  const resolvers = explanation.resolvers.map(resolverCard);
  const body = bodyCard(explanation);
  const cards = [...given, ...resolvers, body].map(({ card }) => card);
  return { cards, strands: strandsOf(explanation, { given: given[0], resolvers, body }) };
}

/** The phases of the layout, from left to right. */
export const PHASES = { arguments: 0, first: 1, others: 2, body: 3 };

function argumentsCard(explanation: Explanation): Made {
  const writer = new CardWriter();
  writer.label(FILLED_BY[explanation.kind]);
  const used = new Set(explanation.resolvers.flatMap(({ needs }) => needs.map(argumentIn)));
  for (const argument of explanation.arguments) {
    const isPort = used.has(argument.name);
    writer.row(argument.name, { text: argumentName(argument), note: argument.type, isPort });
  }
  return writer.made({
    tone: 'argument',
    title: FILLED_BY[explanation.kind],
    phase: PHASES.arguments,
    ports: goesStraight(explanation) ? [writer.head] : [],
  });
}

function argumentIn(need: ExplainedNeed): string | undefined {
  return need.from === 'argument' ? need.argument : undefined;
}

function resolverCard(resolver: ExplainedResolver): Made {
  const { key, asks, first, guard, needs } = resolver;
  const writer = new CardWriter();
  if (guard) writer.label('guard');
  writer.name(key);
  writer.pills([
    ...(asks.kind === 'nothing' ? [] : [{ text: askingWords(asks), icon: asks.kind }]),
    ...traitsOf(resolver).map((trait) => ({ text: trait, icon: trait })),
  ]);
  if (asks.fields !== undefined && asks.fields.length > 0) writer.note(asks.fields.join(', '));
  for (const need of needs) {
    const note = noteOf(need);
    writer.row(need.parameter, { text: need.parameter, note });
  }
  return writer.made({
    tone: roleOf(resolver),
    title: [key, askingWords(asks), ...traitsOf(resolver)].join(', '),
    phase: first ? PHASES.first : PHASES.others,
    ports: resolver.usedBy.length > 0 ? [writer.head] : [],
  });
}

function noteOf(need: ExplainedNeed): string {
  if (need.from === 'argument') return need.optional ? 'optional' : '';
  return need.outcome ? 'outcome' : '';
}

function bodyCard(explanation: Explanation): Made {
  const { kind, name, once, parameters } = explanation;
  const writer = new CardWriter();
  writer.label(`body of the ${kind}`);
  writer.name(name);
  if (once) writer.pills([{ text: 'once', icon: 'once' }]);
  for (const parameter of parameters) {
    const note = parameter.outcome ? 'outcome' : '';
    writer.row(parameter.name, { text: parameter.name, note });
  }
  if (explanation.arguments.length > 0) {
    const names = explanation.arguments.map(argumentName).join(', ');
    writer.row(ARGUMENTS, { text: names, note: '' });
  }
  return writer.made({ tone: 'body', title: `${kind} ${name}`, phase: PHASES.body, ports: [] });
}

interface CardParts {
  readonly given: Made | undefined;
  readonly resolvers: readonly Made[];
  readonly body: Made;
}

function strandsOf(explanation: Explanation, { given, resolvers, body }: CardParts): Strand[] {
  const shift = given === undefined ? 0 : 1;
  const bodyIndex = shift + resolvers.length;
  const values = new Map(
    explanation.resolvers.map(({ key }, index) => [key, valueOf(resolvers[index], shift + index)]),
  );
  const sourceFor = (need: ExplainedNeed): WireSource | undefined => {
    if (need.from === 'resolver') return values.get(need.resolver);
    const fromOffset = given?.rows.get(need.argument);
    return fromOffset === undefined ? undefined : { from: 0, fromOffset, tone: 'argument' };
  };
  const toResolvers = explanation.resolvers.flatMap(({ needs }, index) =>
    needs.map((need) => {
      const toOffset = resolvers[index]?.rows.get(need.parameter) ?? 0;
      const end = { to: shift + index, toOffset, outcome: takesOutcome(need) };
      return strand(sourceFor(need), end);
    }),
  );
  const toBody = explanation.parameters.map(({ name, resolver, outcome }) => {
    const toOffset = body.rows.get(name) ?? 0;
    return strand(values.get(resolver), { to: bodyIndex, toOffset, outcome });
  });
  const toOffset = body.rows.get(ARGUMENTS) ?? 0;
  const straight = goesStraight(explanation)
    ? strand(valueOf(given, 0), { to: bodyIndex, toOffset, outcome: false })
    : [];
  return [...toResolvers, ...toBody, straight].flat();
}

type WireSource = Pick<Strand, 'from' | 'fromOffset' | 'tone'>;

/** Returns the point where the value of a card leaves it. */
function valueOf(made: Made | undefined, from: number): WireSource | undefined {
  return made && { from, fromOffset: made.head, tone: made.card.tone };
}

function strand(source: WireSource | undefined, end: Omit<Strand, keyof WireSource>): Strand[] {
  return source === undefined ? [] : [{ ...source, ...end }];
}
