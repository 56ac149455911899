/** The colours and fonts of a picture, for light and for dark ground. */
import type { Face } from './measure.js';

/** What a card or a wire is about; decides its colour. */
export type Tone = 'argument' | 'computes' | 'asks' | 'guard' | 'body';

/** How texts are set, and how they are measured. */
export const FACES = {
  head: { family: 'mono', size: 19 },
  about: { family: 'sans', size: 13 },
  fact: { family: 'sans', size: 12 },
  label: { family: 'sans', size: 10.5 },
  name: { family: 'mono', size: 13.5 },
  row: { family: 'mono', size: 12 },
  quiet: { family: 'mono', size: 12 },
  note: { family: 'sans', size: 11 },
  pill: { family: 'sans', size: 10.5 },
} as const satisfies Record<string, Face>;

interface Palette {
  readonly ground: string;
  readonly card: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly band: string;
  /** For each tone: what is drawn, and what it is drawn on. */
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

/** The name under which the rules hold, so that pictures in one page leave the page alone. */
export const SCOPE = 'mcp-resolve-graph';

/** The style sheet of a picture. */
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
    // After the tones: what is not known is told quietly.
    rule('.pill.unknown rect', 'fill:none'),
    rule('.pill.unknown text', `fill:${soft};font-weight:400`),
    rule('.pill.unknown .icon', `stroke:${soft}`),
  ];
}

function rule(selectors: string, body: string): string {
  const scoped = selectors.split(',').map((selector) => `.${SCOPE} ${selector}`);
  return `${scoped.join(',')}{${body}}`;
}
