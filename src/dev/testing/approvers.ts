/** The approvers of a run, who decide at its desk as the script says. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ApprovalDesk } from '../../approvals/desk.js';
import { APPROVALS_META_KEY } from '../../call/parking.js';
import type { ApprovalsMeta } from '../../call/parking.js';
import type { AnswerScript } from './answerScript.js';

/** The approvers of one run. */
export class Approvers {
  /** The requests that they have looked at. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly desk: ApprovalDesk,
    private readonly script: AnswerScript,
    /** True if the test has the desk, and may decide there itself. */
    private readonly isShared: boolean,
  ) {}

  /**
   * Decides on the requests that a result waits for, each once. Returns true if somebody decided.
   *
   * @throws {Error} If a request has no scripted decision, or the decision does not count.
   */
  async decide(result: unknown): Promise<boolean> {
    let hasDecided = false;
    for (const { id, resolver, by, state } of approvalsOf(result)?.requests ?? []) {
      if (state !== 'pending' || this.seen.has(id)) continue;
      this.seen.add(id);
      const decision = this.script.decisionOn(resolver, this.isShared);
      if (decision === undefined || decision.verdict === 'none') continue;
      const { verdict, comment } = decision;
      for (const who of decision.who) {
        const given = { who, groups: by, verdict, ...(comment !== undefined && { comment }) };
        const { counted, why } = await this.desk.decide(id, given);
        if (!counted) throw new Error(notCounted(resolver, who, why));
      }
      hasDecided = true;
    }
    return hasDecided;
  }
}

/** Returns what a result says about the approvals of its call. */
export function approvalsOf(result: unknown): ApprovalsMeta | undefined {
  const meta = (result as CallToolResult | undefined)?._meta?.[APPROVALS_META_KEY];
  return meta as ApprovalsMeta | undefined;
}

function notCounted(resolver: string, who: string, why: string | undefined): string {
  return `The scripted decision of '${who}' on the approval '${resolver}' does not count: ${why ?? 'unknown'}. Let somebody else decide.`;
}
