/** Announces a request: stores where it is parked, lists it for its groups, and notifies approvers. */
import type { ParkingSlot } from '../call/parking.js';
import { dataDigest } from '../state/canonical.js';
import { inTime } from '../store/inTime.js';
import { StoreFullError } from '../store/recordStore.js';
import { storeError, tooManyError } from './approvalErrors.js';
import { idKey } from './deskCore.js';
import type { DeskCore } from './deskCore.js';
import { InboxFullError, sameGroups } from './inbox.js';
import { shownRequest, withRequest } from './parkedCall.js';
import type { ParkedCall, StoredRequest } from './parkedCall.js';

/** A call that was stored by an attempt, with the requests that the attempt reserved. */
interface StoredCall {
  readonly call: ParkedCall;
  /** The call as it was before, unless all its requests were over. */
  readonly before: ParkedCall | undefined;
  /** The attempt. */
  readonly owner: string;
}

/** Announces the requests that an attempt has reserved, and removes those that are gone. */
export async function announce(
  core: DeskCore,
  slot: ParkingSlot,
  { call, before, owner }: StoredCall,
): Promise<void> {
  const known = before?.requests ?? [];
  for (const request of call.requests) {
    if (request.announcer?.owner !== owner) continue;
    const made = { request, call, key: slot.key, audience: slot.audience };
    try {
      await storeSteps(slot, () => list(core, made));
    } catch (error) {
      if (!(error instanceof InboxFullError)) {
        // The next call announces it.
        await giveUp(core, made).catch(slot.report);
        throw error;
      }
      await storeSteps(slot, () => takeBack(core, made));
      throw tooManyError(request);
    }
    if (!known.some(({ id }) => id === request.id))
      core.tell({ type: 'requested', id: request.id, tool: call.tool });
    const failure = await storeSteps(slot, () => notify(core, made));
    if (failure === undefined) continue;
    core.tell({ type: 'notifyFailed', id: request.id, tool: call.tool });
    slot.report(failure.error);
  }
  await reportReplaced(core, call, known).catch(slot.report);
}

/** Takes a request back that has no room in an inbox. */
async function takeBack(core: DeskCore, { request, key }: NewRequest): Promise<void> {
  await core.change(key, (call) => ({
    ...call,
    requests: call.requests.filter(({ id }) => id !== request.id),
  }));
  await core.unlist([request]);
}

async function reportReplaced(
  core: DeskCore,
  { tool, requests }: ParkedCall,
  known: readonly StoredRequest[],
): Promise<void> {
  const gone = known.filter(({ id }) => !requests.some((request) => request.id === id));
  for (const { id, resolver } of gone) {
    const newer = requests.find((request) => request.resolver === resolver);
    if (newer !== undefined) core.tell({ type: 'replaced', id, tool, by: newer.id });
  }
  await core.unlist(gone);
}

/**
 * Runs steps of the store for a call.
 *
 * @throws {@link ToolError} If one fails. The failure is reported.
 * @throws {@link InboxFullError} If an inbox has no room.
 */
export async function storeSteps<T>({ report }: ParkingSlot, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InboxFullError) throw error;
    report(error);
    throw storeError(error instanceof StoreFullError);
  }
}

/** A request that has been stored with its call. */
interface NewRequest {
  readonly request: StoredRequest;
  readonly call: ParkedCall;
  /** The key of the call. */
  readonly key: string;
  readonly audience: string | undefined;
}

/**
 * Makes a request known to its groups. Until then, nobody can decide on it.
 *
 * @throws {@link InboxFullError} If too many requests wait.
 */
async function list(core: DeskCore, made: NewRequest): Promise<void> {
  const { request, key } = made;
  const { id } = request;
  await core.records.change(idKey(id), () => ({
    value: key,
    until: longestLife(core, request),
    result: undefined,
  }));
  await core.inboxes.add(request, key);
  if (request.about !== undefined) await replaceOlder(core, made, request.about);
}

/**
 * Notifies approvers, and notes that nobody has to announce the request any more. It returns the
 * error if `notify` fails. The next call that waits for the request then tries again.
 */
async function notify(
  core: DeskCore,
  made: NewRequest,
): Promise<{ readonly error: unknown } | undefined> {
  const { request, call } = made;
  const { notify: tell } = core.settings;
  const shown = shownRequest(call, request, core.now());
  const told = inTime(() => Promise.resolve(tell?.(shown)), '`notify`');
  const failure = await told.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failure !== undefined) await giveUp(core, made);
  else await changeAnnouncer(core, made, undefined);
  return failure;
}

/** Lets the next call announce a request, and a poll of its task after a while. */
async function giveUp(core: DeskCore, made: NewRequest): Promise<void> {
  await changeAnnouncer(core, made, { owner: '', until: core.now() });
}

/** Changes who announces a request, unless another attempt does so by now. */
async function changeAnnouncer(
  core: DeskCore,
  { request, key }: NewRequest,
  announcer: StoredRequest['announcer'],
): Promise<void> {
  await core.change(key, (present) => {
    const known = present.requests.find(({ id }) => id === request.id);
    if (known?.announcer === undefined || known.announcer.owner !== request.announcer?.owner)
      return undefined;
    const { announcer: _, ...rest } = known;
    return withRequest(present, announcer === undefined ? rest : { ...rest, announcer });
  });
}

/** Voids the request that was the newest about the same thing, and becomes the newest. */
async function replaceOlder(
  core: DeskCore,
  { request, call, key, audience }: NewRequest,
  about: string,
): Promise<void> {
  const { id, by } = request;
  const topic = `about/${await dataDigest([audience ?? null, call.tool, sameGroups(by), about])}`;
  const newest = `${id} ${key}`;
  for (;;) {
    const was = await core.records.get(topic);
    const [older = '', olderCall = ''] = was?.split(' ') ?? [];
    // First the older one, so that no failure leaves two that count.
    if (was !== undefined && olderCall !== key)
      await core.replace({ id: older, call: olderCall }, id);
    const until = longestLife(core, request);
    if (await core.records.put(topic, newest, { was, until })) return;
  }
}

/** The time until which a request lives at most, because each decision prolongs it. */
function longestLife(core: DeskCore, { quorum }: StoredRequest): number {
  return core.now() + core.settings.ttlMs * (quorum + 2);
}
