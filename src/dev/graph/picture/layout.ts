/**
 * Lays out a graph in columns, from left to right. Each box is to the right of all boxes that it
 * needs, or on a later line if the columns do not fit on one. The layout knows boxes with sizes and
 * wires between them, but not their meaning.
 *
 * ```
 * columns   each box as far left as its needs allow, a source next to its first user
 * slots     a wire that passes a column has its own slot there, between the boxes
 * order     slots move next to their neighbours as long as that removes crossings
 * lines     columns that exceed the width continue on the next line, as text does
 * heights   slots move to where their wires are straight, as far as their order allows
 * ```
 *
 * Two boxes never overlap, no wire crosses a box, and the same graph always has the same layout.
 * Wires start and end at given heights of a box. Wires from one point share a line until they
 * part.
 */

import { brokenInto, setPlaces } from './lines.js';
import type { Line, Turn, Turns } from './lines.js';
import { largest, PASSAGE, slotsOf } from './slots.js';
import type { Box, Columns, Graph, Joint, Path, Slot, Wire } from './slots.js';

/** A rectangle on the page. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The level part of a wire, past one column. */
export interface Pass {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** The path of a wire from one box to another, past the columns between them. */
export interface Route {
  readonly start: { readonly x: number; readonly y: number };
  readonly passes: readonly Pass[];
  readonly end: { readonly x: number; readonly y: number };
  /** The way to each pass and to the end, if it leads to the next line. */
  readonly turns: readonly (Turn | undefined)[];
}

/** A graph with positions. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The lines, from top to bottom. */
  readonly lines: readonly Line[];
  /** The areas, in the order of the boxes. Boxes of the same column have the same width. */
  readonly areas: readonly Area[];
  /** The routes, in the order of the wires. */
  readonly routes: readonly Route[];
}

/** Lays out a graph. The layout is wider than `maxWidth` only if a single column is. */
export function layOut(graph: Graph, maxWidth = Infinity): Layout {
  const slots = slotsOf(graph, columnPositions(graph));
  const columns = withFewCrossings(slots.columns);
  const broken = brokenInto(columns, maxWidth);
  broken.forEach(setHeights);
  const { width, lines, turns } = setPlaces(broken);
  return {
    width,
    height: largest(lines.map(({ bottom }) => bottom)),
    lines,
    areas: slots.boxes.map(({ x, y, width, height }) => ({ x, y, width, height })),
    routes: slots.paths.map((path) => routeOf(path, turns)),
  };
}

function routeOf({ wire, from, passed, to }: Path, turnsAt: Turns): Route {
  return {
    start: { x: from.x + from.width, y: from.y + wire.fromOffset },
    passes: passed.map(({ x, y, width, height }) => {
      return { left: x, right: x + width, y: y + height / 2 };
    }),
    end: { x: to.x, y: to.y + wire.toOffset },
    turns: [
      turnsAt.get(from)?.get(wire.fromOffset),
      ...passed.map((slot) => turnsAt.get(slot)?.get(PASSAGE / 2)),
    ],
  };
}

/** Returns the column of each box, counted from the left without gaps. */
function columnPositions({ boxes, wires }: Graph): number[] {
  const incoming = groupWires(wires, ({ to }) => to);
  const outgoing = groupWires(wires, ({ from }) => from);
  const columns = leftmost(boxes, incoming);
  const ends = new Map<number, number>();
  for (const [index, { phase }] of boxes.entries()) {
    ends.set(phase, Math.max(ends.get(phase) ?? 0, columns[index] ?? 0));
  }
  // A box without needs moves next to its first user, but stays in its phase.
  for (const [index, { phase }] of [...boxes.entries()].reverse()) {
    const users = outgoing.get(index);
    if (incoming.has(index) || users === undefined) continue;
    const end = ends.get(phase) ?? 0;
    const next = users.reduce((least, { to }) => Math.min(least, (columns[to] ?? 0) - 1), end);
    columns[index] = Math.max(columns[index] ?? 0, next);
  }
  const used = [...new Set(columns)].sort((a, b) => a - b);
  const places = new Map(used.map((column, place) => [column, place]));
  return columns.map((column) => places.get(column) ?? 0);
}

function leftmost(boxes: readonly Box[], incoming: ReadonlyMap<number, Wire[]>): number[] {
  const columns: number[] = [];
  let phase = -Infinity;
  let start = 0;
  for (const [index, box] of boxes.entries()) {
    if (box.phase > phase) {
      phase = box.phase;
      start = largest(columns, -1) + 1;
    }
    const needs = (incoming.get(index) ?? []).map(({ from }) => (columns[from] ?? 0) + 1);
    columns.push(largest(needs, start));
  }
  return columns;
}

function groupWires(wires: readonly Wire[], by: (wire: Wire) => number): Map<number, Wire[]> {
  const groups = new Map<number, Wire[]>();
  for (const wire of wires) {
    const group = groups.get(by(wire));
    if (group === undefined) groups.set(by(wire), [wire]);
    else group.push(wire);
  }
  return groups;
}

/**
 * Returns the columns in an order with few crossings. Tries two starts and takes the better result.
 */
function withFewCrossings(columns: Columns): Columns {
  const one = bestOrderFrom(columns);
  const other = bestOrderFrom(columns.map((column) => [...column].reverse()));
  return (other.crossings < one.crossings ? other : one).columns;
}

interface Order {
  readonly columns: Columns;
  readonly crossings: number;
}

/** Sweeps over the columns forwards and backwards, and returns the best order found. */
function bestOrderFrom(start: Columns): Order {
  let columns = start;
  columns.forEach(setRanks);
  let best: Order = { columns, crossings: crossingsOf(columns) };
  const sweeps = sweepsFor(columns, { least: 4, most: 24, steps: 20_000 });
  for (let sweep = 0; sweep < sweeps && best.crossings > 0; sweep += 1) {
    const forth = sweep % 2 === 0;
    const sorted = inTurn(columns, forth).map((column) =>
      sortBy(forth ? 'before' : 'after', column),
    );
    columns = inTurn(sorted.map(exchangeNeighbours), forth);
    const crossings = crossingsOf(columns);
    if (crossings < best.crossings) best = { columns, crossings };
  }
  return best;
}

/** Returns the number of sweeps, which is lower if there are many slots. */
function sweepsFor(
  columns: Columns,
  { least, most, steps }: Readonly<Record<'least' | 'most' | 'steps', number>>,
): number {
  return Math.max(least, Math.min(most, steps / (columns.flat().length + 1)));
}

function inTurn(columns: Columns, forth: boolean): Columns {
  return forth ? columns : [...columns].reverse();
}

function setRanks(column: readonly Slot[]): void {
  for (const [rank, slot] of column.entries()) slot.rank = rank;
}

/**
 * Sorts a column by the mean position of each slot's neighbours on one side. A slot without
 * neighbours keeps its rank as its position.
 */
function sortBy(side: 'before' | 'after', column: readonly Slot[]): Slot[] {
  const wanted = new Map(
    column.map((slot) => {
      const sum = slot[side].reduce((total, joint) => total + placeOf(joint), 0);
      return [slot, slot[side].length === 0 ? slot.rank : sum / slot[side].length];
    }),
  );
  const sorted = [...column].sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  setRanks(sorted);
  return sorted;
}

/** Swaps neighbours in a column where that removes crossings. */
function exchangeNeighbours(column: readonly Slot[]): Slot[] {
  const slots = [...column];
  for (let index = 0; index + 1 < slots.length; index += 1) {
    const [upper, lower] = slots.slice(index, index + 2);
    if (upper === undefined || lower === undefined) continue;
    if (crossingsIf(lower, upper) < crossingsIf(upper, lower)) slots.splice(index, 2, lower, upper);
  }
  setRanks(slots);
  return slots;
}

/** Counts the crossings of two slots' wires if the first slot is above the second. */
function crossingsIf(upper: Slot, lower: Slot): number {
  return pairsCrossed(upper.before, lower.before) + pairsCrossed(upper.after, lower.after);
}

function pairsCrossed(upper: readonly Joint[], lower: readonly Joint[]): number {
  let count = 0;
  for (const joint of upper) {
    const place = placeOf(joint);
    for (const other of lower) if (placeOf(other) < place) count += 1;
  }
  return count;
}

/** Returns the position of the other end in its column: the rank of its slot plus a fraction. */
function placeOf({ slot, otherOffset }: Joint): number {
  return slot.rank + otherOffset / (slot.height + 1);
}

/** Counts the crossings between neighbouring columns. */
function crossingsOf(columns: Columns): number {
  return columns.reduce((sum, column) => {
    const ends = column.flatMap(({ after }) =>
      [...after].sort((a, b) => a.ownOffset - b.ownOffset).map(placeOf),
    );
    return sum + inversions(ends);
  }, 0);
}

/** Counts the pairs of numbers in the wrong order. */
function inversions(numbers: readonly number[]): number {
  const sorted: number[] = [];
  let count = 0;
  for (const number of numbers) {
    const place = sorted.findLastIndex((other) => other <= number) + 1;
    count += sorted.length - place;
    sorted.splice(place, 0, number);
  }
  return count;
}

/** Sets the height of each slot on its line. The highest slot is at 0. */
function setHeights(columns: Columns): void {
  const all = columns.flat();
  const line: ReadonlySet<Slot> = new Set(all);
  for (const column of columns) spread(column, () => 0);
  const sweeps = sweepsFor(columns, { least: 8, most: 40, steps: 40_000 });
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const column of inTurn(columns, sweep % 2 === 0))
      spread(column, (slot) => straightest(slot, line));
  }
  const top = all.reduce((least, { y }) => Math.min(least, y), Infinity);
  for (const slot of all) slot.y = Math.round(slot.y - top);
}

/**
 * Returns the height at which a slot's wires on its line are straight on average. Long wires count
 * more. A box aligns its middle with the middles of its neighbours. Its value leaves above its
 * needs, so straight wires would make every chain climb.
 */
function straightest(slot: Slot, line: ReadonlySet<Slot>): number {
  let pull = 0;
  let weights = 0;
  for (const joint of [...slot.before, ...slot.after]) {
    if (!line.has(joint.slot)) {
      // Keeps what only passes the line near its middle, which is at 0.
      pull -= slot.height / 2;
      weights += 1;
      continue;
    }
    const straight = slot.isBox
      ? joint.slot.y + (joint.slot.height - slot.height) / 2
      : joint.slot.y + joint.otherOffset - joint.ownOffset;
    const weight = slot.isBox || joint.slot.isBox ? 1 : 4;
    pull += straight * weight;
    weights += weight;
  }
  return weights === 0 ? slot.y : pull / weights;
}

/** Slots that touch. The mean is the best height for all of them together. */
interface Block {
  readonly count: number;
  readonly sum: number;
}

/**
 * Moves the slots of a column as near to their wanted heights as possible (least squares). Keeps
 * their order and prevents overlaps. Slots that would overlap become one block.
 */
function spread(column: readonly Slot[], wanted: (slot: Slot) => number): void {
  const offsets = stackSlots(column);
  const blocks: Block[] = [];
  for (const [index, slot] of column.entries()) {
    let block: Block = { sum: wanted(slot) - (offsets[index] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break;
      blocks.pop();
      block = { sum: last.sum + block.sum, count: last.count + block.count };
    }
    blocks.push(block);
  }
  const heights = blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  for (const [index, slot] of column.entries()) {
    slot.y = (heights[index] ?? 0) + (offsets[index] ?? 0);
  }
}

/** Returns the upper edge of each slot in a packed column. */
function stackSlots(column: readonly Slot[]): number[] {
  let bottom = 0;
  return column.map((slot, index) => {
    const above = column[index - 1];
    const top = above === undefined ? 0 : bottom + gapBetween(above, slot);
    bottom = top + slot.height;
    return top;
  });
}

function gapBetween(above: Slot, below: Slot): number {
  if (above.isBox && below.isBox) return 28;
  return above.isBox || below.isBox ? 16 : 6;
}
