/** The desk of a run. It is made for the run, so the author's store and `notify` are never used. */
import type { ApprovalDesk } from '../../../approvals/desk.js';
import type { Decided } from '../../../approvals/parkedCall.js';
import { approvalsOf } from '../../testing/approvers.js';
import type { PageDecision, WaitingRequest } from '../protocol.js';

/** Reads the requests that a result names. Without any, reads those that are known again. */
export async function requestsAt(
  desk: ApprovalDesk,
  result: unknown,
  known: readonly WaitingRequest[],
): Promise<readonly WaitingRequest[]> {
  const named = approvalsOf(result)?.requests ?? [];
  const read = (named.length > 0 ? named : known).map(async ({ id, resolver }) => {
    const request = await desk.read(id);
    return request && { ...request, resolver };
  });
  return (await Promise.all(read)).filter((request) => request !== undefined);
}

/** Decides on a request as a made-up person. */
export function decideAt(
  desk: ApprovalDesk,
  { by }: Pick<WaitingRequest, 'by'>,
  { id, who, inGroup, verdict, comment }: PageDecision,
): Promise<Decided> {
  if (verdict === 'withdraw') return desk.withdraw(id, { who });
  const groups = inGroup ? by : [];
  return desk.decide(id, { who, groups, verdict, comment });
}
