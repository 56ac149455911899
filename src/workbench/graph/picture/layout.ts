/**
 * Lays a graph out in columns, from left to right: what is needed stands to the left of what needs
 * it. Knows boxes with sizes and wires between them, and nothing of what they mean.
 *
 * ```
 * columns   every box as far left as its needs allow, sources next to who uses them
 * slots     a wire that passes a column has a place of its own in it, between the boxes
 * order     slots move next to their neighbours, as long as that takes crossings away
 * places    slots move to where their wires are straight, as far as their order allows
 * ```
 *
 * Two boxes never overlap, and no wire crosses a box.
 */
import { largest } from './boxes.js';
import type { Graph } from './boxes.js';
import { columnsOf } from './columns.js';
import { order } from './order.js';
import { place } from './place.js';
import { slotsOf } from './slots.js';
import type { Slot } from './slots.js';

/** Where something is. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A wire passes a column on one height. */
export interface Pass {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** The way of a wire: from its box, past columns, to its box. */
export interface Route {
  readonly start: { readonly x: number; readonly y: number };
  readonly passes: readonly Pass[];
  readonly end: { readonly x: number; readonly y: number };
}

/** A graph, laid out. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** In the order of the boxes. */
  readonly areas: readonly Area[];
  /** In the order of the wires. */
  readonly routes: readonly Route[];
}

/** Lays out a graph. */
export function layOut(graph: Graph): Layout {
  const columnOf = columnsOf(graph);
  const slots = slotsOf(graph, columnOf);
  order(slots.columns);
  place(slots.columns);
  const xs = columnEdges(slots.columns);
  const edges = (column: number): Edges => xs[column] ?? NO_EDGES;
  const areas = slots.ofBoxes.map((slot) => areaOf(slot, edges(slot.column)));
  const routes = graph.wires.map((wire, index): Route => {
    const from = areas[wire.from] ?? NOWHERE;
    const to = areas[wire.to] ?? NOWHERE;
    return {
      start: { x: from.x + from.width, y: from.y + wire.fromOffset },
      passes: (slots.ofWires[index] ?? []).map(({ column, y, height }) => {
        return { ...edges(column), y: y + height / 2 };
      }),
      end: { x: to.x, y: to.y + wire.toOffset },
    };
  });
  const bottoms = slots.columns.flat().map(({ y, height }) => y + height);
  return { width: xs.at(-1)?.right ?? 0, height: largest(bottoms), areas, routes };
}

interface Edges {
  readonly left: number;
  readonly right: number;
}

const NO_EDGES: Edges = { left: 0, right: 0 };
const NOWHERE: Area = { x: 0, y: 0, width: 0, height: 0 };

const LEAST_GAP = 48;
const MOST_GAP = 110;
const GAP_PER_WIRE = 4;

/** As wide as their widest boxes, with more room between them where there are more wires. */
function columnEdges(columns: readonly (readonly Slot[])[]): Edges[] {
  const edges: Edges[] = [];
  let left = 0;
  for (const column of columns) {
    const right = left + largest(column.map(({ width }) => width));
    edges.push({ left, right });
    const wires = column.reduce((sum, { after }) => sum + after.length, 0);
    left = right + Math.min(MOST_GAP, LEAST_GAP + wires * GAP_PER_WIRE);
  }
  return edges;
}

/** Boxes of one column have one width. */
function areaOf({ y, height }: Slot, { left, right }: Edges): Area {
  return { x: left, y, width: right - left, height };
}
