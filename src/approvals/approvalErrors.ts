/** The errors of calls with approvals. The model reads their texts, programs read their `_meta`. */
import { ApprovalError, refused } from '../call/parking.js';
import type { ApprovalsMeta } from '../call/parking.js';
import { stateOf } from './parkedCall.js';
import type { ParkedCall, StoredRequest } from './parkedCall.js';

const NO_DETOUR = 'Do not try to reach the same goal in another way.';
const AGAIN = `Make the same call again later, with the same arguments. ${NO_DETOUR}`;

/** Creates the error of a call that waits. */
export function waitingError(call: ParkedCall, now: number): ApprovalError {
  const { text, meta } = waitOf(call, now);
  return new ApprovalError(`${text} ${AGAIN}`, meta);
}

/** Describes what a call waits for, without advice. */
export function waitOf(
  call: ParkedCall,
  now: number,
): { readonly text: string; readonly meta: ApprovalsMeta } {
  const waiting = call.requests.filter((request) => stateOf(call, request, now) === 'pending');
  const waits = waiting.map(
    (request) => `${request.id} by ${request.by.join(' or ')} (${progressOf(request)})`,
  );
  const requests = requestsIn(call, now);
  if (waiting.length === 0) {
    const text = 'the approval of this call has just changed, and nothing has been done yet.';
    return { text, meta: { state: 'pending', requests } };
  }
  const expiresAt = Math.min(...waiting.map((request) => request.expiresAt));
  const text = `this call waits for approval ${waits.join(' and ')}, until ${timeOf(expiresAt)} at most. Nothing has been done yet.`;
  return { text, meta: { state: 'pending', requests, expiresAt } };
}

/** Creates the error of a call that somebody denied. */
export function deniedError(call: ParkedCall, request: StoredRequest, now: number): ApprovalError {
  const { id, expiresAt, decisions } = request;
  const { comment } = decisions.find(({ verdict }) => verdict === 'deny') ?? {};
  const reason = comment === undefined ? '' : ` The approver wrote: ${JSON.stringify(comment)}.`;
  return new ApprovalError(
    `approval ${id} was denied, so nothing was done.${reason} The same call is denied until ${timeOf(expiresAt)}. ${NO_DETOUR}`,
    { state: 'denied', requests: requestsIn(call, now), expiresAt },
  );
}

/** Creates the error of a call that has run. */
export function usedError(call: ParkedCall, until: number, now: number): ApprovalError {
  return new ApprovalError(
    `this call was approved and has been started already, so it was not started again. Until ${timeOf(until)} the same call gets this answer. After that, it is a new request.`,
    { state: 'used', requests: requestsIn(call, now), expiresAt: until },
  );
}

/** Creates the error of a call whose approval is for another value. */
export function changedError(call: ParkedCall, param: string, now: number): ApprovalError {
  return refused(
    'changed',
    `the value of '${param}' has changed since the approval was requested, so the approval no longer counts and nothing was done. Make the same call again to request a new approval.`,
    requestsIn(call, now),
  );
}

/** Creates the error of a call whose approval ended while the call was about to start. */
export function lostError(): ApprovalError {
  return refused(
    'changed',
    'the approval was withdrawn, replaced or has expired, so nothing was done. Make the same call again to request a new approval.',
  );
}

/** Creates the error of a call that would make one request too many. */
export function tooManyError({ by }: StoredRequest): ApprovalError {
  return refused(
    'too_many',
    `too many requests wait for an approval by ${by.join(' or ')}, so no request was made and nothing was done. Wait until some are decided, or withdraw one.`,
  );
}

/** Creates the error of a call whose store failed. */
export function storeError(isFull: boolean): ApprovalError {
  return isFull
    ? refused(
        'store_full',
        'the store of the approvals is full, so no request was made and nothing was done. Make the same call again later.',
      )
    : refused(
        'store_unavailable',
        'the store of the approvals failed or did not answer in time, so nothing was done. Make the same call again later.',
      );
}

function requestsIn(call: ParkedCall, now: number): ApprovalsMeta['requests'] {
  return call.requests.map((request) => {
    const { id, resolver, by, quorum } = request;
    return { id, resolver, by, state: stateOf(call, request, now), given: given(request), quorum };
  });
}

function given({ decisions }: StoredRequest): number {
  return decisions.filter(({ verdict }) => verdict === 'approve').length;
}

function progressOf(request: StoredRequest): string {
  return `${given(request)} of ${request.quorum} given`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
