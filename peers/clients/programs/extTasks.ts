/** `@modelcontextprotocol/ext-tasks`, on a client of the SDK. */
import type { Client } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  type ApplicationInputHandler,
  type RawClientDispatch,
} from '@modelcontextprotocol/ext-tasks/client';

import type { OpenTaskSession, TaskSessionOptions } from '../taskSession.js';

const VERSION = '2026-07-28';

/** Without an address, the session leaves its requests to the SDK. */
export const open: OpenTaskSession = (client, options) => {
  const session = createTaskSessionFromClient(client as Client, {
    endpointId: 'bank',
    ...(options && ownRequests(options)),
  });
  return {
    callTool: (name, params) => session.callTool(name, params),
    resume: (taskId) =>
      session.resumeTask({
        endpointId: 'bank',
        generation: 'v2',
        taskId: taskId as never,
        originalOperation: 'tools/call',
      }),
    poll: (taskId) => session.task(taskId as never).snapshot(),
    close: () => session.close(),
  };
};

function ownRequests({ url, answer }: TaskSessionOptions) {
  const handle: ApplicationInputHandler['handle'] = async (request) =>
    answer!(String(request.params?.message)) as never;
  return {
    rawDispatch: dispatchTo(url),
    v2RequestFraming: {
      protocolVersion: VERSION,
      clientInfo: { name: 'ext-tasks', version: '1.0.0' },
      clientCapabilities: { elicitation: { form: {} } },
    },
    ...(answer && { onInputRequest: handle }),
  };
}

/** The SDK refuses a handle as the result of a call, so the host of the session sends the requests. */
function dispatchTo(url: URL): RawClientDispatch {
  let id = 0;
  return async (request, { signal } = {}) => {
    const { method, params } = request as {
      method: string;
      params: { name?: string; taskId?: string };
    };
    id += 1;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        'mcp-name': params.name ?? params.taskId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      ...(signal && { signal }),
    });
    const { result, error } = lastMessage(await response.text());
    return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
  };
}

/** Returns the last message of a response, which is JSON or an event stream. */
function lastMessage(text: string) {
  const messages = text.split('\n').flatMap((line) => /^(?:data: )?(\{.*)/.exec(line)?.[1] ?? []);
  return JSON.parse(messages.at(-1)!);
}
