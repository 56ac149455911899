/**
 * One round of a task: its call, made again. It goes on from the record that the poll has read. If
 * the task ends in the meantime, or a newer one takes its place, the round ends without a trace.
 */
import type { AskedRound, Parking, ParkingSlot } from '../call/parking.js';
import type { ToolError } from '../errors.js';
import { LEASE_MS } from '../once/attempt.js';
import { OnceError } from '../once/singleUse.js';
import { decodeRecord, encodeRecord } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { lostError } from './approvalErrors.js';
import type { DeskCore, ParkedRecord } from './deskCore.js';
import { CallAtDesk } from './deskParking.js';
import { isProgressOf } from './nextCall.js';
import type { ParkedCall } from './parkedCall.js';
import { askingTask, isWaiting, openIn } from './storedTask.js';

/** The task that a round is of. */
export interface RoundOf {
  readonly stored: ParkedRecord;
  readonly secret: string;
  /** True once the round got the recorded end of the call. */
  isRecorded: boolean;
}

/** The place of a call in a round of its task. */
export class TaskRound extends CallAtDesk implements Parking {
  constructor(
    core: DeskCore,
    slot: ParkingSlot,
    private readonly round: RoundOf,
  ) {
    super(core, slot, round.stored);
    if (!this.hasRun) this.assertWaiting();
  }

  readonly noteRecorded = (): void => {
    this.round.isRecorded = true;
  };

  get hasRun(): boolean {
    return this.task?.ran !== undefined;
  }

  override get record(): CallRecord | undefined {
    const record = decodeRecord(this.present.record);
    // The record may be that of a newer call by now.
    return record && { ...record, id: this.task?.ran?.id ?? record.id };
  }

  override get spent(): ToolError | undefined {
    const { ran } = this.task ?? {};
    if (ran === undefined) return super.spent;
    const isRunning = this.core.now() < ran.at + LEASE_MS;
    return new OnceError(isRunning ? 'in_progress' : 'outcome_unknown');
  }

  /** True while the task of this round waits. */
  private get isOpen(): boolean {
    const isOwn = this.task?.secret === this.round.secret;
    return isOwn && isWaiting(this.task) && this.live !== undefined;
  }

  /** @throws {@link ToolError} If the task has ended, or a newer one has taken its place. */
  private assertWaiting(): void {
    if (!this.isOpen) throw lostError();
  }

  /** A round changes no call that its task is no longer of, and makes no request after its end. */
  protected override async put(next: ParkedCall, onFailure?: () => void): Promise<boolean> {
    this.assertWaiting();
    return super.put(next, onFailure);
  }

  /** An ended task has nothing to withdraw, and a newer one is not of this round. */
  override async drop(): Promise<void> {
    if (this.isOpen) await super.drop();
  }

  /** Keeps questions to the caller, unless the task asks them already. */
  async ask({ record, questions }: AskedRound): Promise<void> {
    const { present: call, task } = this;
    if (task === undefined) throw lostError();
    if (openIn(task).length > 0 && isProgressOf(call, record)) return;
    const next = askingTask(task, questions, this.core.now());
    if (!(await this.put({ ...call, record: encodeRecord(record), task: next }))) throw lostError();
  }
}
