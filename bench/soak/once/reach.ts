/**
 * Sends requests to random processes of the service. If a killed process refuses or cuts the
 * connection, or a process with a slow clock refuses the token, the same request goes to another.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { type Call, postOf, type Reply, replyOf } from '../jsonRpc.js';
import type { Random } from '../tokens/random.js';

const PAUSE_MS = 50;
/** The time after which an unanswered request fails. */
const PATIENCE_MS = 60_000;

/** The options of a request. */
export interface Sending {
  /** Chooses the process. */
  readonly random: Random;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
  /** Called with the time of each attempt whose connection was cut. It may have taken effect. */
  readonly onCut?: (from: number) => void;
}

/** Sends and counts requests. */
export class Reach {
  requests = 0;
  /** The requests whose connection was cut or refused. */
  cut = 0;

  constructor(
    private readonly ports: readonly number[],
    private readonly ending: AbortSignal,
    /** True if a process may refuse a token that another one has just sealed, by its own clock. */
    private readonly clocksDiffer = false,
  ) {}

  /**
   * Sends a request until a process answers it.
   *
   * @throws Error If no process answers in time, or the request is cancelled.
   */
  async send(
    call: Call,
    { random, headers = {}, signal = this.ending, onCut }: Sending,
  ): Promise<Reply> {
    const began = performance.now();
    const init = { ...postOf(1, call, headers), signal: AbortSignal.any([signal, this.ending]) };
    for (;;) {
      const from = Date.now();
      const text = await this.post(random, init);
      const reply = text === undefined ? undefined : replyOf(text);
      if (reply === undefined) onCut?.(from);
      else if (!this.clocksDiffer || reply.error === undefined) return reply;
      if (performance.now() - began > PATIENCE_MS) throw new Error('no process answers');
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
      // A refused or cut connection is a TypeError. A cancelled request is not.
      if (!(error instanceof TypeError)) throw error;
      this.cut += 1;
      return undefined;
    }
  }
}
