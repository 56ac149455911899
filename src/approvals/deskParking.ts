/**
 * A call at a desk: the requests that it has made, and the record that it goes on with. The story
 * of a call is in `call/runCall.ts` and `call/resolveArguments.ts`, which know only
 * `call/parking.ts`.
 */
import type { Result } from '@modelcontextprotocol/server';
import type { End } from '../author/model.js';
import type {
  AskedRound,
  ClaimedRun,
  Parked,
  ParkedRound,
  Parking,
  ParkingPlace,
  ParkingSlot,
} from '../call/parking.js';
import type { Verdict } from '../engine/ledger.js';
import type { ToolError } from '../errors.js';
import { OnceError } from '../once/singleUse.js';
import { randomId } from '../platform.js';
import { decodeRecord, encodeRecord } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { SLACK_MS } from '../store/recordStore.js';
import { announce, storeSteps } from './announce.js';
import { digestsOf, findChanged } from './bodyValues.js';
import { callKey } from './deskCore.js';
import type { DeskCore } from './deskCore.js';
import { isFor, nextCall, sameProgress } from './nextCall.js';
import { decodeCall, encodeCall, isLive, lifeOf, stateOf } from './parkedCall.js';
import type { ParkedCall, RequestState, StoredRequest } from './parkedCall.js';
import { isAsking, isWaiting, taskThatAsks, taskWhenReleased, unknownEnd } from './storedTask.js';
import type { StoredTask } from './storedTask.js';
import { endedTask, handleOf, taskWhenClaimed, toldUntil } from './taskChanges.js';
import { tasksAt } from './deskTasks.js';
import { changedError, deniedError, lostError, usedError, waitingError } from './approvalErrors.js';

/** Returns the place where calls wait at a desk. */
export function placeAt(core: DeskCore): ParkingPlace {
  return {
    store: core.settings.store,
    tasks: core.settings.tasks ? tasksAt(core) : undefined,
    find: async (slot) => {
      const call = new CallAtDesk(core, slot);
      await call.find();
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

  /**
   * Looks the call up.
   *
   * @throws {@link ToolError} If it is the round of a task that has ended.
   */
  async find(): Promise<void> {
    await this.read();
    const { replay } = this.slot;
    if (replay === undefined) return;
    if (!this.hasRun && (!this.isReplayed() || this.live === undefined)) throw lostError();
    replay.finish = (result) => this.finish(result);
  }

  private async read(): Promise<void> {
    await storeSteps(this.slot, async () => {
      this.text = await this.core.records.get(callKey(this.slot.key));
      this.call = decodeCall(this.text);
    });
  }

  get user(): Parking['user'] {
    return this.slot.user;
  }

  get record(): CallRecord | undefined {
    if (!this.hasRun) return decodeRecord(this.live?.record);
    const record = decodeRecord(this.present.record);
    // The record may be that of a newer call by now.
    return record && { ...record, id: this.task?.ran?.id ?? record.id };
  }

  get spent(): ToolError | undefined {
    const { live, task } = this;
    if (this.hasRun && task?.ran !== undefined)
      return new OnceError(unknownEnd(task.ran, this.core.now()));
    return live?.ran && usedError(live, live.ran.until, this.core.now());
  }

  get hasRun(): boolean {
    return this.task?.ran !== undefined && this.task.secret === this.slot.replay?.secret;
  }

  get keepSeconds(): number {
    const { task } = this;
    if (task === undefined) return 0;
    return Math.max((toldUntil(this.present, task) - this.core.now()) / 1000, 0);
  }

  get ask(): Parking['ask'] {
    return this.slot.replay && ((round) => this.keepQuestions(round));
  }

  noteRecorded(): void {
    if (this.slot.replay !== undefined) this.slot.replay.recorded = true;
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

  async park(round: ParkedRound): Promise<Parked> {
    const values = await digestsOf(round.values);
    const of = await this.user;
    for (;;) {
      const { live, core, slot, owner, used } = this;
      const times = { now: core.now(), ttlMs: core.settings.ttlMs };
      const caller = { tool: slot.tool, of, whose: slot.whose };
      const parking = { stored: this.call, live, used, owner, values };
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
    const { present, task, core, slot } = this;
    const error = waitingError(present, core.now());
    const isOpen = round.sent !== undefined && task !== undefined && isWaiting(task);
    return { error, handle: isOpen ? handleOf(slot.key, present, core.now()) : undefined };
  }

  async claim({ values, tokensLiveMs }: ClaimedRun): Promise<void> {
    if (![...this.used.values()].includes('approved') && !this.hasOpenTask) return;
    const digests = await digestsOf(values);
    for (;;) {
      const call = this.present;
      if (this.slot.replay !== undefined && !this.isReplayed()) throw lostError();
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
      const task = taskWhenClaimed(call, this.core.now());
      // A claim that failed may be written all the same, now or later, although nothing will run.
      this.canRelease = await this.put({ ...call, requests, ran, task }, () => {
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
      return { ...unclaimed, task: call.task && taskWhenReleased(call.task) };
    });
  }

  async drop(): Promise<void> {
    while (this.call !== undefined && this.call.ran === undefined) {
      const next: ParkedCall = { ...this.call, withdrawn: true };
      if (await this.put(next)) return this.core.relist(this.slot.key, next);
      await this.read();
    }
  }

  /** Keeps the questions of a round, under keys that the task has not used before. */
  private async keepQuestions({ record, questions }: AskedRound): Promise<void> {
    const { present: call } = this;
    if (call.task === undefined || !this.isReplayed()) throw lostError();
    const before = decodeRecord(call.record);
    if (isAsking(call.task) && before !== undefined && sameProgress(before, record)) return;
    const task = taskThatAsks(call.task, questions, this.core.now());
    if (!(await this.put({ ...call, record: encodeRecord(record), task }))) throw lostError();
  }

  /** Ends the task of a round, unless somebody has changed the call since. */
  private async finish(result: Result): Promise<boolean> {
    const { present: call, task } = this;
    if (task === undefined || !isWaiting(task)) return false;
    return this.put({
      ...call,
      task: endedTask(call, task, { at: this.core.now(), end: { result } }),
    });
  }

  private get task(): StoredTask | undefined {
    return this.call?.task;
  }

  private get hasOpenTask(): boolean {
    return this.live !== undefined && this.task !== undefined && isWaiting(this.task);
  }

  /** Returns true if the call still has the task that this round is of, and it waits. */
  private isReplayed(): boolean {
    const { task } = this;
    return task !== undefined && task.secret === this.slot.replay?.secret && isWaiting(task);
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
