/**
 * Breaks the columns of a layout into lines and sets the place of each slot. A wire to the next
 * line turns: it leaves on the right, runs back between the lines and arrives from the left.
 *
 * ```
 * ┌───┐   ┌───┐
 * │ a ├──►│ b ├─┐
 * └───┘   └───┘ │
 * ┌─────────────┘
 * │ ┌───┐
 * └►│ c │
 *   └───┘
 * ```
 *
 * Wires that leave in the same order as they arrive do not cross: of two wires, the upper one turns
 * outside of the lower one on the right and inside of it on the left.
 */
import { largest } from './slots.js';
import type { Columns, Slot } from './slots.js';

/** The upper and lower edge of a line. */
export interface Line {
  readonly top: number;
  readonly bottom: number;
}

/** The way of a wire to the next line: down at `right`, back at the height `y`, down at `left`. */
export interface Turn {
  readonly right: number;
  readonly y: number;
  readonly left: number;
}

/** The turns by slot, and by the height at which the wire leaves the slot. */
export type Turns = ReadonlyMap<Slot, ReadonlyMap<number, Turn>>;

/** Columns in their places. */
export interface Places {
  readonly width: number;
  readonly lines: readonly Line[];
  readonly turns: Turns;
}

/** The space on both sides of several lines, in which wires turn. */
const GUTTER = 44;
/** The distances of wires from the columns, and of wires from each other. */
const CLEAR = 14;
const TRACK = 6;
/** The space between two lines, above and below the wires. */
const BELOW_LINE = 26;
const ABOVE_LINE = 36;

/**
 * Sets the place of each slot, and its width to the width of its column. The slots have heights on
 * their lines.
 */
export function setPlaces(broken: readonly Columns[]): Places {
  const gutter = broken.length > 1 ? GUTTER : 0;
  const turns = new Map<Slot, ReadonlyMap<number, Turn>>();
  const lines: Line[] = [];
  let top = 0;
  let right = 0;
  for (const line of broken) {
    const edge = setColumnEdges(line, gutter);
    const bottom = moveDown(top, line.flat());
    lines.push({ top, bottom });
    right = Math.max(right, edge);
    const leaving = line === broken.at(-1) ? [] : exitsOf(line.at(-1) ?? []);
    setTurns(turns, leaving, { bottom, left: gutter, right: edge });
    top = bottom + BELOW_LINE + leaving.length * TRACK + ABOVE_LINE;
  }
  return { width: right + gutter, lines, turns };
}

/** Breaks columns into lines that fit, as few as possible and then as even as possible. */
export function brokenInto(columns: Columns, maxWidth: number): Columns[] {
  if (widthOf(columns) <= maxWidth) return [columns];
  let room = maxWidth - 2 * GUTTER;
  let lines = fillLines(columns, room);
  for (;;) {
    room -= STEP;
    const narrower = fillLines(columns, room);
    if (room <= 0 || narrower.length > lines.length) return lines;
    lines = narrower;
  }
}

const STEP = 8;

/** Fills lines with columns, from left to right. */
function fillLines(columns: Columns, room: number): Columns[] {
  const lines: Columns[] = [];
  for (const column of columns) {
    const longer = [...(lines.at(-1) ?? []), column];
    if (lines.length > 0 && widthOf(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push([column]);
  }
  return lines;
}

function widthOf(columns: Columns): number {
  return columns.reduce((sum, column, index) => {
    return sum + columnWidth(column) + (index < columns.length - 1 ? gapAfter(column) : 0);
  }, 0);
}

const LEAST_GAP = 44;
const MOST_GAP = 100;
const GAP_PER_WIRE = 4;

/** Returns the space after a column, which is wider for more wires. */
function gapAfter(column: readonly Slot[]): number {
  const wires = column.reduce((sum, { after }) => sum + after.length, 0);
  return Math.min(MOST_GAP, LEAST_GAP + wires * GAP_PER_WIRE);
}

function columnWidth(column: readonly Slot[]): number {
  return largest(column.map(({ width }) => width));
}

/** Makes each column as wide as its widest box. Returns the right edge of the line. */
function setColumnEdges(line: Columns, start: number): number {
  let left = start;
  let right = start;
  for (const column of line) {
    const width = columnWidth(column);
    for (const slot of column) {
      slot.x = left;
      slot.width = width;
    }
    right = left + width;
    left = right + gapAfter(column);
  }
  return right;
}

/** Moves the slots of a line. Returns their lowest edge. */
function moveDown(top: number, slots: readonly Slot[]): number {
  for (const slot of slots) slot.y += top;
  return largest(slots.map(({ y, height }) => y + height));
}

/** A point at which wires leave a line. */
interface Leaving {
  readonly slot: Slot;
  readonly offset: number;
}

/** Returns the points at which wires leave a column, from top to bottom. */
function exitsOf(column: readonly Slot[]): Leaving[] {
  return column
    .flatMap((slot) =>
      [...new Set(slot.after.map(({ ownOffset }) => ownOffset))].map((offset) => ({
        slot,
        offset,
      })),
    )
    .sort((a, b) => a.slot.y + a.offset - (b.slot.y + b.offset));
}

/** The edges of a line around which wires turn. */
interface Edges {
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

function setTurns(
  turns: Map<Slot, ReadonlyMap<number, Turn>>,
  leaving: readonly Leaving[],
  { bottom, left, right }: Edges,
): void {
  const last = leaving.length - 1;
  // Many wires are closer together, because the gutter has a fixed width.
  const track = Math.min(TRACK, (GUTTER - CLEAR) / leaving.length);
  for (const [rank, { slot, offset }] of leaving.entries()) {
    const turn = {
      right: right + CLEAR + (last - rank) * track,
      y: bottom + BELOW_LINE + (last - rank) * TRACK,
      left: left - CLEAR - rank * track,
    };
    turns.set(slot, new Map([...(turns.get(slot) ?? []), [offset, turn]]));
  }
}
