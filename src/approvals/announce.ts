/** Announces a request: stores where it is parked, lists it for its groups, and notifies approvers. */
import { dataDigest } from '../state/canonical.js';
import { inTime } from '../store/inTime.js';
import { idKey } from './deskCore.js';
import type { DeskCore } from './deskCore.js';
import { sameGroups } from './inbox.js';
import { shownRequest, withRequest } from './parkedCall.js';
import type { ParkedCall, StoredRequest } from './parkedCall.js';

/** A request that has been stored with its call. */
export interface NewRequest {
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
export async function list(core: DeskCore, made: NewRequest): Promise<void> {
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
export async function notify(
  core: DeskCore,
  { request, call, key }: NewRequest,
): Promise<{ readonly error: unknown } | undefined> {
  const failure = await tryNotify(core, call, request);
  const { announcer, ...announced } = request;
  await core.change(key, (present) => {
    const known = present.requests.find(({ id }) => id === request.id);
    if (announcer === undefined || known?.announcer?.owner !== announcer.owner) return undefined;
    const { announcer: _, ...rest } = { ...announced, ...known };
    const next = failure === undefined ? rest : { ...rest, announcer: { ...announcer, until: 0 } };
    return withRequest(present, next);
  });
  return failure;
}

async function tryNotify(
  core: DeskCore,
  call: ParkedCall,
  request: StoredRequest,
): Promise<{ readonly error: unknown } | undefined> {
  const { notify: tell } = core.settings;
  try {
    if (tell !== undefined)
      await inTime(() => Promise.resolve(tell(shownRequest(call, request, core.now()))));
    return undefined;
  } catch (error) {
    return { error };
  }
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
