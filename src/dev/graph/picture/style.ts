/** The colours, fonts and icons of a picture, for light and for dark backgrounds. */
import { THEME } from '../../../theme.js';
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
export type Icon =
  'form' | 'url' | 'sample' | 'roots' | 'approval' | 'pinned' | 'disposed' | 'once';

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
  // Two persons.
  approval:
    'M4 2.2a1.6 1.6 0 1 0 .01 0M1.4 9.8a2.6 2.6 0 0 1 5.2 0M8.4 3.4a1.3 1.3 0 1 0 .01 0M8 7.2a2.2 2.2 0 0 1 2.7 2.4',
  // A pin.
  pinned: 'M4.2 1.6h3.6M5 1.6v3.2L3.4 6.8h5.2L7 4.8V1.6M6 6.8v3.8',
  // An arrow that turns back.
  disposed: 'M9.6 4.4A4 4 0 1 0 10 6.8M10 1.8v2.8H7.2',
  // A tick in a circle.
  once: 'M6 1.4a4.6 4.6 0 1 0 .01 0M4 6.1l1.5 1.5L8.2 4.8',
};

/** The colour of theme.css for each tone. */
const TONES: Readonly<Record<Tone, string>> = {
  argument: 'slate',
  computes: 'blue',
  asks: 'amber',
  guard: 'green',
  body: 'violet',
};

/**
 * Returns a value of theme.css for light or for dark mode. Programs that convert pictures know
 * neither custom properties nor `light-dark()`, so a picture has the values themselves.
 */
function themeColor(name: string, mode: 'light' | 'dark' = 'light'): string {
  const [, value = ''] = new RegExp(`^--${name}:(.+);$`, 'm').exec(THEME) ?? [];
  const [, light, dark] = /^light-dark\((.+), (.+)\)$/.exec(value) ?? [];
  return (mode === 'light' ? light : dark) ?? value;
}

/** The class that scopes all rules, so that a picture does not restyle the page around it. */
export const SCOPE = 'mcp-resolve-graph';

/** Returns the style sheet of a picture. */
export function styleSheet(): string {
  const light = rules((name) => themeColor(name, 'light')).join('');
  const dark = rules((name) => themeColor(name, 'dark')).join('');
  return `${shapes().join('')}${light}@media(prefers-color-scheme:dark){${dark}}`;
}

function shapes(): string[] {
  return [
    rule('text', `font-family:${themeColor('sans')};white-space:pre`),
    rule('.head', `font:600 ${FACES.head.size}px ${themeColor('mono')}`),
    rule('.name', `font:600 ${FACES.name.size}px ${themeColor('mono')}`),
    rule('.row,.quiet', `font:${FACES.row.size}px ${themeColor('mono')}`),
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

/** Returns the rules with colours of one mode. */
function rules(color: (name: string) => string): string[] {
  return [
    rule('.ground', `fill:${color('ground')};stroke:${color('line')}`),
    rule('.band', `fill:${color('green-faint')}`),
    rule('.card', `fill:${color('card')};stroke:${color('line')}`),
    rule('.rule', `stroke:${color('line')}`),
    rule('text', `fill:${color('ink')}`),
    rule('.note,.quiet,.label,.about,.fact', `fill:${color('soft')}`),
    ...Object.entries(TONES).flatMap(([tone, role]) => {
      const strong = color(role);
      return [
        rule(`.${tone} .stripe`, `fill:${strong}`),
        rule(`.${tone} .label,.${tone} .pill text`, `fill:${strong}`),
        rule(`.${tone} .pill rect`, `fill:${color(`${role}-faint`)}`),
        rule(`.${tone} .icon`, `stroke:${strong}`),
        rule(`.${tone} .port`, `fill:${color('card')};stroke:${strong};stroke-width:1.6`),
        rule(`.wire.${tone}`, `stroke:${strong}`),
        rule(`.tip.${tone}`, `fill:${strong}`),
      ];
    }),
  ];
}

function rule(selectors: string, body: string): string {
  const scoped = selectors.split(',').map((selector) => `.${SCOPE} ${selector}`);
  return `${scoped.join(',')}{${body}}`;
}
