/** How the cost of a confirm flow grows with how many of them are open at the same time. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { confirmFlow, idiomatic, ours } from '../cases/confirm.js';
import { inFlight, sender } from '../cases/modern.js';
import type { Bench } from '../goal.js';
import type { Chart } from '../measure/chart.js';
import { repeating } from '../measure/compare.js';
import { each, linesOf, type Line } from './lines.js';

const SIZES = [1, 4, 16, 64, 250, 1000];

const confirming = (factory: McpServerFactory): Line['way'] => {
  const send = sender(factory);
  return (count) => repeating('flows', () => inFlight(count, count, () => confirmFlow(send)));
};

/** As many first rounds at once, and then the second ones. */
export async function flowsGrowth(bench: Bench): Promise<Chart> {
  const lines = [
    { name: 'mcp-resolve', way: confirming(ours) },
    { name: 'SDK idiom', way: confirming(idiomatic) },
  ];
  const series = (await linesOf(lines, bench.quick ? SIZES.slice(0, -1) : SIZES, bench)).map(each);
  const title = 'A confirm flow, by how many are open';
  return { title, x: 'flows at the same time', y: 'µs a flow', series };
}
