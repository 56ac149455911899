/** Parks a call whose open questions are all approvals, and ends it until somebody has decided. */
import type { Ledger, Progress } from '../engine/ledger.js';
import type { Round, UnansweredQuestion } from '../engine/round.js';
import type { Call } from './call.js';
import { keepRecord, parkedRecord } from './callRecord.js';
import { declaresTasks } from './parking.js';
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
  const { error: waiting, handle } = await parking.park({
    record: parkedRecord(call, ledger.next()),
    open: approvals,
    values: round.knownValues(),
    sent: sentBy(call),
  });
  // Past McpServer, which would check it against the schema of the tool's result.
  if (handle !== undefined && call.boundary !== undefined) call.boundary.reply.handle = handle;
  for (const { resolver, terms: question } of approvals) {
    const approvalId = waiting.meta.requests.find((one) => one.resolver === resolver)?.id;
    const step = { type: 'asked', resolver, kind: 'approval', question } as const;
    call.watch?.reportStep({ ...step, ...(approvalId !== undefined && { approvalId }) });
  }
  return waiting;
}

/**
 * Returns the arguments as sent, if the client can poll a task. `toolHandler()` has no routes for
 * it.
 */
function sentBy(call: Call): { readonly args: unknown } | undefined {
  const { origin, isModern, boundary, clientCapabilities } = call;
  if (origin !== 'request' || !isModern || !declaresTasks(clientCapabilities)) return undefined;
  return boundary && { args: boundary.received.argsBefore };
}

/**
 * Keeps the progress of a call that asks, and returns the state for the client. The progress of a
 * task stays at its place, so its client gets no state.
 */
export async function keepProgress(
  call: Call,
  progress: Progress,
  open: readonly UnansweredQuestion[],
): Promise<string | undefined> {
  const { parking } = call;
  if (parking?.ask === undefined) return keepRecord(call, progress);
  const questions = open.map(({ node, asked }) => {
    const { method, params } = asked.rendered;
    const request = { method, ...(params && { params }) };
    return { resolver: node.key, capability: asked.capability.name, request };
  });
  await parking.ask({ record: parkedRecord(call, progress), questions });
  return undefined;
}
