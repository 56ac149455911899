/**
 * A desk: where requests for approval wait, and where approvers decide. It keeps everything in its
 * store, so that every process that has the store serves the same desk.
 */
import { KIND } from '../author/brand.js';
import type { ParkingPlace, ParkingSlot } from '../call/parking.js';
import { isObject } from '../values.js';
import { visibleText } from '../visibleText.js';
import { DeskCore, idKey } from './deskCore.js';
import { deskSettings } from './deskOptions.js';
import type { ApprovalDeskOptions, DeskSettings } from './deskOptions.js';
import { isSamePerson, judge, personOf, shownRequest, stateOf } from './parkedCall.js';
import type {
  ApprovalRequest,
  Decided,
  GivenDecision,
  Judged,
  ParkedCall,
  StoredRequest,
} from './parkedCall.js';
import { tasksAt } from './taskRoutes.js';
import { CallAtDesk } from './deskParking.js';

/** A desk of approvals. Create it once, at module level, and pass it to the tools as `approvals`. */
export interface ApprovalDesk {
  /**
   * Decides on a request. The person and the groups must come from the author's own sign-in,
   * because an id alone permits nothing: the requester knows it, too.
   *
   * @throws {TypeError} If the decision is malformed.
   */
  readonly decide: (id: string, decision: GivenDecision) => Promise<Decided>;
  /** Returns the requests that wait for a group, or for one of several, oldest first. */
  readonly pending: (whose: {
    readonly by: string | readonly string[];
  }) => Promise<readonly ApprovalRequest[]>;
  /** Returns a request, or undefined if it is unknown or was replaced. */
  readonly read: (id: string) => Promise<ApprovalRequest | undefined>;
  /** Withdraws a request and the others of its call. Only the requester can. */
  readonly withdraw: (id: string, by: { readonly who: string }) => Promise<Decided>;
  readonly [KIND]: 'desk';
  readonly '~place': ParkingPlace;
  readonly '~settings': DeskSettings;
}

/**
 * Creates a desk.
 *
 * @example
 *
 * ```ts
 * const desk = approvalDesk({
 *   store: memoryStore(),
 *   notify: (request) => console.log(request.id),
 * });
 * ```
 *
 * @throws {TypeError} If an option is missing or invalid.
 */
export function approvalDesk(options: ApprovalDeskOptions): ApprovalDesk {
  const core = new DeskCore(deskSettings(options));
  return Object.freeze({
    decide: (id: string, decision: GivenDecision) => decide(core, id, checked(decision)),
    pending: async (whose: { readonly by: string | readonly string[] }) => pending(core, whose),
    read: (id: string) => read(core, id),
    withdraw: async (id: string, by: { readonly who: string }) => withdraw(core, id, by),
    [KIND]: 'desk' as const,
    '~place': {
      store: core.settings.store,
      serveTasks: core.settings.tasks ? tasksAt(core) : undefined,
      find: (slot: ParkingSlot) => CallAtDesk.find(core, slot),
    },
    '~settings': core.settings,
  });
}

const UNKNOWN: Decided = { counted: false, state: 'over', why: 'unknown' };
const GONE: Judged = { decided: { counted: false, state: 'over', why: 'over' } };

async function decide(core: DeskCore, id: string, given: GivenDecision): Promise<Decided> {
  const time = { now: core.now(), ttlMs: core.settings.ttlMs };
  const { tool, decided } = await changeRequest(core, id, (call, request) =>
    judge(call, { request, given }, time),
  );
  const { verdict } = given;
  if (tool !== undefined) core.tell({ type: 'decided', id, tool, verdict, ...decided });
  return decided;
}

async function withdraw(
  core: DeskCore,
  id: string,
  { who }: { readonly who: string },
): Promise<Decided> {
  assertPerson('withdraw', who);
  const { tool, decided } = await changeRequest(core, id, (call, request) => {
    const state = stateOf(call, request, core.now());
    if (!isSamePerson(who, request.requester))
      return { decided: { counted: false, state, why: 'not the requester' } };
    if (state === 'over' || state === 'used')
      return { decided: { counted: false, state, why: state } };
    return { decided: { counted: true, state: 'over' }, next: { ...call, withdrawn: true } };
  });
  if (tool !== undefined && decided.counted) core.tell({ type: 'withdrawn', id, tool });
  return decided;
}

/** Changes the call of a request, and the inboxes if the call has changed. */
async function changeRequest(
  core: DeskCore,
  id: string,
  judgeIt: (call: ParkedCall, request: StoredRequest) => Judged,
): Promise<{ readonly tool?: string; readonly decided: Decided }> {
  const key = await keyOf(core, id);
  if (key === undefined) return { decided: UNKNOWN };
  let judged = GONE;
  let tool: string | undefined;
  const call = await core.change(key, (present) => {
    const request = requestIn(present, id);
    judged = request === undefined ? GONE : judgeIt(present, request);
    tool = present.tool;
    return judged.next;
  });
  if (call !== undefined) await core.relist(key, call);
  return { decided: judged.decided, ...(tool !== undefined && { tool }) };
}

async function read(core: DeskCore, id: string): Promise<ApprovalRequest | undefined> {
  const key = await keyOf(core, id);
  return key === undefined ? undefined : readAt(core, key, id);
}

/** Reads a request of the call with a key. */
async function readAt(
  core: DeskCore,
  key: string,
  id: string,
): Promise<ApprovalRequest | undefined> {
  const { call } = await core.read(key);
  const request = call && requestIn(call, id);
  return request && shownRequest(call, request, core.now());
}

/** The number of calls that are read at the same time. */
const AT_ONCE = 50;

async function pending(
  core: DeskCore,
  { by }: { readonly by: string | readonly string[] },
): Promise<readonly ApprovalRequest[]> {
  const groups = [...new Set([by].flat())];
  const lists = await Promise.all(groups.map((group) => core.inboxes.list(group)));
  const entries = new Map(lists.flat().map((entry) => [entry.id, entry]));
  const found: ApprovalRequest[] = [];
  const todo = [...entries.values()];
  while (todo.length > 0) {
    const some = todo.splice(0, AT_ONCE).map(({ id, call }) => readAt(core, call, id));
    for (const request of await Promise.all(some)) {
      if (request?.state === 'pending') found.push(request);
    }
  }
  for (const { id } of found) entries.delete(id);
  if (entries.size > 0) await core.inboxes.remove(groups, new Set(entries.keys()));
  return found.sort((a, b) => a.requestedAt - b.requestedAt);
}

/** Returns the key of the call that a request belongs to. The id may come from anybody. */
async function keyOf(core: DeskCore, id: unknown): Promise<string | undefined> {
  if (typeof id !== 'string' || !/^AP-[\w-]{22}$/.test(id)) return undefined;
  return core.records.get(idKey(id));
}

function requestIn({ requests }: ParkedCall, id: string): StoredRequest | undefined {
  return requests.find((request) => request.id === id);
}

const LONGEST_COMMENT = 2000;

/** Checks a decision, and returns it with a comment that can be shown. */
function checked(given: GivenDecision): GivenDecision {
  if (!isObject(given))
    throw invalid('decide', 'the decision must be an object { who, groups, verdict }.');
  const { who, groups, verdict, comment } = given as Partial<GivenDecision>;
  assertPerson('decide', who);
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string'))
    throw invalid('decide', '`groups` must be an array of strings.');
  if (verdict !== 'approve' && verdict !== 'deny')
    throw invalid('decide', "`verdict` must be 'approve' or 'deny'.");
  const decision = { who, groups, verdict };
  if (comment === undefined || comment === '') return decision;
  if (typeof comment !== 'string' || comment.length > LONGEST_COMMENT)
    throw invalid(
      'decide',
      `\`comment\` must be a string of at most ${LONGEST_COMMENT} characters.`,
    );
  return { ...decision, comment: visibleText(comment) };
}

function assertPerson(caller: string, who: unknown): asserts who is string {
  if (typeof who !== 'string' || personOf(who) === '')
    throw invalid(caller, '`who` must be the id of the person who is signed in.');
}

function invalid(caller: string, problem: string): TypeError {
  return new TypeError(`${caller}(): ${problem}`);
}
