/**
 * `npm run bench:http`: the confirm flow over sockets of the loopback, clients of 2026-07-28. Two
 * servers, each in a process of its own, one with resolvers and one by hand, both behind
 * `serveHttp`; slices of both in turn. What the clients cost is in the figures of both.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

import { confirmFlow } from './cases/confirm.js';
import { inFlight, requestOf, type Result, type Send } from './cases/modern.js';
import { stopwatch } from './measure/latency.js';
import { median, quantile } from './measure/statistics.js';

const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 5 : 25;
const FLOWS = QUICK ? 300 : 1000;
const WIDTH = 16;

type Name = 'ours' | 'idiomatic';

interface Server {
  readonly process: ChildProcess;
  readonly send: Send;
}

async function start(name: Name): Promise<Server> {
  const program = fileURLToPath(new URL('cases/httpServer.ts', import.meta.url));
  const tsconfig = fileURLToPath(new URL('tsconfig.run.json', import.meta.url));
  const server = fork(program, [name], {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig },
  });
  const [{ url }] = (await once(server, 'message')) as [{ readonly url: string }];
  const send: Send = async (method, params) => {
    const response = await fetch(requestOf(method, params, url));
    const { result } = (await response.json()) as { readonly result?: Result };
    if (result === undefined) throw new Error(`refused with ${response.status}`);
    return result;
  };
  return { process: server, send };
}

/** Bytes of the heap, after collecting. */
async function heapOf({ process: server }: Server): Promise<number> {
  const told = once(server, 'message');
  server.send('heap');
  const [{ heap }] = (await told) as [{ readonly heap: number }];
  return heap;
}

interface Slice {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

async function slice({ send }: Server): Promise<Slice> {
  const { took, lap } = stopwatch(() => confirmFlow(send));
  const begun = performance.now();
  await inFlight(FLOWS, WIDTH, lap);
  const seconds = (performance.now() - begun) / 1000;
  return {
    perSecond: (2 * FLOWS) / seconds,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
  };
}

const names: readonly Name[] = ['ours', 'idiomatic'];
const servers = { ours: await start('ours'), idiomatic: await start('idiomatic') };
const slices: Record<Name, Slice[]> = { ours: [], idiomatic: [] };
try {
  for (const name of names) await slice(servers[name]);
  const before = { ours: await heapOf(servers.ours), idiomatic: await heapOf(servers.idiomatic) };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed())
      slices[name].push(await slice(servers[name]));
    console.error(`round ${round + 1} of ${ROUNDS}`);
  }
  console.log('            requests/s   p50 ms   p99 ms   heap growth per flow');
  for (const name of names) {
    const middle = (of: keyof Slice): number => median(slices[name].map((one) => one[of]));
    const growth = ((await heapOf(servers[name])) - before[name]) / (ROUNDS * FLOWS);
    const figures = [middle('perSecond').toFixed(0), middle('p50').toFixed(1)];
    const cells = [...figures, middle('p99').toFixed(1), `${growth.toFixed(1)} B`];
    console.log(name.padEnd(12) + cells.map((cell) => cell.padStart(9)).join(''));
  }
  const ratio = slices.ours.map(
    ({ perSecond }, round) => perSecond / (slices.idiomatic[round]?.perSecond ?? Number.NaN),
  );
  console.log(`requests per second, ours / by hand: ${median(ratio).toFixed(2)} x`);
} finally {
  for (const name of names) servers[name].process.disconnect();
}
