/** The order records. A real server reads them from a database. */
import { ToolError } from 'mcp-resolve';

export interface Line {
  sku: string;
  cents: number;
  physical: boolean;
}

export interface Order {
  lines: Line[];
}

const orders: ReadonlyMap<string, Order> = new Map([
  ['ORD-7001', { lines: [{ sku: 'ebook-fieldnotes', cents: 1500, physical: false }] }],
  [
    'ORD-7002',
    {
      lines: [
        { sku: 'enamel-mug', cents: 1800, physical: true },
        { sku: 'canvas-tote', cents: 2400, physical: true },
        { sku: 'sticker-pack', cents: 600, physical: false },
      ],
    },
  ],
]);

export function findOrder(id: string): Order {
  const order = orders.get(id);
  if (order === undefined) throw new ToolError(`unknown order '${id}'`);
  return order;
}

/** Returns the lines to refund. The user typed the SKU, so it may not be in the order. */
export function linesOf(order: Order, scope: { full: boolean; sku: string }): Line[] {
  if (scope.full) return order.lines;
  const lines = order.lines.filter((line) => line.sku === scope.sku);
  if (lines.length === 0) throw new ToolError(`order has no item '${scope.sku}'`);
  return lines;
}

export function skus(lines: Line[]): string {
  return lines.map((line) => line.sku).join(', ');
}
