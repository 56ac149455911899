/**
 * Lays out a graph in columns, from left to right. Each box is to the right of all boxes that it
 * needs. The layout knows boxes with sizes and wires between them, but not their meaning.
 *
 * ```
 * columns   each box as far left as its needs allow, a source next to its first user
 * slots     a wire that passes a column has its own slot there, between the boxes
 * order     slots move next to their neighbours as long as that removes crossings
 * heights   slots move to where their wires are straight, as far as their order allows
 * ```
 *
 * Two boxes never overlap, no wire crosses a box, and the same graph always has the same layout.
 * Wires start and end at given heights of a box. Wires from one point share a line until they
 * part.
 */

/** A box to place. */
export interface Box {
  readonly width: number;
  readonly height: number;
  /** Boxes of a later phase are to the right of all boxes of an earlier phase. */
  readonly phase: number;
}

/** A wire between two boxes, given by their indices. Offsets count from a box's upper edge. */
export interface Wire {
  readonly from: number;
  readonly fromOffset: number;
  readonly to: number;
  readonly toOffset: number;
}

/** The input of a layout. Boxes are sorted by phase, and wires lead to boxes later in the array. */
export interface Graph {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

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
}

/** A graph with positions. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The areas, in the order of the boxes. Boxes of the same column have the same width. */
  readonly areas: readonly Area[];
  /** The routes, in the order of the wires. */
  readonly routes: readonly Route[];
}

/** Lays out a graph. */
export function layOut(graph: Graph): Layout {
  const slots = slotsOf(graph, columnPositions(graph));
  const columns = withFewCrossings(slots.columns);
  setHeights(columns);
  setColumnEdges(columns);
  const all = columns.flat();
  return {
    width: largest(all.map(({ x, width }) => x + width)),
    height: largest(all.map(({ y, height }) => y + height)),
    areas: slots.boxes.map(({ x, y, width, height }) => ({ x, y, width, height })),
    routes: slots.paths.map(routeOf),
  };
}

function routeOf({ wire, from, passed, to }: Path): Route {
  return {
    start: { x: from.x + from.width, y: from.y + wire.fromOffset },
    passes: passed.map(({ x, y, width, height }) => {
      return { left: x, right: x + width, y: y + height / 2 };
    }),
    end: { x: to.x, y: to.y + wire.toOffset },
  };
}

/** Returns the largest number, but at least `least`. */
export function largest(numbers: readonly number[], least = 0): number {
  return numbers.reduce((one, other) => (other > one ? other : one), least);
}

/** Returns the column of each box, counted from the left without gaps. */
function columnPositions({ boxes, wires }: Graph): number[] {
  const incoming = grouped(wires, ({ to }) => to);
  const outgoing = grouped(wires, ({ from }) => from);
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

function grouped(wires: readonly Wire[], by: (wire: Wire) => number): Map<number, Wire[]> {
  const groups = new Map<number, Wire[]>();
  for (const wire of wires) {
    const group = groups.get(by(wire));
    if (group === undefined) groups.set(by(wire), [wire]);
    else group.push(wire);
  }
  return groups;
}

/** A place in a column, for a box or for wires that pass the column. */
interface Slot {
  readonly isBox: boolean;
  readonly height: number;
  /** The width of the box, and at the end the width of the column. */
  width: number;
  readonly before: Joint[];
  readonly after: Joint[];
  /** The position of the slot in its column, counted from the top. */
  rank: number;
  x: number;
  y: number;
}

/** One end of a piece of wire between two neighbouring columns. */
interface Joint {
  /** The slot at the other end. */
  readonly slot: Slot;
  readonly ownOffset: number;
  readonly otherOffset: number;
}

/** The slots that a wire connects and passes. */
interface Path {
  readonly wire: Wire;
  readonly from: Slot;
  readonly passed: readonly Slot[];
  readonly to: Slot;
}

type Columns = readonly (readonly Slot[])[];

interface Slots {
  readonly columns: Columns;
  /** The slots of the boxes, in the order of the boxes. */
  readonly boxes: readonly Slot[];
  /** The paths, in the order of the wires. */
  readonly paths: readonly Path[];
}

/** The height of a slot for wires. */
const PASSAGE = 8;

/** Creates the slots of all columns, in the order of the boxes and wires, and joins them. */
function slotsOf(graph: Graph, columnOf: readonly number[]): Slots {
  const boxes = graph.boxes.map((box) => newSlot({ ...box, isBox: true }));
  const columns: Slot[][] = Array.from({ length: largest(columnOf, -1) + 1 }, () => []);
  for (const [index, slot] of boxes.entries()) columns[columnOf[index] ?? 0]?.push(slot);
  // The slots that earlier wires from the same point pass, one for each column.
  const trunks = new Map<string, Slot[]>();
  const paths = graph.wires.flatMap((wire): Path[] => {
    const from = boxes[wire.from];
    const to = boxes[wire.to];
    if (from === undefined || to === undefined) return [];
    const point = `${wire.from}:${wire.fromOffset}`;
    const trunk = trunks.get(point) ?? [];
    trunks.set(point, trunk);
    const between = columns.slice((columnOf[wire.from] ?? 0) + 1, columnOf[wire.to]);
    for (const column of between.slice(trunk.length)) {
      const slot = newSlot({ isBox: false, width: 0, height: PASSAGE });
      join(lastOf(trunk, from, wire), { slot, offset: PASSAGE / 2 });
      column.push(slot);
      trunk.push(slot);
    }
    const passed = trunk.slice(0, between.length);
    join(lastOf(passed, from, wire), { slot: to, offset: wire.toOffset });
    return [{ wire, from, passed, to }];
  });
  return { columns, boxes, paths };
}

interface WireEnd {
  readonly slot: Slot;
  readonly offset: number;
}

/** Returns the end from which a wire continues after the slots it has passed. */
function lastOf(passed: readonly Slot[], from: Slot, { fromOffset }: Wire): WireEnd {
  const slot = passed.at(-1);
  return slot === undefined ? { slot: from, offset: fromOffset } : { slot, offset: PASSAGE / 2 };
}

function join(from: WireEnd, to: WireEnd): void {
  from.slot.after.push({ slot: to.slot, ownOffset: from.offset, otherOffset: to.offset });
  to.slot.before.push({ slot: from.slot, ownOffset: to.offset, otherOffset: from.offset });
}

function newSlot({ isBox, width, height }: Pick<Slot, 'isBox' | 'width' | 'height'>): Slot {
  return { isBox, width, height, before: [], after: [], rank: 0, x: 0, y: 0 };
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
      sortedBy(forth ? 'before' : 'after', column),
    );
    columns = inTurn(sorted.map(exchanged), forth);
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
function sortedBy(side: 'before' | 'after', column: readonly Slot[]): Slot[] {
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
function exchanged(column: readonly Slot[]): Slot[] {
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

/** Sets the height of each slot on the page. The highest slot is at 0. */
function setHeights(columns: Columns): void {
  for (const column of columns) spread(column, () => 0);
  const sweeps = sweepsFor(columns, { least: 8, most: 40, steps: 40_000 });
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const column of inTurn(columns, sweep % 2 === 0)) spread(column, straightest);
  }
  const all = columns.flat();
  const top = all.reduce((least, { y }) => Math.min(least, y), Infinity);
  for (const slot of all) slot.y = Math.round(slot.y - top);
}

/**
 * Returns the height at which a slot's wires are straight on average. Long wires count more. A box
 * aligns its middle with the middles of its neighbours. Its value leaves above its needs, so
 * straight wires would make every chain climb.
 */
function straightest(slot: Slot): number {
  let pull = 0;
  let weights = 0;
  for (const joint of [...slot.before, ...slot.after]) {
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
  const offsets = stacked(column);
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
function stacked(column: readonly Slot[]): number[] {
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

const LEAST_GAP = 48;
const MOST_GAP = 110;
const GAP_PER_WIRE = 4;

/** Makes each column as wide as its widest box. Gaps with more wires are wider. */
function setColumnEdges(columns: Columns): void {
  let left = 0;
  for (const column of columns) {
    const width = largest(column.map((slot) => slot.width));
    for (const slot of column) {
      slot.x = left;
      slot.width = width;
    }
    const wires = column.reduce((sum, { after }) => sum + after.length, 0);
    left += width + Math.min(MOST_GAP, LEAST_GAP + wires * GAP_PER_WIRE);
  }
}
