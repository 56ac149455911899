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
import { taskWhenParked } from './taskChanges.js';
import type { TaskParking } from './taskChanges.js';
import type { ParkedCall, StoredRequest } from './parkedCall.js';

/** The time after which another call may announce a request, if the first one did not get there. */
const ANNOUNCE_MS = 60_000;

/** A call that parks, and what is known about it. */
export interface ParkingCall extends TaskParking, Pick<ParkedCall, 'tool' | 'of'> {
  /** The ids of the requests whose decisions this round has used. */
  readonly used: ReadonlyMap<string, unknown>;
  /** Tells this attempt from others. */
  readonly owner: string;
  readonly values: StoredRequest['values'];
}

/** Returns the call with all open approvals, or undefined if the record can stay as it is. */
export function nextCall(round: ParkedRound, parked: ParkingCall): ParkedCall | undefined {
  const { record, open } = round;
  const { live, used, tool, of } = parked;
  const present = live?.requests ?? [];
  const decided = present.filter(({ id }) => used.has(id));
  const requests = [...decided, ...open.map((approval) => requestFor(approval, parked))];
  const task = taskWhenParked(round, parked);
  const isSame =
    task === parked.stored?.task &&
    requests.length === present.length &&
    requests.every((one) => present.includes(one));
  const before = decodeRecord(live?.record);
  if (isSame && before !== undefined && sameProgress(before, record)) return undefined;
  return { tool, of, record: encodeRecord(record), requests, ...(task && { task }) };
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

/** Returns true if a request is for exactly this question. */
export function isFor(
  request: StoredRequest,
  { resolver, digest }: Pick<OpenApproval, 'resolver' | 'digest'>,
): boolean {
  return request.resolver === resolver && request.digest === digest;
}

/** Returns true if two records are of one call and have the same answers and pinned values. */
export function sameProgress(one: CallRecord, other: CallRecord): boolean {
  const [a, b] = [one, other].map((record) =>
    canonicalJson(JSON.parse(encodeRecord({ ...record, start: 0, deadline: 0 }))),
  );
  return a === b;
}
