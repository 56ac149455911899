/**
 * A call at a desk: the requests that it has made, and the record that it goes on with. The story
 * of a call is in `call/runCall.ts` and `call/resolveArguments.ts`, which know only
 * `call/parking.ts`.
 */
import type { Result } from '@modelcontextprotocol/server';
import type { End } from '../author/model.js';
import { APPROVALS_META_KEY } from '../call/parking.js';
import type { ClaimedRun, Parked, ParkedRound, Parking, ParkingSlot } from '../call/parking.js';
import type { Verdict } from '../engine/ledger.js';
import type { ToolError } from '../errors.js';
import { randomId } from '../platform.js';
import { decodeRecord } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { SLACK_MS } from '../store/recordStore.js';
import { announce, storeSteps } from './announce.js';
import { changedError, deniedError, lostError } from './approvalErrors.js';
import { usedError, waitingError, waitOf } from './approvalErrors.js';
import { digestsOf, findChanged } from './bodyValues.js';
import type { DeskCore, ParkedRecord } from './deskCore.js';
import { isFor, nextCall } from './nextCall.js';
import { isLive, stateOf } from './parkedCall.js';
import type { ParkedCall, RequestState, StoredRequest, StoredTask } from './parkedCall.js';
import { claimedTask, isWaiting, releasedTask, shownTask } from './storedTask.js';
import { toldUntil, waitingState } from './storedTask.js';

export class CallAtDesk implements Parking {
  /** The requests whose decisions this round has used, with their states. */
  private readonly used = new Map<string, RequestState>();
  /** True from the claim until the body starts. */
  private canRelease = false;
  /** Tells this attempt from others. */
  private readonly owner = randomId();

  constructor(
    protected readonly core: DeskCore,
    private readonly slot: ParkingSlot,
    private readonly stored: ParkedRecord,
  ) {}

  /** @throws {@link ToolError} If the store fails. */
  static async find(core: DeskCore, slot: ParkingSlot): Promise<CallAtDesk> {
    const stored = await storeSteps(slot, () => core.read(slot.key));
    return new CallAtDesk(core, slot, stored);
  }

  /** Looks the call up again, because another one has changed it. */
  private async read(): Promise<void> {
    await storeSteps(this.slot, () => this.stored.read());
  }

  get user(): Parking['user'] {
    return this.slot.user;
  }

  get record(): CallRecord | undefined {
    return decodeRecord(this.live?.record);
  }

  get spent(): ToolError | undefined {
    const { live } = this;
    return live?.ran && usedError(live, live.ran.until, this.core.now());
  }

  get keepSeconds(): number {
    const { task } = this;
    if (task === undefined) return 0;
    return Math.max((toldUntil(this.present, task) - this.core.now()) / 1000, 0);
  }

  verdictOn(resolver: string, digest: string): Verdict | undefined {
    const { live } = this;
    const request = live?.requests.find((one) => isFor(one, { resolver, digest }));
    if (live === undefined || request === undefined) return undefined;
    const { id, decisions } = request;
    const state = stateOf(live, request, this.core.now());
    if (state !== 'approved' && state !== 'denied') return undefined;
    this.used.set(id, state);
    if (state === 'denied') {
      const denial = deniedError(live, request, this.core.now());
      return { id, outcome: { action: 'decline' }, denial };
    }
    const data = { id, approvedBy: decisions.map(({ verdict: _, ...approver }) => approver) };
    return { id, outcome: { action: 'accept', data, asked: true }, denial: undefined };
  }

  async park(round: ParkedRound): Promise<Parked> {
    const values = await digestsOf(round.values);
    const of = await this.user;
    for (;;) {
      const { live, core, slot, owner, used } = this;
      const times = { now: core.now(), ttlMs: core.settings.ttlMs };
      const caller = { tool: slot.tool, of, whose: slot.whose };
      const parking = { stored: this.stored.call, live, used, owner, values };
      const next = nextCall(round, { ...caller, ...parking, ...times });
      if (next === undefined) break;
      if (await this.put(next)) {
        await announce(core, slot, { call: next, before: live, owner });
        break;
      }
      await this.read();
      if (this.spent !== undefined) throw this.spent;
      // Another call was first, and this one joins it.
      if (this.record !== undefined && this.record.id !== round.record.id) break;
    }
    const error = waitingError(this.present, this.core.now());
    return { error, handle: round.sent && this.handle };
  }

  /** The handle of the task, for a client that can poll it. */
  private get handle(): Result | undefined {
    const { task, present: call, core } = this;
    if (task === undefined || !this.hasOpenTask) return undefined;
    const { meta } = waitOf(call, core.now());
    return {
      resultType: 'task',
      ...shownTask(this.slot.key, call, task),
      ...waitingState(call, core.now()),
      _meta: { [APPROVALS_META_KEY]: meta },
    };
  }

  async claim({ values, tokensLiveMs }: ClaimedRun): Promise<void> {
    this.assertNotDenied();
    if (![...this.used.values()].includes('approved') && !this.hasOpenTask) return;
    const digests = await digestsOf(values);
    for (;;) {
      const call = this.present;
      const requests = this.usable(call);
      const changed = requests
        .map((request) => findChanged(request.values, digests))
        .find((param) => param !== undefined);
      if (changed !== undefined) {
        await this.drop();
        throw changedError(call, changed, this.core.now());
      }
      const until = this.core.now() + tokensLiveMs + SLACK_MS;
      const ran = { owner: this.owner, until };
      const task = claimedTask(call, this.core.now());
      // A claim that failed may be written all the same, now or later, although nothing will run.
      this.canRelease = await this.put({ ...call, requests, ran, task }, () => {
        this.releaseClaim().catch(this.slot.report);
      });
      if (this.canRelease) return;
      await this.read();
    }
  }

  /**
   * Checks that the round has seen every denial. A resolver that no longer asks does not undo one.
   *
   * @throws {@link ToolError} If it has not.
   */
  private assertNotDenied(): void {
    const { live: call, core, used } = this;
    const denied = call?.requests.find(
      (one) => !used.has(one.id) && stateOf(call, one, core.now()) === 'denied',
    );
    if (call !== undefined && denied !== undefined) throw deniedError(call, denied, core.now());
  }

  async release(): Promise<void> {
    if (this.canRelease) await this.releaseClaim();
  }

  private async releaseClaim(): Promise<void> {
    await this.core.change(this.slot.key, (call) => {
      if (call.ran?.owner !== this.owner) return undefined;
      const { ran: _, ...unclaimed } = call;
      return { ...unclaimed, task: releasedTask(call) };
    });
  }

  async drop(): Promise<void> {
    for (;;) {
      const { call } = this.stored;
      if (call === undefined || call.ran || call.withdrawn) return;
      const next: ParkedCall = { ...call, withdrawn: true };
      if (await this.put(next)) return this.core.relist(this.slot.key, next);
      await this.read();
    }
  }

  protected get task(): StoredTask | undefined {
    return this.stored.call?.task;
  }

  private get hasOpenTask(): boolean {
    return this.live !== undefined && this.task !== undefined && isWaiting(this.task);
  }

  note(end?: End): void {
    this.canRelease = false;
    for (const [id, state] of this.used) {
      if (state !== 'approved') continue;
      const { tool } = this.slot;
      this.core.tell(
        end === undefined ? { type: 'used', id, tool } : { type: 'ended', id, tool, end },
      );
    }
  }

  /** The call, unless all its requests are over. */
  protected get live(): ParkedCall | undefined {
    const { call } = this.stored;
    return call !== undefined && isLive(call, this.core.now()) ? call : undefined;
  }

  /**
   * Returns the requests that this call has used.
   *
   * @throws {@link ToolError} If one of them no longer has the state in which it was used.
   */
  private usable(call: ParkedCall): readonly StoredRequest[] {
    const { spent } = this;
    if (spent !== undefined) throw spent;
    return [...this.used].map(([id, before]) => {
      const request = call.requests.find((one) => one.id === id);
      const state = request && stateOf(call, request, this.core.now());
      if (request !== undefined && state === before) return request;
      throw request !== undefined && state === 'denied'
        ? deniedError(call, request, this.core.now())
        : lostError();
    });
  }

  protected get present(): ParkedCall {
    if (this.stored.call === undefined) throw lostError();
    return this.stored.call;
  }

  protected async put(next: ParkedCall, onFailure?: () => void): Promise<boolean> {
    return storeSteps(this.slot, () => this.stored.put(next, onFailure));
  }
}
