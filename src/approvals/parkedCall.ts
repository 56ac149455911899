/**
 * The record of a parked call, and how decisions change it. Deciding, withdrawing and claiming all
 * replace this one record by compare-and-set, so each sees the one before.
 *
 * ```
 *              quorum reached           claimed
 *  pending ───────────────► approved ───────────► used
 *     │                        │
 *     ├─── one no ─────────────┴──► denied      until the body starts
 *     └─── expired, withdrawn, replaced ──► over     from every state but `used`
 * ```
 */
import type { Result } from '@modelcontextprotocol/server';
import type { Approver, ApprovalTerms } from '../author/approvalTerms.js';
import type { TaskQuestion } from '../call/parking.js';
import { isObject } from '../values.js';
import { randomId } from '../platform.js';

/** The state of a request. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'used' | 'over';

/** A decision of an approver. */
export interface Decision extends Approver {
  readonly verdict: 'approve' | 'deny';
}

/** A request as approvers see it. The times are in milliseconds since the epoch. */
export interface ApprovalRequest extends Omit<ApprovalTerms, 'about'> {
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly decisions: readonly Decision[];
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly state: RequestState;
}

/** A request as it is stored. */
export interface StoredRequest extends ApprovalTerms {
  readonly id: string;
  /** The wire key of the resolver. */
  readonly resolver: string;
  /** The digest of the question. */
  readonly digest: string;
  /** The digests of the body's values at the time of the request, by parameter. */
  readonly values: Readonly<Record<string, string>>;
  readonly decisions: readonly Decision[];
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** True if a newer request about the same thing has replaced it. */
  readonly replaced?: true;
  /** The call that announces it, and the time until which no other does. Missing afterwards. */
  readonly announcer?: { readonly owner: string; readonly until: number };
}

/** A parked call. */
export interface ParkedCall {
  readonly tool: string;
  /** The user that the record counts for. */
  readonly of?: string | undefined;
  /** The record of the call, encoded. */
  readonly record: string;
  readonly requests: readonly StoredRequest[];
  readonly withdrawn?: true;
  /** Set once the call has been claimed. */
  readonly ran?: { readonly owner: string; readonly until: number };
  /** The task that a client has a handle of. It may be of an earlier call with the same key. */
  readonly task?: StoredTask | undefined;
}

/** The end of a task: a result, that of `once`, or none. */
export type TaskEnd = { readonly result: Result } | 'ran' | 'cancelled';

/** A task as it is stored. The times are in milliseconds since the epoch. */
export interface StoredTask {
  /** The part of the id that cannot be guessed. */
  readonly secret: string;
  /** A digest of the caller. */
  readonly whose: string;
  /** The arguments as the client sent them. */
  readonly args?: unknown;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The time until which a client was told to keep the handle. Open requests may prolong it. */
  readonly until: number;
  /** The number of rounds that have asked. */
  readonly rounds: number;
  /** The questions of the last round that asked, by the key that the client sees. */
  readonly asked?: Readonly<Record<string, AskedQuestion>> | undefined;
  /** The id of the call in the records of `once`, and the time of its claim. */
  readonly ran?: { readonly id: string; readonly at: number } | undefined;
  readonly end?: TaskEnd;
}

interface AskedQuestion extends TaskQuestion {
  /** The answer of the client, for the next round. */
  readonly answer?: unknown;
}

const VERSION = 1;

/** Encodes a call with a new revision, so that no value of a record ever returns. */
export function encodeCall(call: ParkedCall): string {
  return JSON.stringify({ ...call, v: VERSION, revision: randomId() });
}

/**
 * Decodes the record of a call.
 *
 * @throws {Error} If it is not a record of this version.
 */
export function decodeCall(text: string | undefined): ParkedCall | undefined {
  if (text === undefined) return undefined;
  const call: unknown = JSON.parse(text);
  if (isObject(call) && call.v === VERSION) return call as unknown as ParkedCall;
  throw new Error(
    `The store has a parked call of another version of mcp-resolve than ${VERSION}, so it cannot be read.`,
  );
}

/** Returns the state of a request. */
export function stateOf(call: ParkedCall, request: StoredRequest, now: number): RequestState {
  if (call.ran !== undefined) return 'used';
  if (call.withdrawn || request.replaced || now >= request.expiresAt) return 'over';
  if (request.decisions.some(({ verdict }) => verdict === 'deny')) return 'denied';
  return request.decisions.length >= request.quorum ? 'approved' : 'pending';
}

/** Returns true if a call has run, or has a request that still counts. */
export function isLive(call: ParkedCall, now: number): boolean {
  if (call.ran !== undefined) return now < call.ran.until;
  return call.requests.some((request) => stateOf(call, request, now) !== 'over');
}

/** Returns the time until which the record of a call has to live. */
export function lifeOf(call: ParkedCall): number {
  return Math.max(call.ran?.until ?? lastExpiry(call), call.task?.until ?? 0);
}

/** Returns the time at which the last request of a call expires. */
export function lastExpiry({ requests }: ParkedCall): number {
  return Math.max(...requests.map(({ expiresAt }) => expiresAt), 0);
}

/** Returns a request as approvers see it. */
export function shownRequest(
  call: ParkedCall,
  request: StoredRequest,
  now: number,
): ApprovalRequest {
  const { id, message, facts, by, requester, quorum, decisions, requestedAt, expiresAt } = request;
  const terms = { message, facts, by, requester, quorum };
  const state = stateOf(call, request, now);
  return { id, tool: call.tool, ...terms, decisions, requestedAt, expiresAt, state };
}

/** Returns a call with one request changed. */
export function withRequest(call: ParkedCall, changed: StoredRequest): ParkedCall {
  const requests = call.requests.map((one) => (one.id === changed.id ? changed : one));
  return { ...call, requests };
}

/** A decision that somebody makes. */
export interface GivenDecision {
  /** The id of the person who decides, as the author's sign-in knows it. */
  readonly who: string;
  /** The groups of the person, as the author's sign-in knows them. */
  readonly groups: readonly string[];
  readonly verdict: 'approve' | 'deny';
  readonly comment?: string;
}

/** The reason why a decision or a withdrawal does not count. */
export type NotCounted =
  | 'unknown'
  | 'not in the group'
  | 'own request'
  | 'not the requester'
  | 'over'
  | 'used'
  | 'denied'
  /** The person has approved another request of the same call. */
  | 'counted already';

/** The result of a decision or a withdrawal. */
export interface Decided {
  readonly counted: boolean;
  /** The state of the request afterwards. An unknown request counts as over. */
  readonly state: RequestState;
  readonly why?: NotCounted;
}

/** A decision, and the call with it if it changes the call. */
export interface Judged {
  readonly decided: Decided;
  readonly next?: ParkedCall;
}

/** The time of a decision, and how long a request lives after it. */
export interface DecisionTime {
  readonly now: number;
  readonly ttlMs: number;
}

/** Judges a decision on one request of a call. */
export function judge(
  call: ParkedCall,
  { request, given }: { readonly request: StoredRequest; readonly given: GivenDecision },
  { now, ttlMs }: DecisionTime,
): Judged {
  const { who, verdict, comment } = given;
  const before = stateOf(call, request, now);
  const why = objectionTo(call, { request, given }, before);
  if (why !== undefined) return { decided: { counted: false, state: before, why } };
  const others = request.decisions.filter((one) => !isSamePerson(one.who, who));
  const own = request.decisions.find((one) => isSamePerson(one.who, who));
  if (own?.verdict === verdict) return { decided: { counted: true, state: before } };
  const decision = { who, verdict, at: now, ...(comment !== undefined && { comment }) };
  const decisions = [...others, decision];
  const next = withRequest(call, { ...request, decisions, expiresAt: now + ttlMs });
  const state = stateOf(next, { ...request, decisions, expiresAt: now + ttlMs }, now);
  return { decided: { counted: true, state }, next };
}

function objectionTo(
  call: ParkedCall,
  { request, given }: { readonly request: StoredRequest; readonly given: GivenDecision },
  state: RequestState,
): NotCounted | undefined {
  const { who, groups, verdict } = given;
  if (!request.by.some((group) => groups.includes(group))) return 'not in the group';
  if (isSamePerson(who, request.requester)) return 'own request';
  if (state === 'over' || state === 'used') return state;
  const hasDecided = (one: StoredRequest, as: Decision['verdict']): boolean =>
    one.decisions.some((own) => own.verdict === as && isSamePerson(own.who, who));
  if (state === 'denied')
    return hasDecided(request, 'deny') && verdict === 'deny' ? undefined : state;
  const others = call.requests.filter(({ id }) => id !== request.id);
  const isCounted = others.some((other) => hasDecided(other, 'approve'));
  return verdict === 'approve' && isCounted ? 'counted already' : undefined;
}

/** Returns true if two ids are the same but for case, width, spaces and characters that do not show. */
export function isSamePerson(one: string, other: string): boolean {
  return personOf(one) === personOf(other);
}

/** Returns the form of an id that is the same for all ways to write it. */
export function personOf(who: string): string {
  const visible = who.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\s]/gu, '');
  return visible.toUpperCase().toLowerCase().normalize('NFKC');
}
