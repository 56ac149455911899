/** A card of a picture, and the writer that computes its size from its text. */
import { showable } from '../glyphs.js';
import type { Box } from './slots.js';
import { fitText, widthOf } from './measure.js';
import { FACES } from './style.js';
import type { Icon, Tone } from './style.js';

/** A framed label on a card. */
export interface Pill {
  readonly text: string;
  readonly icon: Icon;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** A line of text. Positions count from the upper left corner of the card. */
export interface Line {
  readonly text: string;
  readonly style: 'label' | 'name' | 'row' | 'quiet' | 'note';
  readonly x: number;
  /** The baseline. */
  readonly y: number;
}

/** A card. */
export interface Card extends Box {
  readonly tone: Tone;
  /** The tooltip, which screen readers read as well. */
  readonly title: string;
  readonly lines: readonly Line[];
  readonly pills: readonly Pill[];
  /** The heights at which wires leave it. */
  readonly ports: readonly number[];
  /** The height of the line between the head and the rows. */
  readonly rule: number | undefined;
}

/** A card and the heights of its parts. */
export interface Made {
  readonly card: Card;
  /** The heights of its rows, by name. */
  readonly rows: ReadonlyMap<string, number>;
  /** The height of its head. */
  readonly head: number;
}

/** A parameter or an argument on a card. */
interface CardRow {
  readonly text: string;
  readonly note: string;
  /** True if wires leave the card here. */
  readonly isPort?: boolean;
}

/** The height of a pill. */
export const PILL = 19;

/** The name of the body's row for all arguments. No parameter has this name. */
export const ARGUMENTS = '';

const SIDE = 16;
const TOP = 12;
const WIDEST_TEXT = 250;
const NARROWEST = 124;
const NAME_LINES = 4;
const NOTE_LINES = 4;
const ROW_LINES = 3;

/** Writes a card from top to bottom and keeps track of its size. */
export class CardWriter {
  private readonly lines: Line[] = [];
  private readonly pillsWritten: Pill[] = [];
  private readonly ports: number[] = [];
  private readonly rows = new Map<string, number>();
  private rule: number | undefined;
  private width = NARROWEST - 2 * SIDE;
  private y = TOP;
  /** The height at which the value leaves the card. */
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
      const width = widthOf(text, FACES.pill) + 29;
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

  /** Writes a parameter or an argument. */
  row(name: string, { text, note, isPort = false }: CardRow): void {
    if (this.rows.size === 0) {
      this.rule = this.y + 3;
      this.y += 10;
    }
    const style = name === ARGUMENTS ? 'quiet' : 'row';
    const [firstLine = '', ...more] = this.fitted(text, style, ROW_LINES);
    const y = this.y + 7;
    this.rows.set(name, y);
    if (isPort) this.ports.push(y);
    this.write([firstLine, ...more], style, 17);
    if (note !== '') this.noteBeside(note, y, more.length > 0 ? '' : firstLine);
    this.y += 4;
  }

  /** Writes a note next to the text if there is room, otherwise below. */
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
    return fitText(showable(text), { face: FACES[style], width: WIDEST_TEXT, lines });
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
