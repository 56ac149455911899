/**
 * Approvals: questions to somebody else. No client is asked, so no response of a client answers
 * them. The decisions come from the place where the call waits.
 */
import type { ApprovalData } from '../author/approvalTerms.js';
import { asciiJson } from '../platform.js';
import type { QuestionKind, Unusable } from './kind.js';

/** The kind of question that `approval` creates. */
export const approvalKind: QuestionKind<ApprovalData> = {
  render: ({ message, facts, by, requester, quorum, about }) => {
    const params = { message, facts, by, requester, quorum, about: about ?? null };
    return { method: 'approval', params, text: asciiJson({ approval: params }) };
  },

  capability: () => ({ name: 'approval', required: {}, isDeclaredIn: () => true }),

  receive: () => NO_ANSWER,

  outcomeFor: () => NO_ANSWER,
};

const NO_ANSWER: Unusable = { problem: 'asks for an approval, which no client can give' };
