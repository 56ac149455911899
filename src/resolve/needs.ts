/**
 * What the nodes of a round still need, which of them are awaited, and whose turn it is.
 *
 * It is made for the first node that does not simply give a value: as long as each does, the next
 * one in walk order has all it needs, and most rounds end like that.
 */
import type { Plan } from '../graph/plan.js';

/**
 * In the place of a count: the node is awaited, or is no longer. Each need is served once, so a
 * count does not fall below zero by itself.
 */
const AWAITED = -1;
const ARRIVED = -2;

/** The counts of one round. */
export class Needs {
  private readonly left: number[];
  private waiting = 0;
  /** The nodes whose last need has come, in that order. */
  private queue: number[] | undefined = undefined;
  /** How many were taken from the queue: taking them off its front would cost more than their work. */
  private taken = 0;

  /** Begins to count where so many nodes have settled. */
  constructor({ calls, consumers }: Plan, settled: number) {
    const left = calls.counts();
    for (let index = 0; index < settled; index += 1) {
      for (const consumer of consumers[index] ?? []) left[consumer] = (left[consumer] ?? 0) - 1;
    }
    this.left = left;
  }

  /** Whether any node is awaited. */
  get awaitsAny(): boolean {
    return this.waiting > 0;
  }

  /** Whether a node has all it needs. */
  areThere(index: number): boolean {
    return this.left[index] === 0;
  }

  beginWaiting(index: number): void {
    this.left[index] = AWAITED;
    this.waiting += 1;
  }

  /** Ends the waiting for a node; gives whether it was awaited. */
  endWaiting(index: number): boolean {
    if (this.left[index] !== AWAITED) return false;
    this.left[index] = ARRIVED;
    this.waiting -= 1;
    return true;
  }

  /** Notes that one need of a node is there; gives whether it was the last. */
  serve(consumer: number): boolean {
    const left = (this.left[consumer] ?? 0) - 1;
    this.left[consumer] = left;
    return left === 0;
  }

  /** Whether any node is in the queue. */
  get isAnyQueued(): boolean {
    return this.queue !== undefined;
  }

  /** Puts a node into the queue. */
  enqueue(index: number): void {
    (this.queue ??= []).push(index);
  }

  /** Takes the next out of the queue. */
  dequeue(): number | undefined {
    const { queue } = this;
    if (queue === undefined) return undefined;
    const next = queue[this.taken];
    this.taken += 1;
    if (this.taken >= queue.length) {
      this.queue = undefined;
      this.taken = 0;
    }
    return next;
  }
}
