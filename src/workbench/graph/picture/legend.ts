/** What the colours, lines and little pictures mean: those that are in the picture. */
import type { Deck } from './cards.js';
import { ICONS } from './icons.js';
import type { Icon } from './icons.js';
import { widthOf } from './measure.js';
import { FACES } from './style.js';
import type { Tone } from './style.js';
import { textAt } from './xml.js';

/** Where the legend stands. */
export interface LegendPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** A legend, drawn. */
export interface Legend {
  readonly parts: readonly string[];
  readonly bottom: number;
}

interface Entry {
  readonly sign: (x: number, y: number) => string;
  readonly text: string;
}

const LINE = 22;
const SIGN = 24;
const GAP = 22;

/** Draws the legend of a picture. */
export function legendOf(deck: Deck, { left, top, width }: LegendPlace): Legend {
  const parts: string[] = [];
  let x = left;
  let y = top;
  for (const { sign, text } of entriesFor(deck)) {
    const needed = SIGN + widthOf(text, FACES.note);
    if (x > left && x + needed > left + width) {
      x = left;
      y += LINE;
    }
    parts.push(sign(x, y), textAt({ x: x + SIGN, y: y + 4 }, 'note', text));
    x += needed + GAP;
  }
  return { parts, bottom: y + 12 };
}

const TONES: readonly (readonly [Tone, string])[] = [
  ['guard', 'guard: finishes before the rest starts'],
  ['asks', 'asks a question'],
  ['computes', 'computes a value'],
];

const ICON_WORDS: readonly (readonly [Icon, string])[] = [
  ['pinned', 'pinned: computed once per call'],
  ['disposed', 'disposed: cleaned up after each round'],
  ['once', 'once: an approved call runs once'],
];

function entriesFor({ cards, strands }: Deck): Entry[] {
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
