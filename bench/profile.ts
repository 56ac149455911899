/**
 * `npm run bench -- profile` profiles a confirm flow and sums its CPU time by the owner of the
 * code.
 */
import { Session, type Profiler } from 'node:inspector';
import { promisify } from 'node:util';

import { confirmFlow, ours } from './cases/confirm.js';
import { inFlight, sender } from './cases/modern.js';

const WIDTH = 16;
const FLOWS = 4000;

/** The owner of a stack frame: the first pattern that matches its URL. */
const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/@modelcontextprotocol\//, 'the SDK'],
  [/node_modules\/zod\//, 'zod, for the SDK and for arguments'],
  [/\/dist\//, 'mcp-resolve'],
  [/undici|webstreams|js_transferable|abort_controller|event_target/, 'requests and responses'],
  [/node:internal\/crypto/, 'cryptography of Node'],
  [/\/bench\//, 'the client of the benchmark'],
];

function ownerOf({ callFrame: { url, functionName } }: Profiler.ProfileNode): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(idle)') return 'idle';
  const [, owner] = OWNERS.find(([pattern]) => pattern.test(url)) ?? [];
  return owner ?? 'the rest of Node and V8';
}

async function profiled(work: () => Promise<void>): Promise<Profiler.Profile> {
  const session = new Session();
  session.connect();
  const post = promisify<string, object>(session.post.bind(session));
  await post('Profiler.enable');
  await post('Profiler.start');
  await work();
  const { profile } = (await post('Profiler.stop')) as unknown as Profiler.StopReturnType;
  session.disconnect();
  return profile;
}

/** Returns the microseconds of each owner. */
function shares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const owners = new Map(nodes.map((node) => [node.id, ownerOf(node)]));
  const taken = new Map<string, number>();
  samples.forEach((id, index) => {
    const owner = owners.get(id) ?? '';
    taken.set(owner, (taken.get(owner) ?? 0) + (timeDeltas[index] ?? 0));
  });
  taken.delete('idle');
  return taken;
}

const send = sender(ours);
const run = (): Promise<void> => inFlight(FLOWS, WIDTH, () => confirmFlow(send));

// The first run warms up.
await run();
const taken = [...shares(await profiled(run))].sort(([, a], [, b]) => b - a);
const total = taken.reduce((sum, [, share]) => sum + share, 0);
const rows = taken.map(([owner, share]) => ({
  owner,
  'confirm flow': Number(((100 * share) / total).toFixed(1)),
}));
console.table(rows);
