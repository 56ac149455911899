/**
 * Answers requests about the tasks of a desk. A task is stored with its call, so deciding,
 * claiming, cancelling and ending are compare-and-sets of one record.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ParkedTasks, TaskRequest } from '../call/parkedTasks.js';
import { utf8 } from '../platform.js';
import { isTooDeep } from '../state/canonical.js';
import type { DeskCore } from './deskCore.js';
import { changeTask, findTask } from './foundTask.js';
import type { FoundTask } from './foundTask.js';
import { isWaiting } from './storedTask.js';
import { endedTask } from './taskChanges.js';
import { callIn, poll } from './taskPoll.js';
import type { Rounds } from './taskPoll.js';

/** Returns the tasks of a desk. */
export function tasksAt(core: DeskCore): ParkedTasks {
  const rounds: Rounds = new Map();
  return {
    callOf: async (id) => {
      const found = await findTask(core, id);
      return found && callIn(found);
    },
    answer: async (request) => {
      const found = await findTask(core, request.id);
      // An id alone permits nothing.
      if (found?.task.whose !== request.whose) return undefined;
      if (request.method === 'tasks/get') return poll({ core, rounds, request }, found);
      if (request.method === 'tasks/cancel') await cancel(core, found);
      else await update(core, found, request);
      return { resultType: 'complete' };
    },
  };
}

/** Withdraws the requests of a task and ends it, unless the body has started. */
async function cancel(core: DeskCore, found: FoundTask): Promise<void> {
  const at = core.now();
  const cancelled = await changeTask(core, found, (call, task) =>
    isWaiting(task)
      ? { ...call, withdrawn: true, task: endedTask(call, task, { at, end: 'cancelled' }) }
      : undefined,
  );
  if (cancelled === undefined) return;
  const { tool, requests } = cancelled;
  for (const { id } of requests) core.tell({ type: 'withdrawn', id, tool });
  await core.relist(found.key, cancelled);
}

/** Keeps the answers to open questions for the next round. It ignores all others. */
async function update(core: DeskCore, found: FoundTask, request: TaskRequest): Promise<void> {
  const { responses, maxBytes } = request;
  await changeTask(core, found, (call, task) => {
    const { questions = {}, answers = {} } = task;
    const answered = Object.keys(questions).filter((key) => Object.hasOwn(responses, key));
    if (answered.length === 0 || !isWaiting(task)) return undefined;
    const given = answered.map((key) => [questions[key]?.resolver ?? key, responses[key]] as const);
    const all = { ...answers, ...Object.fromEntries<unknown>(given) };
    if (isTooDeep(all) || utf8(JSON.stringify(all)).length > maxBytes) throw tooLarge(maxBytes);
    const rest = Object.entries(questions).filter(([key]) => !answered.includes(key));
    const next = { questions: Object.fromEntries(rest), answers: all, updatedAt: core.now() };
    return { ...call, task: { ...task, ...next } };
  });
}

function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `The answers are nested too deeply, or take more than ${maxBytes} bytes`,
  );
}
