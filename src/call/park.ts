/** Parks a call whose open questions are all approvals, and ends it until somebody has decided. */
import type { Ledger } from '../engine/ledger.js';
import type { Round } from '../engine/round.js';
import type { Call } from './call.js';
import { parkedRecord } from './callRecord.js';
import type { ApprovalError, OpenApproval, Parking } from './parking.js';

/**
 * Parks the call, and returns the error that it ends with.
 *
 * @throws {@link ToolError} If the call cannot be parked.
 */
export async function park(
  call: Call,
  parking: Parking,
  { round, ledger }: { readonly round: Round; readonly ledger: Ledger },
): Promise<ApprovalError> {
  const approvals: OpenApproval[] = [];
  for (const { node, asked } of round.openQuestions()) {
    if (asked.data.kind !== 'approval') continue;
    approvals.push({ resolver: node.key, digest: await asked.digest(), terms: asked.data });
  }
  const waiting = await parking.park({
    record: parkedRecord(call, ledger.next()),
    open: approvals,
    values: round.knownValues(),
  });
  for (const { resolver, terms: question } of approvals) {
    const approvalId = waiting.meta.requests.find((one) => one.resolver === resolver)?.id;
    const step = { type: 'asked', resolver, kind: 'approval', question } as const;
    call.watch?.step({ ...step, ...(approvalId !== undefined && { approvalId }) });
  }
  return waiting;
}
