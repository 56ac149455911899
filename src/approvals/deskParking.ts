/**
 * A call at a desk: the requests that it has made, and the record that it goes on with. The story
 * of a call is in `call/runCall.ts` and `call/resolveArguments.ts`, which know only
 * `call/parking.ts`.
 */
import type { End } from '../author/model.js';
import type {
  ApprovalError,
  ClaimedRun,
  OpenApproval,
  ParkedRound,
  Parking,
  ParkingPlace,
  ParkingSlot,
} from '../call/parking.js';
import type { Verdict } from '../engine/ledger.js';
import type { ToolError } from '../errors.js';
import { randomId } from '../platform.js';
import { canonicalJson } from '../state/canonical.js';
import { decodeRecord, encodeRecord } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { SLACK_MS, StoreFullError } from '../store/recordStore.js';
import { list, notify } from './announce.js';
import { digestsOf, findChanged } from './bodyValues.js';
import { callKey } from './deskCore.js';
import type { DeskCore } from './deskCore.js';
import { InboxFullError } from './inbox.js';
import { decodeCall, encodeCall, isLive, lifeOf, stateOf } from './parkedCall.js';
import type { ParkedCall, RequestState, StoredRequest } from './parkedCall.js';
import {
  changedError,
  deniedError,
  lostError,
  storeError,
  tooManyError,
  usedError,
  waitingError,
} from './approvalErrors.js';

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

/** The time after which another call may announce a request, if the first one did not get there. */
const ANNOUNCE_MS = 60_000;

type Digests = StoredRequest['values'];

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
    await this.step(async () => {
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
      const next = this.nextCall(round, { values, of });
      if (next === undefined) break;
      const before = this.live;
      if (await this.put(next)) {
        await this.announce(next, before);
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

  /** Returns the call with all open approvals, or undefined if the record can stay as it is. */
  private nextCall(
    { record, open }: ParkedRound,
    { values, of }: { readonly values: Digests; readonly of: string | undefined },
  ): ParkedCall | undefined {
    const { live, record: before } = this;
    const present = live?.requests ?? [];
    const decided = present.filter(({ id }) => this.used.has(id));
    const waiting = open.map((approval) => {
      const known = present.find((request) => isFor(request, approval));
      const isWaiting = live && known && this.stateIn(live, known) === 'pending';
      return this.reserved(isWaiting ? known : this.newRequest(approval, values));
    });
    const requests = [...decided, ...waiting];
    const isSame =
      requests.length === present.length && requests.every((one) => present.includes(one));
    if (isSame && before !== undefined && sameProgress(before, record)) return undefined;
    const { tool } = this.slot;
    return { tool, of, record: encodeRecord(record), requests };
  }

  private newRequest({ resolver, digest, terms }: OpenApproval, values: Digests): StoredRequest {
    const now = this.core.now();
    const times = { requestedAt: now, expiresAt: now + this.core.settings.ttlMs };
    const announcer = { owner: '', until: 0 };
    const { message, facts, by, requester, quorum, about } = terms;
    const shown = { message, facts, by, requester, quorum, ...(about !== undefined && { about }) };
    return {
      ...shown,
      ...times,
      id: `AP-${randomId()}`,
      resolver,
      digest,
      values,
      decisions: [],
      announcer,
    };
  }

  /** Reserves a request for this call to announce, unless it is announced, or another call does so. */
  private reserved(request: StoredRequest): StoredRequest {
    const now = this.core.now();
    if (request.announcer === undefined || now < request.announcer.until) return request;
    return { ...request, announcer: { owner: this.owner, until: now + ANNOUNCE_MS } };
  }

  /** Announces the requests that are reserved for this call, and removes those that are gone. */
  private async announce(call: ParkedCall, before: ParkedCall | undefined): Promise<void> {
    const { core, slot } = this;
    const known = before?.requests ?? [];
    for (const request of call.requests) {
      if (request.announcer?.owner !== this.owner) continue;
      const made = { request, call, key: slot.key, audience: slot.audience };
      await this.step(() => list(core, made)).catch((error: unknown) =>
        this.unmake(request, error),
      );
      if (!known.some(({ id }) => id === request.id))
        core.tell({ type: 'requested', id: request.id, tool: call.tool });
      const failure = await this.step(() => notify(core, made));
      if (failure === undefined) continue;
      core.tell({ type: 'notifyFailed', id: request.id, tool: call.tool });
      slot.report(failure.error);
    }
    await this.reportReplaced(call, known);
  }

  private async reportReplaced(
    { tool, requests }: ParkedCall,
    known: readonly StoredRequest[],
  ): Promise<void> {
    const gone = known.filter(({ id }) => !requests.some((request) => request.id === id));
    for (const { id, resolver } of gone) {
      const newer = requests.find((request) => request.resolver === resolver);
      if (newer !== undefined) this.core.tell({ type: 'replaced', id, tool, by: newer.id });
    }
    await this.core.unlist(gone).catch(this.slot.report);
  }

  /** Takes a request back that has no room in an inbox, and throws the error of the call. */
  private async unmake(request: StoredRequest, error: unknown): Promise<never> {
    if (!(error instanceof InboxFullError)) throw error;
    await this.step(async () => {
      await this.core.change(this.slot.key, (call) => ({
        ...call,
        requests: call.requests.filter(({ id }) => id !== request.id),
      }));
      await this.core.unlist([request]);
    });
    throw tooManyError(request);
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
    const isWritten = await this.step(() =>
      this.core.records.put(callKey(this.slot.key), text, {
        ...how,
        ...(onFailure && { onFailure }),
      }),
    );
    if (isWritten) [this.text, this.call] = [text, next];
    return isWritten;
  }

  /** Runs steps of the store. A failure is reported and ends the call. */
  private async step<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof InboxFullError) throw error;
      this.slot.report(error);
      throw storeError(error instanceof StoreFullError);
    }
  }
}

function isFor(
  request: StoredRequest,
  { resolver, digest }: Pick<OpenApproval, 'resolver' | 'digest'>,
): boolean {
  return request.resolver === resolver && request.digest === digest;
}

/** Returns true if two records are of one call and have the same answers and pinned values. */
function sameProgress(one: CallRecord, other: CallRecord): boolean {
  const [a, b] = [one, other].map((record) =>
    canonicalJson(JSON.parse(encodeRecord({ ...record, start: 0, deadline: 0 }))),
  );
  return a === b;
}
