/** Draws a graph as Mermaid, for pages that render it themselves, such as a README. */
import type {
  ExplainedArgument,
  ExplainedNeed,
  ExplainedResolver,
  Explanation,
} from './explanation.js';
import { showable } from './glyphs.js';
import {
  argumentName,
  askingInFull,
  FILLED_BY,
  goesStraight,
  GUARDS_FIRST,
  roleOf,
  takesOutcome,
  traitsOf,
} from './words.js';

/** Draws an explanation as a Mermaid flowchart. */
export function mermaidOf(explanation: Explanation): string {
  const ids = new Map(explanation.resolvers.map(({ key }, index) => [key, `r${index}`]));
  const id = (key: string): string => ids.get(key) ?? key;
  const first = explanation.resolvers.filter((resolver) => resolver.first);
  const others = explanation.resolvers.filter((resolver) => !resolver.first);
  const node = (resolver: ExplainedResolver): string => nodeOf(id(resolver.key), resolver);
  return [
    'flowchart LR',
    ...group('arguments', FILLED_BY[explanation.kind], explanation.arguments.map(argumentOf)),
    ...group('guards', GUARDS_FIRST, first.map(node)),
    ...others.map((resolver) => `  ${node(resolver)}`),
    `  body([${quote(`${explanation.kind} ${explanation.name}`, explanation.once ? 'once' : '')}]):::body`,
    ...edgesOf(explanation, id).map((edge) => `  ${edge}`),
    ...CLASSES.map((line) => `  ${line}`),
  ].join('\n');
}

/** Colours that are readable on light and on dark backgrounds. */
const CLASSES = [
  'classDef argument fill:#e2e8f0,stroke:#64748b,color:#0f172a',
  'classDef computes fill:#f8fafc,stroke:#64748b,color:#0f172a',
  'classDef asks fill:#fef3c7,stroke:#d97706,color:#451a03',
  'classDef guard fill:#d1fae5,stroke:#059669,color:#022c22',
  'classDef body fill:#e0e7ff,stroke:#4f46e5,color:#1e1b4b',
];

function group(id: string, title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`  subgraph ${id}[${quote(title)}]`, ...lines.map((line) => `    ${line}`), '  end'];
}

function argumentOf(argument: ExplainedArgument, index: number): string {
  return `a${index}[${quote(`${argumentName(argument)}: ${argument.type}`)}]:::argument`;
}

function nodeOf(id: string, resolver: ExplainedResolver): string {
  const { asks, guard, key } = resolver;
  const label = quote(key, askingInFull(asks), ...traitsOf(resolver));
  return `${id}${guard ? `{{${label}}}` : `[${label}]`}:::${roleOf(resolver)}`;
}

function edgesOf(explanation: Explanation, id: (key: string) => string): string[] {
  const { resolvers, parameters, guards } = explanation;
  const argumentIds = new Map(explanation.arguments.map(({ name }, index) => [name, `a${index}`]));
  return [
    ...resolvers.flatMap(({ key, needs }) =>
      needs.flatMap((need) => {
        const source =
          need.from === 'resolver' ? id(need.resolver) : argumentIds.get(need.argument);
        return source === undefined ? [] : [edge(source, id(key), labelOf(need))];
      }),
    ),
    ...parameters.map(({ name, resolver, outcome }) =>
      edge(id(resolver), 'body', { parameter: name, outcome }),
    ),
    ...(guards.length > 0 ? ['guards ==> body'] : []),
    // If there are resolvers, an edge from the arguments to the body adds nothing.
    ...(goesStraight(explanation) ? ['arguments --> body'] : []),
  ];
}

interface Label {
  readonly parameter: string;
  readonly outcome: boolean;
}

function labelOf(need: ExplainedNeed): Label {
  return { parameter: need.parameter, outcome: takesOutcome(need) };
}

function edge(from: string, to: string, { parameter, outcome }: Label): string {
  const label = quote(outcome ? `${parameter}, outcome` : parameter);
  return `${from} ${outcome ? '-.->' : '-->'}|${label}| ${to}`;
}

/** Characters with a meaning in Mermaid, or in the HTML that it creates. */
const ESCAPES: Readonly<Record<string, string>> = {
  '#': '#35;',
  '"': '#quot;',
  '&': '#amp;',
  '<': '#lt;',
  '>': '#gt;',
  '`': '#96;',
  '\\': '#92;',
};

/** Returns a quoted label of one or more lines. */
function quote(...lines: readonly string[]): string {
  const shown = lines.filter((line) => line !== '').map(escapeText);
  return `"${shown.join('<br>')}"`;
}

function escapeText(text: string): string {
  return showable(text).replace(/[#"&<>`\\]/g, (character) => ESCAPES[character] ?? character);
}
