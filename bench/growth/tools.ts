/** How the cost of a call grows with the number of tools that its server has. */
import type { McpServerFactory } from '@modelcontextprotocol/server';

import { sender } from '../cases/modern.js';
import { callLast, registering, resolving } from '../cases/tools.js';
import type { Bench } from '../goal.js';
import type { Chart } from '../measure/chart.js';
import { repeating } from '../measure/compare.js';
import { linesOf, type Line } from './lines.js';

const SIZES = [1, 10, 100, 1000, 10_000];

const calling =
  (serve: (count: number) => McpServerFactory): Line['way'] =>
  (count) => {
    const send = sender(serve(count));
    return repeating('calls', () => callLast(send, count));
  };

/** Over HTTP as of 2026-07-28, where every request has a server of its own. */
export async function toolsGrowth(bench: Bench): Promise<Chart> {
  const lines = [
    { name: 'mcp-resolve', way: calling(resolving) },
    { name: 'SDK', way: calling(registering), upTo: 1000 },
  ];
  const series = await linesOf(lines, bench.quick ? SIZES.slice(0, -1) : SIZES, bench);
  return { title: 'A call, by the tools of its server', x: 'tools', y: 'µs a call', series };
}
