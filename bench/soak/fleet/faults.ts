/**
 * Proves that the proxy recipe of docs/deploy.md runs a body once. One body runs longer than the
 * timeout of the proxy, and one crashes its process. A proxy that resends such a request would run
 * the body twice.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { postOf, replyOf } from '../jsonRpc.js';
import { Fleet } from './fleet.js';
import { startNginx } from './nginx.js';
import { freePorts } from './ports.js';
import { newKey } from './rotation.js';

/** A fault, the statuses that the client received, and the number of runs. */
export interface FaultCount {
  readonly fault: string;
  readonly calls: number;
  readonly statuses: readonly number[];
  readonly runs: number;
}

const CALLS = 3;
const OUTLAST_MS = 2500;

/** Makes calls with each fault through nginx, and counts the runs of the body. */
export async function countFaults(): Promise<FaultCount[]> {
  const [listen = 0, ...ports] = await freePorts(5);
  const folder = await mkdtemp(join(tmpdir(), 'soak-faults-'));
  const fleet = await Fleet.start({ audience: 'faults', keys: [newKey()], ttlSeconds: 60, ports });
  const nginx = await startNginx([{ name: 'faults', listen, ports, readTimeout: '1s' }]);
  try {
    const counts: FaultCount[] = [];
    // The crash is last, because it leaves fewer processes.
    for (const fault of ['outlast', 'crash']) counts.push(await countFault(fault, listen, folder));
    return counts;
  } finally {
    await nginx.stop();
    await fleet.stop();
    await rm(folder, { recursive: true });
  }
}

async function countFault(fault: string, port: number, folder: string): Promise<FaultCount> {
  const runsFile = join(folder, fault);
  await writeFile(runsFile, '');
  const params = { name: 'fail', arguments: { fault, runsFile, outlastMs: OUTLAST_MS } };
  const statuses: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const asked = await send(port, params);
    const requestState = replyOf(asked.text).result?.requestState;
    const inputResponses = { faultApproval: { action: 'accept', content: { confirm: true } } };
    statuses.push((await send(port, { ...params, requestState, inputResponses })).status);
  }
  // The proxy would resend a request as soon as it fails, so any second run has begun by now.
  await delay(OUTLAST_MS);
  const runs = (await readFile(runsFile, 'utf8')).split('\n').length - 1;
  return { fault, calls: CALLS, statuses, runs };
}

async function send(port: number, params: object): Promise<{ status: number; text: string }> {
  const call = { method: 'tools/call', params: { ...params } };
  const init = postOf(1, call, { authorization: 'Bearer alice' });
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, init);
  return { status: response.status, text: await response.text() };
}
