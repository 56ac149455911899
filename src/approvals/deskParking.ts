/**
 * A call at a desk: the requests that it has made, and the record that it goes on with. The story
 * of a call is in `call/runCall.ts` and `call/resolveArguments.ts`, which know only
 * `call/parking.ts`.
 */
import type { End } from '../author/model.js';
import type {
  ApprovalError,
  ClaimedRun,
  ParkedRound,
  Parking,
  ParkingPlace,
  ParkingSlot,
} from '../call/parking.js';
import type { Verdict } from '../engine/ledger.js';
import type { ToolError } from '../errors.js';
import { randomId } from '../platform.js';
import { decodeRecord } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { SLACK_MS } from '../store/recordStore.js';
import { announce, storeSteps } from './announce.js';
import { digestsOf, findChanged } from './bodyValues.js';
import { callKey } from './deskCore.js';
import type { DeskCore } from './deskCore.js';
import { isFor, nextCall } from './nextCall.js';
import { decodeCall, encodeCall, isLive, lifeOf, stateOf } from './parkedCall.js';
import type { ParkedCall, RequestState, StoredRequest } from './parkedCall.js';
import { changedError, deniedError, lostError, usedError, waitingError } from './approvalErrors.js';

/** Returns the place where calls wait at a desk. */
export function placeAt(core: DeskCore): ParkingPlace {
  return {
    store: core.settings.store,
    find: async (slot) => {
      const call = new CallAtDesk(core, slot);
      await call.read();
      return call;
    },
  };
}

class CallAtDesk implements Parking {
  /** The record of the call, as it was read or written last. */
  private text: string | undefined;
  private call: ParkedCall | undefined;
  /** The requests whose decisions this round has used, with their states. */
  private readonly used = new Map<string, RequestState>();
  /** True from the claim until the body starts. */
  private canRelease = false;
  /** Tells this attempt from others. */
  private readonly owner = randomId();

  constructor(
    private readonly core: DeskCore,
    private readonly slot: ParkingSlot,
  ) {}

  async read(): Promise<void> {
    await storeSteps(this.slot, async () => {
      this.text = await this.core.records.get(callKey(this.slot.key));
      this.call = decodeCall(this.text);
    });
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

  verdictOn(resolver: string, digest: string): Verdict | undefined {
    const { live } = this;
    const request = live?.requests.find((one) => isFor(one, { resolver, digest }));
    if (live === undefined || request === undefined) return undefined;
    const { id, decisions } = request;
    const state = this.stateIn(live, request);
    if (state !== 'approved' && state !== 'denied') return undefined;
    this.used.set(id, state);
    if (state === 'denied') {
      const denial = deniedError(live, request, this.core.now());
      return { id, outcome: { action: 'decline' }, denial };
    }
    const data = { id, approvedBy: decisions.map(({ verdict: _, ...approver }) => approver) };
    return { id, outcome: { action: 'accept', data, asked: true }, denial: undefined };
  }

  async park(round: ParkedRound): Promise<ApprovalError> {
    const values = await digestsOf(round.values);
    const of = await this.user;
    for (;;) {
      const { live, core, slot, owner, used } = this;
      const times = { now: core.now(), ttlMs: core.settings.ttlMs };
      const parked = { ...{ live, used, tool: slot.tool, of }, owner, values, ...times };
      const next = nextCall(round, parked);
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
    return waitingError(this.present, this.core.now());
  }

  async claim({ values, tokensLiveMs }: ClaimedRun): Promise<void> {
    if (![...this.used.values()].includes('approved')) return;
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
      // A claim that failed may be written all the same, now or later, although nothing will run.
      this.canRelease = await this.put({ ...call, requests, ran }, () => {
        this.releaseClaim().catch(this.slot.report);
      });
      if (this.canRelease) return;
      await this.read();
    }
  }

  async release(): Promise<void> {
    if (this.canRelease) await this.releaseClaim();
  }

  private async releaseClaim(): Promise<void> {
    await this.core.change(this.slot.key, (call) => {
      if (call.ran?.owner !== this.owner) return undefined;
      const { ran: _, ...unclaimed } = call;
      return unclaimed;
    });
  }

  async drop(): Promise<void> {
    const call = await this.core.change(this.slot.key, (present) =>
      present.ran === undefined ? { ...present, withdrawn: true } : undefined,
    );
    if (call !== undefined) await this.core.relist(this.slot.key, call);
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
  private get live(): ParkedCall | undefined {
    return this.call !== undefined && isLive(this.call, this.core.now()) ? this.call : undefined;
  }

  private stateIn(call: ParkedCall, request: StoredRequest): RequestState {
    return stateOf(call, request, this.core.now());
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
      const state = request && this.stateIn(call, request);
      if (request !== undefined && state === before) return request;
      throw request !== undefined && state === 'denied'
        ? deniedError(call, request, this.core.now())
        : lostError();
    });
  }

  private get present(): ParkedCall {
    if (this.call === undefined) throw lostError();
    return this.call;
  }

  private async put(next: ParkedCall, onFailure?: () => void): Promise<boolean> {
    const text = encodeCall(next);
    const how = { was: this.text, until: lifeOf(next), of: next.of };
    const isWritten = await storeSteps(this.slot, () =>
      this.core.records.put(callKey(this.slot.key), text, {
        ...how,
        ...(onFailure && { onFailure }),
      }),
    );
    if (isWritten) [this.text, this.call] = [text, next];
    return isWritten;
  }
}
