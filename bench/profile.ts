/**
 * `npm run bench:profile`: where the processor time of a confirm flow goes, and that of graphs, by
 * whose code it is. Leaves bench/profile.json, from which docs/performance.md tells it.
 */
import { writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { promisify } from 'node:util';

import { confirmFlow, ours } from './cases/confirm.js';
import { shapeOf, withResolvers, type Serve } from './cases/graph.js';
import { largeWithResolvers } from './cases/large.js';
import { inFlight, sender } from './cases/modern.js';
import { repeating } from './measure/compare.js';

const WIDTH = 16;

/** Whose code a frame is, by the first pattern that its address matches. */
const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/@modelcontextprotocol\//, 'the SDK'],
  [/node_modules\/zod\//, 'zod, for the SDK and for arguments'],
  [/\/dist\//, 'mcp-resolve'],
  [/undici|webstreams|js_transferable|abort_controller|event_target/, 'requests and responses'],
  [/node:internal\/crypto/, 'cryptography of Node'],
  [/^data:|\/bench\/cases\/large/, 'functions of the graph'],
  [/\/bench\//, 'the client of the bench'],
];

/** What the library compiles has no address, but these names. */
const COMPILED = /^(calls|pass|bodyValues|blank|counts)\b/;

function ownerOf({ callFrame: { url, functionName } }: Profiler.ProfileNode): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(idle)') return 'idle';
  if (url === '' && COMPILED.test(functionName)) return 'mcp-resolve';
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

/** What is profiled, and how often it is done. */
interface Subject {
  readonly name: string;
  readonly times: number;
  readonly run: (times: number) => Promise<void>;
}

function repeated(name: string, times: number, serve: Serve): Subject {
  const { run } = repeating(name, serve);
  return { name, times, run: async (count) => run(count) };
}

const SIX = { shape: shapeOf(6), gives: 'numbers' } as const;
const send = sender(ours);
const subjects: readonly Subject[] = [
  {
    name: 'confirm flow',
    times: 4000,
    run: (times) => inFlight(times, WIDTH, () => confirmFlow(send)),
  },
  repeated('6 async resolvers', 1_000_000, await withResolvers({ ...SIX, pace: 'async' })),
  repeated('6 sync resolvers', 3_000_000, await withResolvers({ ...SIX, pace: 'sync' })),
  repeated('chain of 100,000', 200, largeWithResolvers('chain', 100_000, 'sync')),
  repeated('fan of 100,000', 100, largeWithResolvers('fan', 100_000, 'sync')),
];

/** What each owner takes of the whole, in percent. */
async function percentages({ run, times }: Subject): Promise<Map<string, number>> {
  await run(times);
  const taken = shares(await profiled(() => run(times)));
  const total = [...taken.values()].reduce((sum, share) => sum + share, 0);
  return new Map([...taken].map(([owner, share]) => [owner, (100 * share) / total]));
}

const columns = new Map<string, Map<string, number>>();
for (const subject of subjects) columns.set(subject.name, await percentages(subject));
const owners = [...new Set([...columns.values()].flatMap((column) => [...column.keys()]))];
const [flow] = columns.values();
owners.sort((a, b) => (flow?.get(b) ?? 0) - (flow?.get(a) ?? 0));
const rows = owners.map((owner) => {
  const shares = [...columns].map(([name, column]) => [
    name,
    Number((column.get(owner) ?? 0).toFixed(1)),
  ]);
  return { owner, ...Object.fromEntries(shares) } as Record<string, string | number>;
});
const date = new Date().toISOString().slice(0, 10);
const saved = { node: process.version, date, rows };
writeFileSync(new URL('profile.json', import.meta.url), `${JSON.stringify(saved, null, 2)}\n`);
console.table(rows);
