/** The colours, fonts and icons of a picture, for light and for dark backgrounds. */
import type { Face } from './measure.js';

/** The role of a card or a wire, which decides its colour. */
export type Tone = 'argument' | 'computes' | 'asks' | 'guard' | 'body';

/** The fonts of all text, for the style sheet and for measuring. */
export const FACES = {
  head: { family: 'mono', size: 19 },
  about: { family: 'sans', size: 13 },
  fact: { family: 'sans', size: 12 },
  label: { family: 'sans', size: 11 },
  name: { family: 'mono', size: 13.5 },
  row: { family: 'mono', size: 12 },
  quiet: { family: 'mono', size: 12 },
  note: { family: 'sans', size: 11 },
  pill: { family: 'sans', size: 11 },
} as const satisfies Record<string, Face>;

/** The name of an icon on a pill. */
export type Icon = 'form' | 'url' | 'sample' | 'roots' | 'pinned' | 'disposed' | 'once';

/** The strokes of each icon, in a box of 12 by 12. */
export const ICONS: Readonly<Record<Icon, string>> = {
  // A page with two lines and a tick.
  form: 'M2.5 1.5h7v9h-7zM4.5 4.2h3M4.5 6.6l1 1 2-2',
  // Two links of a chain.
  url: 'M5 7 7.2 4.8M5.2 3.6 6.6 2.2a2 2 0 0 1 3 3L8.2 6.6M6.8 8.4 5.4 9.8a2 2 0 0 1-3-3L3.8 5.4',
  // A spark.
  sample: 'M6 1.2 7.2 4.8 10.8 6 7.2 7.2 6 10.8 4.8 7.2 1.2 6 4.8 4.8z',
  // A folder.
  roots: 'M1.5 3.2v6.6h9V4.4H6L5 3.2z',
  // A pin.
  pinned: 'M4.2 1.6h3.6M5 1.6v3.2L3.4 6.8h5.2L7 4.8V1.6M6 6.8v3.8',
  // An arrow that turns back.
  disposed: 'M9.6 4.4A4 4 0 1 0 10 6.8M10 1.8v2.8H7.2',
  // A tick in a circle.
  once: 'M6 1.4a4.6 4.6 0 1 0 .01 0M4 6.1l1.5 1.5L8.2 4.8',
};

interface Palette {
  readonly ground: string;
  readonly card: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly band: string;
  /** The strong and the faint colour of each tone. */
  readonly tones: Readonly<Record<Tone, readonly [strong: string, faint: string]>>;
}

const LIGHT: Palette = {
  ground: '#fbfcfe',
  card: '#ffffff',
  ink: '#131c2e',
  soft: '#5d6b82',
  line: '#d9e0ea',
  band: '#edf8f3',
  tones: {
    argument: ['#64748b', '#f1f4f8'],
    computes: ['#3f7fc4', '#edf4fc'],
    asks: ['#c2660c', '#fdf1e1'],
    guard: ['#0d8a5f', '#e3f6ee'],
    body: ['#5b4bd6', '#eeecfd'],
  },
};

const DARK: Palette = {
  ground: '#0d1320',
  card: '#151d2e',
  ink: '#e7edf7',
  soft: '#98a6bd',
  line: '#2b374d',
  band: '#0f221f',
  tones: {
    argument: ['#93a2b8', '#1e283a'],
    computes: ['#6fa8e6', '#182a42'],
    asks: ['#f0a245', '#33260f'],
    guard: ['#3fc28f', '#10302a'],
    body: ['#9d90ff', '#262150'],
  },
};

const SANS =
  "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans','Liberation Sans',Arial,sans-serif";
const MONO =
  "ui-monospace,SFMono-Regular,'SF Mono',Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace";

/** The class that scopes all rules, so that a picture does not restyle the page around it. */
export const SCOPE = 'mcp-resolve-graph';

/** Returns the style sheet of a picture. */
export function styleSheet(): string {
  const dark = rules(DARK).join('');
  return `${shapes().join('')}${rules(LIGHT).join('')}@media(prefers-color-scheme:dark){${dark}}`;
}

function shapes(): string[] {
  return [
    rule('text', `font-family:${SANS};white-space:pre`),
    rule('.head', `font:600 ${FACES.head.size}px ${MONO}`),
    rule('.name', `font:600 ${FACES.name.size}px ${MONO}`),
    rule('.row,.quiet', `font:${FACES.row.size}px ${MONO}`),
    rule('.note', `font-size:${FACES.note.size}px`),
    rule('.label', `font-size:${FACES.label.size}px;font-weight:600;letter-spacing:.04em`),
    rule('.pill text', `font-size:${FACES.pill.size}px;font-weight:600`),
    rule('.about', `font-size:${FACES.about.size}px`),
    rule('.fact', `font-size:${FACES.fact.size}px`),
    rule('.wire', 'fill:none;stroke-width:1.6;stroke-linecap:round'),
    rule('.outcome', 'stroke-dasharray:5 5'),
    rule('.icon', 'fill:none;stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round'),
  ];
}

function rules({ ground, card, ink, soft, line, band, tones }: Palette): string[] {
  return [
    rule('.ground', `fill:${ground};stroke:${line}`),
    rule('.band', `fill:${band}`),
    rule('.card', `fill:${card};stroke:${line}`),
    rule('.rule', `stroke:${line}`),
    rule('text', `fill:${ink}`),
    rule('.note,.quiet,.label,.about,.fact', `fill:${soft}`),
    ...Object.entries(tones).flatMap(([tone, [strong, faint]]) => [
      rule(`.${tone} .stripe`, `fill:${strong}`),
      rule(`.${tone} .label,.${tone} .pill text`, `fill:${strong}`),
      rule(`.${tone} .pill rect`, `fill:${faint}`),
      rule(`.${tone} .icon`, `stroke:${strong}`),
      rule(`.${tone} .port`, `fill:${card};stroke:${strong};stroke-width:1.6`),
      rule(`.wire.${tone}`, `stroke:${strong}`),
      rule(`.tip.${tone}`, `fill:${strong}`),
    ]),
  ];
}

function rule(selectors: string, body: string): string {
  const scoped = selectors.split(',').map((selector) => `.${SCOPE} ${selector}`);
  return `${scoped.join(',')}{${body}}`;
}
