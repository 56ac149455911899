/**
 * What stands in a picture: a card for the arguments, one for each resolver and one for the body,
 * with the sizes that their texts need, and the wires between them.
 */
import type {
  ExplainedArgument,
  ExplainedNeed,
  ExplainedResolver,
  Explanation,
} from '../explanation.js';
import { showable } from '../glyphs.js';
import { askingWords, asksSomething, FILLED_BY, traitsOf } from '../words.js';
import type { Box, Wire } from './boxes.js';
import { fit, widthOf } from './measure.js';
import type { Face } from './measure.js';

/** What a card is about; decides its colour. */
export type Tone = 'argument' | 'computes' | 'asks' | 'guard' | 'body';

/** A word about a card, in a frame of its own. */
export interface Pill {
  readonly text: string;
  readonly icon: Icon;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The little pictures. */
export type Icon = 'form' | 'url' | 'sample' | 'roots' | 'unknown' | 'pinned' | 'disposed' | 'once';

/** A line of text on a card, from its upper left corner. */
export interface Line {
  readonly text: string;
  readonly style: 'label' | 'name' | 'row' | 'quiet' | 'note';
  readonly x: number;
  /** The base line. */
  readonly y: number;
}

/** Where wires are fixed to a card. */
export interface Port {
  readonly side: 'in' | 'out';
  readonly y: number;
}

/** A card. */
export interface Card extends Box {
  readonly tone: Tone;
  /** What a reader hears or sees when pointing at it. */
  readonly title: string;
  readonly lines: readonly Line[];
  readonly pills: readonly Pill[];
  readonly ports: readonly Port[];
  /** Where a line separates the head from what the card takes. */
  readonly rule: number | undefined;
}

/** A wire, and how it is drawn. */
export interface Strand extends Wire {
  readonly tone: Tone;
  readonly outcome: boolean;
}

/** All cards and wires of a definition. */
export interface Deck {
  readonly cards: readonly Card[];
  readonly strands: readonly Strand[];
}

export const FACES = {
  label: { family: 'sans', size: 10.5 },
  name: { family: 'mono', size: 13.5 },
  row: { family: 'mono', size: 12 },
  quiet: { family: 'mono', size: 12 },
  note: { family: 'sans', size: 11 },
  pill: { family: 'sans', size: 10.5 },
} as const satisfies Record<string, Face>;

/** How high a pill is. */
export const PILL = 19;

/** Makes the cards of a definition: each one after those that it needs. */
export function deckOf(explanation: Explanation): Deck {
  const given = explanation.arguments.length === 0 ? [] : [argumentsCard(explanation)];
  const resolvers = explanation.resolvers.map(resolverCard);
  const body = bodyCard(explanation);
  const cards = [...given, ...resolvers, body].map(({ card }) => card);
  return { cards, strands: strandsOf(explanation, { given: given[0], resolvers, body }) };
}

/** A card, and at which heights its parts are. */
interface Made {
  readonly card: Card;
  /** The heights of its rows, by name. */
  readonly rows: ReadonlyMap<string, number>;
  /** The height of its head. */
  readonly head: number;
}

/** What stands left of what. */
export const PHASES = { arguments: 0, first: 1, others: 2, body: 3 };

function argumentsCard(explanation: Explanation): Made {
  const writer = new CardWriter();
  writer.label(FILLED_BY[explanation.kind]);
  const used = new Set(explanation.resolvers.flatMap(({ needs }) => needs.map(argumentIn)));
  for (const argument of explanation.arguments) {
    const side = used.has(argument.name) ? 'out' : undefined;
    writer.row(argument.name, { text: argumentName(argument), note: argument.type, side });
  }
  return writer.made({
    tone: 'argument',
    title: FILLED_BY[explanation.kind],
    phase: PHASES.arguments,
    ports: goesStraight(explanation) ? [{ side: 'out', y: writer.head }] : [],
  });
}

function argumentIn(need: ExplainedNeed): string | undefined {
  return need.from === 'argument' ? need.argument : undefined;
}

/** Without resolvers, the arguments are all that the body gets. */
function goesStraight({ arguments: given, resolvers }: Explanation): boolean {
  return given.length > 0 && resolvers.length === 0;
}

function argumentName({ name, required }: ExplainedArgument): string {
  return required ? name : `${name}?`;
}

function resolverCard(resolver: ExplainedResolver): Made {
  const { key, asks, first, guard, needs } = resolver;
  const writer = new CardWriter();
  if (guard) writer.label('guard');
  writer.name(key);
  writer.pills([
    ...(asks.kind === 'nothing' ? [] : [{ text: askingWords(asks), icon: asks.kind }]),
    ...traitsOf(resolver).map((trait) => ({ text: trait, icon: trait as Icon })),
  ]);
  if (asks.fields !== undefined && asks.fields.length > 0) writer.note(asks.fields.join(', '));
  for (const need of needs) writer.row(need.parameter, inRow(need));
  return writer.made({
    tone: asksSomething(asks) ? 'asks' : guard ? 'guard' : 'computes',
    title: [key, askingWords(asks), ...traitsOf(resolver)].join(', '),
    phase: first ? PHASES.first : PHASES.others,
    ports: resolver.usedBy.length > 0 ? [{ side: 'out', y: writer.head }] : [],
  });
}

function inRow(need: ExplainedNeed): Row {
  const outcome = need.from === 'resolver' && need.outcome;
  return { text: need.parameter, note: outcome ? 'outcome' : '', side: 'in' };
}

/** Stands for all arguments among the parameters of the body; no parameter is called so. */
const ARGUMENTS = '';

function bodyCard(explanation: Explanation): Made {
  const { kind, name, once, parameters } = explanation;
  const writer = new CardWriter();
  writer.label(`body of the ${kind}`);
  writer.name(name);
  if (once) writer.pills([{ text: 'once', icon: 'once' }]);
  for (const parameter of parameters) {
    const note = parameter.outcome ? 'outcome' : '';
    writer.row(parameter.name, { text: parameter.name, note, side: 'in' });
  }
  if (explanation.arguments.length > 0) {
    const names = explanation.arguments.map(argumentName).join(', ');
    const side = goesStraight(explanation) ? 'in' : undefined;
    writer.row(ARGUMENTS, { text: names, note: '', side });
  }
  return writer.made({ tone: 'body', title: `${kind} ${name}`, phase: PHASES.body, ports: [] });
}

interface Parts {
  readonly given: Made | undefined;
  readonly resolvers: readonly Made[];
  readonly body: Made;
}

function strandsOf(explanation: Explanation, { given, resolvers, body }: Parts): Strand[] {
  const shift = given === undefined ? 0 : 1;
  const bodyIndex = shift + resolvers.length;
  const indexOf = new Map(explanation.resolvers.map(({ key }, index) => [key, index]));
  const fromResolver = (key: string): Pick<Strand, 'from' | 'fromOffset' | 'tone'> => {
    const index = indexOf.get(key) ?? 0;
    const made = resolvers[index];
    return {
      from: shift + index,
      fromOffset: made?.head ?? 0,
      tone: made?.card.tone ?? 'computes',
    };
  };
  const source = (
    need: ExplainedNeed,
  ): Pick<Strand, 'from' | 'fromOffset' | 'tone'> | undefined => {
    if (need.from === 'resolver') return fromResolver(need.resolver);
    const row = given?.rows.get(need.argument);
    return row === undefined ? undefined : { from: 0, fromOffset: row, tone: 'argument' };
  };
  return [
    ...explanation.resolvers.flatMap(({ needs }, index) =>
      needs.flatMap((need): Strand[] => {
        const from = source(need);
        const toOffset = resolvers[index]?.rows.get(need.parameter) ?? 0;
        const outcome = need.from === 'resolver' && need.outcome;
        return from === undefined ? [] : [{ ...from, to: shift + index, toOffset, outcome }];
      }),
    ),
    ...explanation.parameters.map(({ name, resolver, outcome }) => {
      const toOffset = body.rows.get(name) ?? 0;
      return { ...fromResolver(resolver), to: bodyIndex, toOffset, outcome };
    }),
    ...(given === undefined || !goesStraight(explanation)
      ? []
      : [
          {
            ...{ from: 0, fromOffset: given.head, to: bodyIndex },
            toOffset: body.rows.get(ARGUMENTS) ?? 0,
            ...{ tone: 'argument' as const, outcome: false },
          },
        ]),
  ];
}

interface Row {
  readonly text: string;
  readonly note: string;
  /** Where its wires are; `undefined` where it has none. */
  readonly side: Port['side'] | undefined;
}

const SIDE = 16;
const TOP = 12;
const WIDEST_TEXT = 250;
const NARROWEST = 124;
const NAME_LINES = 4;
const NOTE_LINES = 4;
const ROW_LINES = 3;

/** Writes a card from top to bottom, and keeps count of its size. */
class CardWriter {
  private readonly lines: Line[] = [];
  private readonly pillsWritten: Pill[] = [];
  private readonly ports: Port[] = [];
  private readonly rows = new Map<string, number>();
  private rule: number | undefined;
  private width = NARROWEST - 2 * SIDE;
  private y = TOP;
  /** Where its value comes out. */
  head = TOP;

  label(text: string): void {
    this.head = this.y + 6;
    this.write([text.toUpperCase()], 'label', 16);
  }

  name(text: string): void {
    this.head = this.y + 9;
    this.write(this.fitted(text, 'name', NAME_LINES), 'name', 18);
    this.y += 3;
  }

  note(text: string): void {
    this.y += 1;
    this.write(this.fitted(text, 'note', NOTE_LINES), 'note', 15);
  }

  pills(pills: readonly Pick<Pill, 'text' | 'icon'>[]): void {
    if (pills.length === 0) return;
    let x = SIDE;
    for (const { text, icon } of pills) {
      // What is not known has no frame.
      const width = widthOf(text, FACES.pill) + (icon === 'unknown' ? 17 : 29);
      if (x > SIDE && x + width > SIDE + WIDEST_TEXT) {
        x = SIDE;
        this.y += PILL + 5;
      }
      this.pillsWritten.push({ text, icon, x, y: this.y, width });
      this.take(x + width - SIDE);
      x += width + 6;
    }
    this.y += PILL + 6;
  }

  /** A parameter or an argument. */
  row(name: string, { text, note, side }: Row): void {
    if (this.rows.size === 0) {
      this.rule = this.y + 3;
      this.y += 10;
    }
    const style = name === ARGUMENTS ? 'quiet' : 'row';
    const [firstLine = '', ...more] = this.fitted(text, style, ROW_LINES);
    const y = this.y + 7;
    this.rows.set(name, y);
    if (side !== undefined) this.ports.push({ side, y });
    this.write([firstLine, ...more], style, 17);
    if (note !== '') this.noteBeside(note, y, more.length > 0 ? '' : firstLine);
    this.y += 4;
  }

  /** Next to the text if there is room, otherwise below. */
  private noteBeside(note: string, y: number, text: string): void {
    const after = text === '' ? WIDEST_TEXT : widthOf(text, FACES.row) + 9;
    const shown = showable(note);
    const width = widthOf(shown, FACES.note);
    if (after + width > WIDEST_TEXT) {
      this.write(this.fitted(shown, 'note', 2), 'note', 15);
      return;
    }
    this.take(after + width);
    this.lines.push({ text: shown, style: 'note', x: SIDE + after, y: y + 4 });
  }

  made(rest: Pick<Card, 'tone' | 'title' | 'phase' | 'ports'>): Made {
    const card: Card = {
      ...rest,
      title: showable(rest.title),
      lines: this.lines,
      pills: this.pillsWritten,
      ports: [...this.ports, ...rest.ports],
      rule: this.rule,
      width: this.width + 2 * SIDE,
      height: this.y + 6,
    };
    return { card, rows: this.rows, head: this.head };
  }

  private fitted(text: string, style: Line['style'], lines: number): string[] {
    return fit(showable(text), { face: FACES[style], width: WIDEST_TEXT, lines });
  }

  private write(texts: readonly string[], style: Line['style'], height: number): void {
    for (const text of texts) {
      this.take(widthOf(text, FACES[style]));
      this.lines.push({ text, style, x: SIDE, y: this.y + height - 6 });
      this.y += height;
    }
  }

  private take(width: number): void {
    this.width = Math.max(this.width, width);
  }
}
