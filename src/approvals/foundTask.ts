/** Finds and changes the task of a parked call. */
import type { DeskCore } from './deskCore.js';
import { callKey } from './deskCore.js';
import { TASK_PREFIX } from '../call/parkedTasks.js';
import { decodeCall } from './parkedCall.js';
import type { ParkedCall } from './parkedCall.js';
import type { StoredTask } from './storedTask.js';

/** A task that was found, with its call. */
export interface FoundTask {
  /** The key of the call. */
  readonly key: string;
  readonly call: ParkedCall;
  readonly task: StoredTask;
  /** The record that the task was read from. */
  readonly text: string | undefined;
}

const ID = new RegExp(`^${TASK_PREFIX}([\\w-]{43})-([\\w-]{22})$`);

/** Finds a task. The id may come from anybody. */
export async function findTask(core: DeskCore, id: string): Promise<FoundTask | undefined> {
  const [, key, secret] = ID.exec(id) ?? [];
  if (key === undefined) return undefined;
  const text = await core.records.get(callKey(key));
  const call = decodeCall(text);
  return call?.task?.secret === secret && call?.task
    ? { key, text, call, task: call.task }
    : undefined;
}

/** Changes the call of a task that has not ended. Returns what it was changed to, if it was. */
export async function changeTask(
  core: DeskCore,
  { key, task: { secret } }: FoundTask,
  decide: (call: ParkedCall, task: StoredTask) => ParkedCall | undefined,
): Promise<ParkedCall | undefined> {
  return core.change(key, (call) => {
    const { task } = call;
    return task?.secret === secret && task.end === undefined ? decide(call, task) : undefined;
  });
}
