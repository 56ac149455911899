/** Q11: sealing beside a busy thread pool. And the cost of sealing alone. */
import { roundTrip, sealed, signed, stateOf, withBusyPool, type Codec } from '../cases/codecs.js';
import { shareOf, type Figure, type Goal } from '../goal.js';
import { compare, repeating, type Way } from '../measure/compare.js';
import { compareLatency, stopwatch, type Sampled } from '../measure/latency.js';

const SMALL = stateOf(400);
const LARGE = stateOf(64 * 1024);

/** Measures round trips one after the other, each in a new turn of the event loop. */
function sampled(codec: Codec): Sampled {
  return async (times) => {
    const { took, lap } = stopwatch(() => roundTrip(codec, SMALL));
    for (let index = 0; index < times; index += 1) {
      await lap();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return took;
  };
}

const busy =
  (sample: Sampled): Sampled =>
  (times) =>
    withBusyPool(() => sample(times));

function way(name: string, codec: Codec, state: typeof SMALL): Way {
  return repeating(name, () => roundTrip(codec, state));
}

/** Compares the length of our token, without claims, with a signed one with an `exp`. */
async function lengths(name: string, state: typeof SMALL): Promise<Figure> {
  const [ours, theirs] = await Promise.all([sealed.mint(state), signed.mint(state)]);
  return { name, value: ours.length / theirs.length, unit: 'x', better: 'lower' };
}

export const stateGoals: readonly Goal[] = [
  {
    id: 'Q11',
    title: 'seal and open while the thread pool is busy',
    measure: async ({ effort, quick, progress }) => {
      const slices = { ...effort, times: quick ? 300 : 1000, share: 0.5 };
      progress('p50 with a busy pool against an idle one');
      const ours = sampled(sealed);
      const ratio = await compareLatency(busy(ours), ours, slices);
      progress("the same for the SDK's codec");
      const theirs = sampled(signed);
      // Each round trip of the SDK's codec waits for about ten milliseconds.
      const signedSlices = { ...slices, rounds: quick ? 3 : 5, times: quick ? 15 : 30 };
      const signedRatio = await compareLatency(busy(theirs), theirs, signedSlices);
      return [
        shareOf('seal + open p50, busy pool / idle', ratio, { bar: 4, goal: 2 }),
        shareOf('SDK codec p50, busy pool / idle', signedRatio),
      ];
    },
  },
  {
    id: 'sealing',
    title: 'encrypted state against signed state with its exp',
    measure: async ({ effort, progress }) => {
      progress('400 bytes');
      const small = await compare(
        way('sealed', sealed, SMALL),
        way('signed', signed, SMALL),
        effort,
      );
      progress('64 kilobytes');
      const large = await compare(
        way('sealed', sealed, LARGE),
        way('signed', signed, LARGE),
        effort,
      );
      const length = await lengths('token length, cipher alone, 400 B / SDK codec with exp', SMALL);
      return [
        shareOf('seal + open, cipher alone, 400 B / SDK codec with exp', small, {
          bar: 0.4,
          goal: 0.2,
        }),
        shareOf('seal + open, cipher alone, 64 KB / SDK codec with exp', large, {
          bar: 0.55,
          goal: 0.38,
        }),
        { ...length, bar: 1, goal: 0.999 },
        await lengths('token length, cipher alone, 64 KB / SDK codec with exp', LARGE),
      ];
    },
  },
];
