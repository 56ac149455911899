/**
 * Orders the slots of each column so that few wires cross: each one moves to the mean of its
 * neighbours, column by column, there and back, and then changes places with the next one where
 * that helps. What crosses least is kept.
 */
import type { Joint, Slot } from './slots.js';

type Columns = Slot[][];

const SWEEPS = 24;

/** Orders the slots of all columns, in place. */
export function order(columns: Columns): void {
  const given = copyOf(columns);
  const starts = [given, given.map((column) => [...column].reverse())];
  const tries = starts.map(bestFrom);
  const best = tries.reduce((one, other) => (other.crossings < one.crossings ? other : one));
  for (const [index, column] of best.columns.entries()) columns[index] = column;
}

interface Try {
  readonly columns: Columns;
  readonly crossings: number;
}

/** The best order that the sweeps find from a given one. */
function bestFrom(start: Columns): Try {
  const columns = copyOf(start);
  let best: Try = { columns: start, crossings: crossings(start) };
  for (let sweep = 0; sweep < SWEEPS && best.crossings > 0; sweep += 1) {
    const forth = sweep % 2 === 0;
    const inTurn = forth ? columns : [...columns].reverse();
    for (const column of inTurn) arrange(column, columns, forth ? 'before' : 'after');
    for (const column of inTurn) exchange(column, columns);
    const count = crossings(columns);
    if (count < best.crossings) best = { columns: copyOf(columns), crossings: count };
  }
  return best;
}

function copyOf(columns: Columns): Columns {
  return columns.map((column) => [...column]);
}

type Side = 'before' | 'after';

function arrange(column: Slot[], columns: Columns, side: Side): void {
  const neighbours = columns[(column[0]?.column ?? 0) + (side === 'before' ? -1 : 1)] ?? [];
  const places = placesIn(neighbours);
  const wanted = new Map(
    column.map((slot, index) => {
      const towards = slot[side].map((joint) => placeOf(joint, places));
      const mean = towards.reduce((sum, place) => sum + place, 0) / towards.length;
      return [slot, towards.length === 0 ? scaled(index, column, neighbours) : mean];
    }),
  );
  column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
}

/** A slot without neighbours on this side stays about where it is. */
function scaled(index: number, column: readonly Slot[], neighbours: readonly Slot[]): number {
  return ((index + 0.5) / column.length) * neighbours.length;
}

/** Exchanges neighbours in a column wherever fewer of their wires cross then. */
function exchange(column: Slot[], columns: Columns): void {
  const number = column[0]?.column ?? 0;
  const before = placesIn(columns[number - 1] ?? []);
  const after = placesIn(columns[number + 1] ?? []);
  const crossed = (upper: Slot, lower: Slot): number =>
    pairsCrossed(upper.before, lower.before, before) +
    pairsCrossed(upper.after, lower.after, after);
  for (let index = 0; index + 1 < column.length; index += 1) {
    const upper = column[index];
    const lower = column[index + 1];
    if (upper === undefined || lower === undefined) continue;
    if (crossed(lower, upper) < crossed(upper, lower)) column.splice(index, 2, lower, upper);
  }
}

/** How many of the wires of two slots cross, if one stands above the other. */
function pairsCrossed(
  upper: readonly Joint[],
  lower: readonly Joint[],
  places: ReadonlyMap<Slot, number>,
): number {
  const lowerPlaces = lower.map((joint) => placeOf(joint, places));
  return upper.reduce((sum, joint) => {
    const place = placeOf(joint, places);
    return sum + lowerPlaces.filter((other) => other < place).length;
  }, 0);
}

function placesIn(column: readonly Slot[]): ReadonlyMap<Slot, number> {
  return new Map(column.map((slot, index) => [slot, index]));
}

/** Where a wire ends: the number of its slot, and how far down in it. */
function placeOf({ slot, otherOffset }: Joint, places: ReadonlyMap<Slot, number>): number {
  return (places.get(slot) ?? 0) + otherOffset / (slot.height + 1);
}

/** How often wires cross between neighbouring columns. */
function crossings(columns: Columns): number {
  return columns.reduce((sum, column, index) => {
    const places = placesIn(columns[index + 1] ?? []);
    const ends = column.flatMap(({ after }) =>
      [...after]
        .sort((a, b) => a.ownOffset - b.ownOffset)
        .map((joint) => ({ from: joint.ownOffset, to: placeOf(joint, places) })),
    );
    return sum + inversions(ends.map(({ to }) => to));
  }, 0);
}

/** How many pairs of a list stand the wrong way round; counted while merging. */
function inversions(list: readonly number[]): number {
  if (list.length < 2) return 0;
  const middle = Math.floor(list.length / 2);
  const left = list.slice(0, middle);
  const right = list.slice(middle);
  let count = inversions(left) + inversions(right);
  left.sort((a, b) => a - b);
  right.sort((a, b) => a - b);
  let smaller = 0;
  for (const value of left) {
    while (smaller < right.length && (right[smaller] ?? 0) < value) smaller += 1;
    count += smaller;
  }
  return count;
}
