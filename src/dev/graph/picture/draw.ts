/** Draws a definition as a self-contained SVG, without scripts, fonts, links or ids. */
import type { Explanation } from '../explanation.js';
import { showable } from '../glyphs.js';
import { clientWords, roundsWords } from '../words.js';
import { PILL } from './card.js';
import type { Card, Pill } from './card.js';
import { deckOf, PHASES } from './cards.js';
import type { Deck, Strand } from './cards.js';
import { layOut } from './layout.js';
import type { Area, Layout, Pass, Route } from './layout.js';
import type { Turn } from './lines.js';
import { fitText, widthOf } from './measure.js';
import { largest } from './slots.js';
import { FACES, ICONS, SCOPE, styleSheet } from './style.js';
import type { Icon, Tone } from './style.js';

const MARGIN = 28;
const NARROWEST = 560;
/** Wider graphs have several lines, so that text stays legible on a page that is 830 px wide. */
const WIDEST_GRAPH = 944;
const WIDEST_TEXT = 900;

/** Draws an explained definition as an SVG document. */
export function drawGraph(explanation: Explanation): string {
  const deck = deckOf(explanation);
  const layout = layOut({ boxes: deck.cards, wires: deck.strands }, WIDEST_GRAPH);
  const width = Math.max(layout.width, NARROWEST);
  const head = headOf(explanation, Math.min(width, WIDEST_TEXT));
  const top = MARGIN + head.height + (deck.cards.some(isFirst) ? BAND_TOP : 22);
  const legend = legendOf(deck, { width, top: top + layout.height + 40 });
  const facts = drawFacts(explanation, { width, top: legend.bottom + 14 });
  const size = { width: width + 2 * MARGIN, height: facts.bottom + MARGIN - 8 };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${SCOPE}" role="img" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}">`,
    `<title>${escapeText(`${explanation.kind} ${explanation.name}`)}</title>`,
    `<desc>${escapeText(`Rounds: ${roundsWords(explanation)}. The client ${clientWords(explanation)}.`)}</desc>`,
    `<style>${styleSheet()}</style>`,
    `<rect class="ground" x=".5" y=".5" width="${size.width - 1}" height="${size.height - 1}" rx="14"/>`,
    ...head.parts,
    // Centres a graph that is narrower than its heading.
    `<g transform="translate(${MARGIN + Math.round((width - layout.width) / 2)} ${top})">`,
    ...bandsOf(deck, layout),
    // Removes duplicates, because wires that run together share a line.
    ...new Set(deck.strands.flatMap((strand, index) => wireOf(strand, layout.routes[index]))),
    ...deck.cards.map((card, index) => cardOf(card, layout.areas[index])),
    '</g>',
    ...legend.parts,
    ...facts.parts,
    '</svg>',
    '',
  ].join('\n');
}

interface Drawn {
  readonly parts: readonly string[];
}

/** The width and the upper edge of a part below the graph. */
interface Strip {
  readonly width: number;
  readonly top: number;
}

/** Writes the name and the description. */
function headOf(explanation: Explanation, width: number): Drawn & { readonly height: number } {
  const { kind, name, uri, description } = explanation;
  const parts = [textAt({ x: MARGIN, y: MARGIN + 10 }, 'label', kind.toUpperCase())];
  let y = MARGIN + 16;
  const write = (lines: readonly string[], style: string, height: number): void => {
    for (const line of lines) {
      y += height;
      parts.push(textAt({ x: MARGIN, y }, style, line));
    }
  };
  const { head, about } = FACES;
  write(fitText(showable(name), { face: head, width, lines: 3 }), 'head', 22);
  if (uri !== undefined)
    write(fitText(showable(uri), { face: about, width, lines: 2 }), 'about', 21);
  if (description !== undefined) {
    const lines = fitText(showable(description), { face: about, width, lines: 4 });
    write(lines.slice(0, 1), 'about', 23);
    write(lines.slice(1), 'about', 19);
  }
  return { parts, height: y - MARGIN + 8 };
}

/** Explains the colours, lines and icons that the picture contains. */
function legendOf(deck: Deck, { width, top }: Strip): Drawn & { readonly bottom: number } {
  const parts: string[] = [];
  let x = MARGIN;
  let y = top;
  for (const { sign, text } of legendEntries(deck)) {
    const needed = SIGN + widthOf(text, FACES.note);
    if (x > MARGIN && x + needed > MARGIN + width) {
      x = MARGIN;
      y += LEGEND_LINE;
    }
    parts.push(sign(x, y), textAt({ x: x + SIGN, y: y + 4 }, 'note', text));
    x += needed + LEGEND_GAP;
  }
  return { parts, bottom: y + 12 };
}

const LEGEND_LINE = 22;
const LEGEND_GAP = 22;
const SIGN = 24;

interface LegendEntry {
  readonly sign: (x: number, y: number) => string;
  readonly text: string;
}

const TONES: readonly (readonly [Tone, string])[] = [
  ['guard', 'guard: finishes before the rest starts'],
  ['asks', 'asks a question'],
  ['computes', 'computed'],
];

const ICON_WORDS: readonly (readonly [Icon, string])[] = [
  ['pinned', 'pinned: computed once per call'],
  ['disposed', 'disposed: cleaned up after each round'],
  ['once', 'once: an approved call runs once'],
];

function legendEntries({ cards, strands }: Deck): LegendEntry[] {
  const tones = new Set(cards.map(({ tone }) => tone));
  const icons = new Set(cards.flatMap(({ pills }) => pills.map(({ icon }) => icon)));
  return [
    ...TONES.filter(([tone]) => tones.has(tone)).map(([tone, text]) => ({
      text,
      sign: (x: number, y: number) =>
        `<g class="${tone}"><rect class="stripe" x="${x + 2}" y="${y - 6}" width="14" height="12" rx="4"/></g>`,
    })),
    ...(strands.some(({ outcome }) => outcome)
      ? [{ text: 'outcome: takes a decline as a value', sign: dashes }]
      : []),
    ...ICON_WORDS.filter(([icon]) => icons.has(icon)).map(([icon, text]) => ({
      text,
      sign: (x: number, y: number) =>
        `<g class="argument"><path class="icon" transform="translate(${x + 3} ${y - 6})" d="${ICONS[icon]}"/></g>`,
    })),
  ];
}

function dashes(x: number, y: number): string {
  return `<path class="wire argument outcome" d="M${x} ${y}h18"/>`;
}

/** Writes the number of rounds and the capabilities that the client needs. */
function drawFacts(
  explanation: Explanation,
  { width, top }: Strip,
): Drawn & { readonly bottom: number } {
  const facts = [
    ['rounds', roundsWords(explanation)],
    ['client', clientWords(explanation)],
  ] as const;
  const parts: string[] = [];
  let y = top;
  for (const [label, fact] of facts) {
    const lines = fitText(showable(fact), {
      face: FACES.fact,
      width: width - FACT_INDENT,
      lines: 3,
    });
    for (const [index, line] of lines.entries()) {
      y += 18;
      if (index === 0) parts.push(textAt({ x: MARGIN, y }, 'label', label.toUpperCase()));
      parts.push(textAt({ x: MARGIN + FACT_INDENT, y }, 'fact', line));
    }
  }
  return { parts, bottom: y + 8 };
}

const FACT_INDENT = 72;

/** The space above the graph for the title of the guards' band. */
const BAND_TOP = 34;
const BAND_SIDE = 18;

function isFirst({ phase }: Card): boolean {
  return phase === PHASES.first;
}

/** Draws the bands behind the guards and their needs, one for each line that has some. */
function bandsOf({ cards }: Deck, { areas, lines }: Layout): string[] {
  const first = areas.filter((_, index) => cards[index] !== undefined && isFirst(cards[index]));
  return lines.flatMap(({ top, bottom }) => {
    const guarded = first.filter(({ y }) => top <= y && y < bottom);
    if (guarded.length === 0) return [];
    const left = guarded.reduce((least, { x }) => Math.min(least, x), Infinity) - BAND_SIDE;
    const right = largest(guarded.map(({ x, width }) => x + width)) + BAND_SIDE;
    return [
      `<rect class="band" x="${left}" y="${top - 26}" width="${right - left}" height="${bottom - top + 44}" rx="12"/>`,
      `<g class="guard">${textAt({ x: left + BAND_SIDE, y: top - 10 }, 'label', 'GUARDS FIRST')}</g>`,
    ];
  });
}

/**
 * Draws a wire in pieces, one for each column. The wire is level where it leaves, passes a column
 * or arrives.
 */
function wireOf({ tone, outcome }: Strand, route: Route | undefined): string[] {
  if (route === undefined) return [];
  const { start, passes, end, turns } = route;
  const style = `wire ${tone}${outcome ? ' outcome' : ''}`;
  const arrival: Pass = { left: end.x - TIP, right: end.x - TIP, y: end.y };
  let from: Point = start;
  const pieces = [...passes, arrival].map(({ left, right, y }, index) => {
    const piece = wayTo({ x: left, y }, { from, turn: turns[index] });
    from = { x: right, y };
    return right > left ? `${piece}H${right}` : piece;
  });
  return [
    ...pieces.map((piece) => `<path class="${style}" d="${piece}"/>`),
    `<path class="tip ${tone}" d="M${end.x} ${end.y}l-${TIP + 1} -4v8z"/>`,
  ];
}

/** The length of a wire's tip. */
const TIP = 6;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Way {
  readonly from: Point;
  readonly turn: Turn | undefined;
}

/** Draws a wire to the next column, or to the next line. */
function wayTo(to: Point, { from, turn }: Way): string {
  if (turn === undefined) return curve(from, to);
  const { right, y, left } = turn;
  return pathAround([
    from,
    { x: right, y: from.y },
    { x: right, y },
    { x: left, y },
    { x: left, y: to.y },
    to,
  ]);
}

/** The radius of the corners of a wire that turns. */
const CORNER = 7;

/** Draws horizontal and vertical lines through points, with round corners. */
function pathAround(points: readonly Point[]): string {
  const last = points.length - 1;
  return points
    .map((point, index) => {
      if (index === 0) return `M${point.x} ${point.y}`;
      if (index === last) return `L${point.x} ${point.y}`;
      const before = towards(points[index - 1] ?? point, point);
      const after = towards(points[index + 1] ?? point, point);
      return `L${before.x} ${before.y}Q${point.x} ${point.y} ${after.x} ${after.y}`;
    })
    .join('');
}

/** Returns the point near a corner at which it begins, on the line to a neighbour. */
function towards(neighbour: Point, corner: Point): Point {
  const nearer = (from: number, to: number): number =>
    from + Math.sign(to - from) * Math.min(CORNER, Math.abs(to - from) / 2);
  return { x: nearer(corner.x, neighbour.x), y: nearer(corner.y, neighbour.y) };
}

function curve(from: Point, to: Point): string {
  const half = Math.round((to.x - from.x) / 2);
  return `M${from.x} ${from.y}C${from.x + half} ${from.y} ${to.x - half} ${to.y} ${to.x} ${to.y}`;
}

function cardOf(card: Card, area: Area | undefined): string {
  if (area === undefined) return '';
  const { width, height } = area;
  return [
    `<g class="${card.tone}" transform="translate(${area.x} ${area.y})">`,
    `<title>${escapeText(card.title)}</title>`,
    `<rect class="card" width="${width}" height="${height}" rx="10"/>`,
    `<path class="stripe" d="M10 0h${width - 20}a10 10 0 0 1 9.2 4h-${width - 1.6}a10 10 0 0 1 9.2 -4z"/>`,
    ...(card.rule === undefined ? [] : [`<path class="rule" d="M0 ${card.rule}H${width}"/>`]),
    ...card.lines.map(({ x, y, style, text }) => textAt({ x, y }, style, text)),
    ...card.pills.map(pillOf),
    ...card.ports.map((y) => `<circle class="port" cx="${width}" cy="${y}" r="3.2"/>`),
    '</g>',
  ].join('');
}

function pillOf({ text, icon, x, y, width }: Pill): string {
  return [
    `<g class="pill ${icon}" transform="translate(${x} ${y})">`,
    `<rect width="${width}" height="${PILL}" rx="${PILL / 2}"/>`,
    `<path class="icon" transform="translate(7 3.5)" d="${ICONS[icon]}"/>`,
    textAt({ x: 22, y: 13 }, 'word', text),
    '</g>',
  ].join('');
}

/** Returns a text element. */
function textAt({ x, y }: Point, style: string, text: string): string {
  return `<text class="${style}" x="${x}" y="${y}">${escapeText(text)}</text>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a string for XML and replaces the characters that XML does not allow. */
function escapeText(text: string): string {
  return showable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
