/**
 * Decides what the record of a call becomes when the call parks: which requests stay and which are
 * new.
 */
import type { OpenApproval, ParkedRound } from '../call/parking.js';
import { randomId } from '../platform.js';
import { canonicalJson } from '../state/canonical.js';
import { decodeRecord, encodeRecord } from '../state/record.js';
import type { CallRecord } from '../state/record.js';
import { stateOf } from './parkedCall.js';
import type { ParkedCall, StoredRequest, StoredTask } from './parkedCall.js';
import { endedTask, isWaiting, lostEnd } from './storedTask.js';

/** The time after which another call may announce a request, if the first one did not get there. */
const ANNOUNCE_MS = 60_000;

/** A call that parks, and what is known about it. */
export interface ParkingCall extends Pick<ParkedCall, 'tool' | 'of'> {
  /** The call as it was stored last. */
  readonly stored: ParkedCall | undefined;
  /** The same, unless all its requests are over. */
  readonly live: ParkedCall | undefined;
  /** A digest of the caller, if the desk gives handles. */
  readonly whose: string | undefined;
  /** The ids of the requests whose decisions this round has used. */
  readonly used: ReadonlyMap<string, unknown>;
  /** Tells this attempt from others. */
  readonly owner: string;
  readonly values: StoredRequest['values'];
  readonly now: number;
  readonly ttlMs: number;
}

/** Returns the call with all open approvals, or undefined if the record can stay as it is. */
export function nextCall(round: ParkedRound, parked: ParkingCall): ParkedCall | undefined {
  const { record, open } = round;
  const { live, used, tool, of } = parked;
  const present = live?.requests ?? [];
  const decided = present.filter(({ id }) => used.has(id));
  const requests = [...decided, ...open.map((approval) => requestFor(approval, parked))];
  const task = nextTask(round, parked);
  const isSame =
    task === parked.stored?.task &&
    requests.length === present.length &&
    requests.every((one) => present.includes(one));
  if (isSame && isProgressOf(live, record)) return undefined;
  return { tool, of, record: encodeRecord(record), requests, ...(task && { task }) };
}

/** Returns the task that waits, a new one, or the end of an old one. */
function nextTask(
  { sent }: ParkedRound,
  { stored, live, whose, now, ttlMs }: ParkingCall,
): StoredTask | undefined {
  const present = stored?.task;
  const isOpen = present !== undefined && isWaiting(present);
  if (isOpen && live !== undefined)
    return present.asked ? { ...present, asked: undefined } : present;
  if (sent !== undefined && whose !== undefined) {
    const times = { createdAt: now, updatedAt: now, until: now + ttlMs };
    return { secret: randomId(), whose, args: sent.args, ...times, rounds: 0 };
  }
  // The requests of the old task are over, so the new ones are not about it.
  return isOpen && stored !== undefined
    ? endedTask(stored, present, { at: now, end: lostEnd(stored) })
    : present;
}

/** Returns the request that waits for an approval, or a new one. */
function requestFor(approval: OpenApproval, parked: ParkingCall): StoredRequest {
  const { live, now } = parked;
  const known = live?.requests.find((request) => isFor(request, approval));
  const isWaiting = live && known && stateOf(live, known, now) === 'pending';
  return reserved(isWaiting ? known : newRequest(approval, parked), parked);
}

function newRequest(
  { resolver, digest, terms }: OpenApproval,
  { values, now, ttlMs }: ParkingCall,
): StoredRequest {
  const { message, facts, by, requester, quorum, about } = terms;
  const shown = { message, facts, by, requester, quorum, ...(about !== undefined && { about }) };
  const times = { requestedAt: now, expiresAt: now + ttlMs };
  const announcer = { owner: '', until: 0 };
  const id = `AP-${randomId()}`;
  return { ...shown, ...times, id, resolver, digest, values, decisions: [], announcer };
}

/** Reserves a request for this call to announce, unless it is announced, or another call does so. */
function reserved(request: StoredRequest, { owner, now }: ParkingCall): StoredRequest {
  if (request.announcer === undefined || now < request.announcer.until) return request;
  return { ...request, announcer: { owner, until: now + ANNOUNCE_MS } };
}

/** Returns true if a request has not been announced, and the last attempt is a minute old. */
export function isUnannounced({ requests }: ParkedCall, now: number): boolean {
  return requests.some(({ announcer }) => announcer && now >= announcer.until + ANNOUNCE_MS);
}

/** Returns true if a request is for exactly this question. */
export function isFor(
  request: StoredRequest,
  { resolver, digest }: Pick<OpenApproval, 'resolver' | 'digest'>,
): boolean {
  return request.resolver === resolver && request.digest === digest;
}

/** Returns true if a record is that of the call, with the same answers and pinned values. */
export function isProgressOf(call: ParkedCall | undefined, record: CallRecord): boolean {
  const [present, next] = [decodeRecord(call?.record), record].map(
    (one) => one && canonicalJson(JSON.parse(encodeRecord({ ...one, start: 0, deadline: 0 }))),
  );
  return present === next;
}
