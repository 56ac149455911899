/** Gives each box a column. */
import { largest } from './boxes.js';
import type { Box, Graph, Wire } from './boxes.js';

/** The column of each box, counted from the left without gaps. */
export function columnsOf({ boxes, wires }: Graph): number[] {
  const before = grouped(wires, ({ to }) => to);
  const after = grouped(wires, ({ from }) => from);
  const columns = leftmost(boxes, before);
  const ends = endsOfPhases(boxes, columns);
  // A box that needs nothing stands next to the first one that uses it, unless its phase forbids.
  for (let index = boxes.length - 1; index >= 0; index -= 1) {
    const uses = after.get(index) ?? [];
    if (before.has(index) || uses.length === 0) continue;
    const end = ends.get(boxes[index]?.phase ?? 0) ?? 0;
    const next = uses.reduce((least, { to }) => Math.min(least, (columns[to] ?? 0) - 1), end);
    columns[index] = Math.max(columns[index] ?? 0, next);
  }
  return withoutGaps(columns);
}

function leftmost(boxes: readonly Box[], before: ReadonlyMap<number, readonly Wire[]>): number[] {
  const columns: number[] = [];
  let phase = boxes[0]?.phase ?? 0;
  let start = 0;
  for (const [index, box] of boxes.entries()) {
    if (box.phase > phase) {
      phase = box.phase;
      start = largest(columns, -1) + 1;
    }
    const needs = (before.get(index) ?? []).map(({ from }) => (columns[from] ?? 0) + 1);
    columns.push(largest(needs, start));
  }
  return columns;
}

/** The last column of each phase. */
function endsOfPhases(boxes: readonly Box[], columns: readonly number[]): Map<number, number> {
  const ends = new Map<number, number>();
  for (const [index, { phase }] of boxes.entries()) {
    ends.set(phase, Math.max(ends.get(phase) ?? 0, columns[index] ?? 0));
  }
  return ends;
}

function withoutGaps(columns: readonly number[]): number[] {
  const used = [...new Set(columns)].sort((a, b) => a - b);
  const places = new Map(used.map((column, place) => [column, place]));
  return columns.map((column) => places.get(column) ?? 0);
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
