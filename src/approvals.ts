/**
 * The entry `mcp-resolve/approvals`: questions to somebody else, and the desk where they are
 * decided. Every export listed here is public API.
 *
 * @module mcp-resolve/approvals
 */
export { approval } from './author/approval.js';
export type { Approval, ApprovalOptions } from './author/approval.js';
export type { Approved, Approver } from './author/approvalTerms.js';
export { approvalDesk } from './approvals/desk.js';
export type { ApprovalDesk } from './approvals/desk.js';
export { approvalPage } from './approvals/page/approvalPage.js';
export type { ApprovalPageOptions, SignedIn } from './approvals/page/approvalPage.js';
export type { ApprovalDeskOptions } from './approvals/deskOptions.js';
export type {
  ApprovalRequest,
  Decided,
  Decision,
  GivenDecision,
  NotCounted,
  RequestState,
} from './approvals/parkedCall.js';

// The events of a desk.
export type {
  DecidedEvent,
  DeskEvent,
  EndedEvent,
  NotifyFailedEvent,
  ReplacedEvent,
  RequestedEvent,
  UsedEvent,
  WithdrawnEvent,
} from './approvals/deskEvent.js';

// The results of calls.
export { APPROVALS_META_KEY } from './call/parking.js';
export type { ApprovalRefusal, ApprovalsMeta } from './call/parking.js';
