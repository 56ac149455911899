/** The records, inboxes and events that the functions of a desk and its waiting calls share. */
import type { Result } from '@modelcontextprotocol/server';
import { isThenable } from '../values.js';
import type { DeskEvent } from './deskEvent.js';
import type { DeskSettings } from './deskOptions.js';
import { Inboxes } from './inbox.js';
import { decodeCall, encodeCall, lifeOf, stateOf, withRequest } from './parkedCall.js';
import type { ParkedCall, StoredRequest } from './parkedCall.js';
import { Records } from './records.js';

/** Returns the key of a parked call. */
function callKey(digest: string): string {
  return `call/${digest}`;
}

/** Returns the key of the record that says where a request is parked. */
export function idKey(id: string): string {
  return `id/${id}`;
}

type WithoutTime<E> = E extends DeskEvent ? Omit<E, 'at'> : never;

/** A parked call, as its record was read or written last. */
export class ParkedRecord {
  call: ParkedCall | undefined;
  private text: string | undefined;

  constructor(
    private readonly records: Records,
    readonly key: string,
  ) {}

  async read(): Promise<void> {
    this.text = await this.records.get(callKey(this.key));
    this.call = decodeCall(this.text);
  }

  /** Replaces the call. Returns false if its record has changed since. */
  async put(next: ParkedCall, onFailure?: () => void): Promise<boolean> {
    const text = encodeCall(next);
    const how = { was: this.text, until: lifeOf(next), of: next.of, onFailure };
    const isWritten = await this.records.put(callKey(this.key), text, how);
    if (isWritten) [this.text, this.call] = [text, next];
    return isWritten;
  }
}

/** A desk. */
export class DeskCore {
  readonly records: Records;
  readonly inboxes: Inboxes;
  /** The rounds of tasks that run in this process. Polls for one task share a round. */
  readonly rounds = new Map<string, Promise<Result | undefined>>();

  constructor(readonly settings: DeskSettings) {
    this.records = new Records(settings.store, settings.now);
    this.inboxes = new Inboxes(this.records, settings);
  }

  now(): number {
    return this.settings.now();
  }

  /** Sends an event to the listener, which cannot change what happens. */
  tell(event: WithoutTime<DeskEvent>): void {
    const ignore = (): void => undefined;
    try {
      const told: unknown = this.settings.onEvent?.({ ...event, at: this.now() });
      if (isThenable(told)) told.then(undefined, ignore);
    } catch {
      ignore();
    }
  }

  /** Reads the record of a call, which may be empty. */
  async read(key: string): Promise<ParkedRecord> {
    const stored = new ParkedRecord(this.records, key);
    await stored.read();
    return stored;
  }

  /**
   * Changes a parked call. The function returns undefined to leave it as it is, also if there is no
   * such call.
   */
  async change(
    key: string,
    decide: (call: ParkedCall) => ParkedCall | undefined,
  ): Promise<ParkedCall | undefined> {
    return this.records.change(callKey(key), (present) => {
      const call = decodeCall(present);
      const next = call && decide(call);
      if (next === undefined) return { result: undefined };
      return { value: encodeCall(next), until: lifeOf(next), of: next.of, result: next };
    });
  }

  /**
   * Lists the requests of a call that wait, and no others. A failure changes no answer: what is
   * left over in an inbox is not shown.
   */
  async relist(key: string, call: ParkedCall): Promise<void> {
    const waits = (request: StoredRequest): boolean =>
      stateOf(call, request, this.now()) === 'pending';
    try {
      for (const request of call.requests) if (waits(request)) await this.inboxes.add(request, key);
      await this.unlist(call.requests.filter((request) => !waits(request)));
    } catch {
      // The entries expire.
    }
  }

  /** Removes requests from the inboxes. */
  async unlist(requests: readonly StoredRequest[]): Promise<void> {
    if (requests.length === 0) return;
    const ids = new Set(requests.map(({ id }) => id));
    await this.inboxes.remove(
      requests.flatMap(({ by }) => by),
      ids,
    );
  }

  /** Voids a request, unless its call has run, because a newer one is about the same thing. */
  async replace(older: { readonly id: string; readonly call: string }, by: string): Promise<void> {
    let replaced: StoredRequest | undefined;
    const call = await this.change(older.call, (present) => {
      replaced = present.requests.find(({ id }) => id === older.id);
      if (
        replaced === undefined ||
        ['used', 'over'].includes(stateOf(present, replaced, this.now()))
      )
        return undefined;
      return withRequest(present, { ...replaced, replaced: true });
    });
    if (call === undefined || replaced === undefined) return;
    this.tell({ type: 'replaced', id: older.id, tool: call.tool, by });
    await this.relist(older.call, call);
  }
}
