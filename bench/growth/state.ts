/** How the cost of a token grows with the state in it. */
import { roundTrip, sealed, signed, stateOf, type Codec } from '../cases/codecs.js';
import type { Bench } from '../goal.js';
import type { Chart } from '../measure/chart.js';
import { repeating } from '../measure/compare.js';
import { linesOf, type Line } from './lines.js';

/** The last one is what a seal takes by default, claims included. */
const BYTES = [100, 400, 1600, 6400, 25_600, 65_536];

const passing =
  (codec: Codec): Line['way'] =>
  (bytes) => {
    const state = stateOf(bytes);
    return repeating('tokens', () => roundTrip(codec, state));
  };

export async function stateGrowth(bench: Bench): Promise<Chart> {
  const lines = [
    { name: 'encrypted', way: passing(sealed) },
    { name: 'signed by the SDK', way: passing(signed) },
  ];
  const series = await linesOf(lines, BYTES, bench);
  return { title: 'Seal and open, by the size of the state', x: 'bytes', y: 'µs', series };
}
