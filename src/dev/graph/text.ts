/**
 * Prints a graph for a terminal. Each parameter of the body is a tree of its needs. A resolver with
 * several users is drawn at its first place, and only named at the others.
 */
import type { ExplainedNeed, ExplainedResolver, Explanation } from './explanation.js';
import { columnsOf, showable } from './glyphs.js';
import {
  argumentName,
  askingInFull,
  asksSomething,
  clientWords,
  FILLED_BY,
  GUARDS_FIRST,
  roundsWords,
  TASKS,
  traitsOf,
} from './words.js';

/** Prints an explanation as text. */
export function explanationText(explanation: Explanation, color: boolean): string {
  const paint = color ? painted : plain;
  const sections = [
    heading(explanation, paint),
    argumentLines(explanation, paint),
    ...new Trees(explanation, paint).sections(),
    facts(explanation, paint),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

type Style = 'title' | 'section' | 'name' | 'quiet' | 'asks' | 'trait';
type Paint = (style: Style, text: string) => string;

const CODES: Readonly<Record<Style, string>> = {
  title: '1',
  section: '2',
  name: '36',
  quiet: '2',
  asks: '33',
  trait: '35',
};

const plain: Paint = (_, text) => text;
const painted: Paint = (style, text) =>
  text === '' ? '' : `\u001b[${CODES[style]}m${text}\u001b[0m`;

function heading({ kind, name, uri, once, description }: Explanation, paint: Paint): string[] {
  const place = uri === undefined ? '' : ` ${paint('quiet', showable(uri))}`;
  const traits = once ? `  ${paint('trait', 'once')}` : '';
  return [
    `${kind} ${paint('title', showable(name))}${place}${traits}`,
    ...(description === undefined ? [] : [showable(description)]),
  ];
}

function argumentLines({ kind, arguments: given }: Explanation, paint: Paint): string[] {
  if (given.length === 0) return [];
  const names = given.map((argument) => showable(argumentName(argument)));
  const width = Math.max(...names.map(columnsOf));
  const lines = given.map(({ type }, index) => {
    const name = names[index] ?? '';
    return `  ${paint('name', pad(name, width))}  ${paint('quiet', showable(type))}`;
  });
  return [paint('section', FILLED_BY[kind]), ...lines];
}

function facts(explanation: Explanation, paint: Paint): string[] {
  return [
    `${paint('section', 'rounds')}  ${showable(roundsWords(explanation))}`,
    `${paint('section', 'client')}  ${clientWords(explanation)}`,
    ...(explanation.tasks ? [`${paint('section', 'tasks')}   ${TASKS}`] : []),
  ];
}

/** A place in the tree: a parameter, and the resolver that fills it. */
interface Place {
  readonly parameter: string;
  readonly key: string;
  readonly outcome: boolean;
  /** The prefix of its own line (`stem`) and of the lines of its needs (`indent`). */
  readonly stem: string;
  readonly indent: string;
  readonly depth: number;
}

interface TreeLine {
  readonly stem: string;
  readonly label: string;
  readonly notes: readonly string[];
  readonly width: number;
}

/** The depth at which a tree continues in another section, because its lines would be too long. */
const DEEP = 10;

/** The trees of a definition: guards, parameters, and continuations of deep trees. */
class Trees {
  private readonly resolvers: ReadonlyMap<string, ExplainedResolver>;
  private readonly drawn = new Set<string>();
  private readonly postponed = new Set<string>();

  constructor(
    private readonly explanation: Explanation,
    private readonly paint: Paint,
  ) {
    this.resolvers = new Map(explanation.resolvers.map((resolver) => [resolver.key, resolver]));
  }

  sections(): string[][] {
    const { guards, parameters } = this.explanation;
    const sections = [
      this.section(GUARDS_FIRST, guards.map(rootOf)),
      this.section(
        'filled by resolvers',
        parameters.map(({ name, resolver, outcome }) => ({
          ...rootOf(resolver),
          parameter: name,
          outcome,
        })),
      ),
    ];
    for (const key of this.postponed) {
      if (!this.drawn.has(key)) sections.push(this.section('continued', [rootOf(key)]));
    }
    return sections;
  }

  private section(title: string, roots: readonly Place[]): string[] {
    if (roots.length === 0) return [];
    const lines: TreeLine[] = [];
    const open = [...roots].reverse();
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const resolver = this.resolvers.get(place.key);
      if (resolver === undefined) continue;
      const branches = this.branchesOf(place, resolver);
      lines.push(this.line(place, resolver, branches));
      if (branches === 'drawn') open.push(...placesUnder(place, resolver).reverse());
    }
    return [this.paint('section', title), ...this.aligned(lines)];
  }

  /** Decides if the needs of a resolver are drawn under it or elsewhere. */
  private branchesOf({ key, depth }: Place, { needs }: ExplainedResolver): Branches {
    if (this.drawn.has(key)) return 'above';
    if (depth >= DEEP && needs.some(({ from }) => from === 'resolver')) {
      this.postponed.add(key);
      return 'below';
    }
    this.drawn.add(key);
    return 'drawn';
  }

  private line(place: Place, resolver: ExplainedResolver, branches: Branches): TreeLine {
    const { parameter, key, stem, outcome } = place;
    const name = showable(parameter === key ? key : `${parameter} ← ${key}`);
    const given = branches === 'drawn' ? argumentsIn(resolver.needs) : '';
    return {
      stem,
      label: `${this.paint('name', name)}${this.paint('quiet', given)}`,
      width: columnsOf(stem + name + given),
      notes: [
        ...(outcome ? [this.paint('trait', 'outcome')] : []),
        ...(branches === 'drawn' ? this.notesOn(resolver) : [this.paint('quiet', branches)]),
      ],
    };
  }

  private notesOn(resolver: ExplainedResolver): string[] {
    const { asks } = resolver;
    return [
      this.paint(asksSomething(asks) ? 'asks' : 'quiet', showable(askingInFull(asks))),
      ...traitsOf(resolver).map((trait) => this.paint('trait', trait)),
    ];
  }

  /** Aligns the notes in one column, except for lines that are too long. */
  private aligned(lines: readonly TreeLine[]): string[] {
    const fitting = lines.filter(({ width }) => width <= WIDEST);
    const column = fitting.reduce((widest, { width }) => Math.max(widest, width), 0);
    return lines.map(({ stem, label, width, notes }) => {
      const space = ' '.repeat(Math.max(0, column - width) + 2);
      return `  ${this.paint('quiet', stem)}${label}${space}${notes.join(' · ')}`;
    });
  }
}

type Branches = 'drawn' | 'above' | 'below';

/** The maximum column of the notes. */
const WIDEST = 44;

function rootOf(key: string): Place {
  return { parameter: key, key, outcome: false, stem: '', indent: '', depth: 0 };
}

function placesUnder({ indent, depth }: Place, { needs }: ExplainedResolver): Place[] {
  const fills = needs.filter((need) => need.from === 'resolver');
  return fills.map(({ parameter, resolver, outcome }, index) => {
    const last = index === fills.length - 1;
    return {
      parameter,
      key: resolver,
      outcome,
      stem: `${indent}${last ? '└─ ' : '├─ '}`,
      indent: `${indent}${last ? '   ' : '│  '}`,
      depth: depth + 1,
    };
  });
}

/** Formats the arguments that a resolver takes, as in a call. */
function argumentsIn(needs: readonly ExplainedNeed[]): string {
  const given = needs
    .filter((need) => need.from === 'argument')
    .map(({ parameter, argument, optional = false }) => {
      const name = optional ? `${argument}?` : argument;
      return parameter === argument ? name : `${parameter}: ${name}`;
    });
  return given.length === 0 ? '' : ` (${showable(given.join(', '))})`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOf(text)));
}
