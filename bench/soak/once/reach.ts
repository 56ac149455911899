/**
 * How a request gets to the service: to any of its processes. A process that is killed leaves
 * connections that are refused or cut; then the same request is sent again, to whoever is there.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { type Call, postOf, type Reply, replyOf } from '../jsonRpc.js';
import type { Random } from '../tokens/random.js';

const PAUSE_MS = 50;
/** How long nobody may be there. */
const PATIENCE_MS = 60_000;

/** How a request is sent. */
export interface Sending {
  /** Who chooses the process. */
  readonly random: Random;
  /** Gives it up. */
  readonly signal?: AbortSignal;
}

/** The way to the service. */
export class Reach {
  requests = 0;
  /** The requests whose connection was cut, or refused. */
  cut = 0;

  constructor(
    private readonly ports: readonly number[],
    private readonly ending: AbortSignal,
  ) {}

  /**
   * Sends a request until somebody answers it.
   *
   * @throws Error If nobody does for a long time, or it is given up.
   */
  async send(call: Call, { random, signal = this.ending }: Sending): Promise<Reply> {
    const began = performance.now();
    const init = { ...postOf(1, call), signal: AbortSignal.any([signal, this.ending]) };
    for (;;) {
      const text = await this.post(random, init);
      if (text !== undefined) return replyOf(text);
      if (performance.now() - began > PATIENCE_MS) throw new Error('nobody answers');
      await delay(PAUSE_MS);
    }
  }

  private async post(random: Random, init: RequestInit): Promise<string | undefined> {
    this.requests += 1;
    const port = this.ports[random.below(this.ports.length)] ?? 0;
    try {
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, init);
      return await response.text();
    } catch (error) {
      // Both ways of losing a connection are of this class; giving up is not.
      if (!(error instanceof TypeError)) throw error;
      this.cut += 1;
      return undefined;
    }
  }
}
