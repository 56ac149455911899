import { DurableObject } from 'cloudflare:workers';
import type { RecordStore } from 'mcp-resolve/store';

/** Keeps one record, and deletes it after it has expired. */
export class StoredRecord extends DurableObject {
  read(): string | undefined {
    const found = this.ctx.storage.kv.get<{ value: string; expiresAt: number }>('record');
    return found && found.expiresAt > Date.now() ? found.value : undefined;
  }

  // Nothing else runs in the object between the comparison and the write.
  async write(value: string, was: string | undefined, ttlMs: number): Promise<boolean> {
    const known = this.read();
    if (known !== value && known !== was) return false;
    const expiresAt = Date.now() + ttlMs;
    this.ctx.storage.kv.put('record', { value, expiresAt });
    await this.ctx.storage.setAlarm(expiresAt + 60_000); // by then it has expired
    return true;
  }

  override async alarm(): Promise<void> {
    if (this.read() === undefined) await this.ctx.storage.deleteAll();
  }
}

/** Creates a store that all workers share. Each record is an object of its own. */
export function durableObjectStore(records: DurableObjectNamespace<StoredRecord>): RecordStore {
  return {
    get: (key) => records.getByName(key).read(),
    put: (key, value, { was, ttlMs }) => records.getByName(key).write(value, was, ttlMs),
  };
}
