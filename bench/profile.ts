/**
 * `npm run bench:profile`: where the processor time of the confirm flow goes, by whose code it is.
 * Leaves bench/profile.json, from which docs/performance.md tells it.
 */
import { writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { promisify } from 'node:util';

import { confirmFlow, ours } from './cases/confirm.js';
import { inFlight, sender } from './cases/modern.js';

const WARM_UP = 4000;
const FLOWS = 4000;
const WIDTH = 16;

/** Whose code a frame is, by the first pattern that its address matches. */
const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/@modelcontextprotocol\//, 'the SDK'],
  [/node_modules\/zod\//, 'zod, for the SDK and for arguments'],
  [/\/dist\//, 'mcp-resolve'],
  [/undici|webstreams|js_transferable|abort_controller|event_target/, 'requests and responses'],
  [/node:internal\/crypto/, 'cryptography of Node'],
  [/\/bench\//, 'the client of the bench'],
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

/** Microseconds by owner. */
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
const flows = (times: number): Promise<void> => inFlight(times, WIDTH, () => confirmFlow(send));
await flows(WARM_UP);
const taken = shares(await profiled(() => flows(FLOWS)));
const total = [...taken.values()].reduce((sum, share) => sum + share, 0);
const rows = [...taken]
  .sort(([, a], [, b]) => b - a)
  .map(([owner, share]) => ({ owner, percent: Number(((100 * share) / total).toFixed(1)) }));
const date = new Date().toISOString().slice(0, 10);
const saved = { node: process.version, date, flows: FLOWS, rows };
writeFileSync(new URL('profile.json', import.meta.url), `${JSON.stringify(saved, null, 2)}\n`);
for (const { owner, percent } of rows) console.log(`${percent.toFixed(1).padStart(5)} %  ${owner}`);
