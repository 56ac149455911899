/** Calls a Python server with resolvers, using `mcp-resolve/client`. */
import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import {
  accept,
  type Answers,
  cancel,
  decline,
  type OpenCall,
  resumeCall,
  startCall,
} from 'mcp-resolve/client';
import { describe, expect, test } from 'vitest';

import { connected, endOf, open, REFUSED, refusalOf } from '../support/calls.js';
import { pythonServer, routes, serving } from '../support/servers.js';

const table = { name: 'book_table', arguments: { guests: 4 } };
const first = ['seat', 'occasion', 'greeting', 'folders'].map(key);
const answered: Answers = {
  [key('seat')]: accept({ outside: true }),
  [key('occasion')]: accept({ occasion: 'a birthday' }),
  [key('greeting')]: {
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'Four chairs, one warm welcome' },
  },
  [key('folders')]: { roots: [{ uri: 'file:///home/ada/tables' }] },
};
const approve = { [key('approval')]: accept({ approve: true }) };
const remind = { [key('reminder')]: accept({ hours: 3 }) };
const booked = {
  guests: 4,
  outside: true,
  occasion: 'a birthday',
  deposit: 20,
  greeting: 'Four chairs, one warm welcome',
  folder: 'file:///home/ada/tables',
  reminder: 3,
};

describe.each(['HTTP', 'stdio'] as const)('round by round over %s', (via) => {
  const atTable = (use: (client: Client) => Promise<void>) =>
    serving(pythonServer, { via }, (server) => connected(server, {}, use));

  test('independent questions come in one round, dependent ones in later rounds', async () => {
    await atTable(async (client) => {
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
      const opened = open(await startCall(client, table));
      expect(Object.keys(opened.questions)).toEqual(first);
      const approving = open(await opened.answer(answered));
      expect(messages(approving)).toEqual({
        [key('approval')]: 'A table for 4 takes a deposit of 20 euros. Pay it?',
      });
      const reminding = open(await approving.answer(approve));
      expect(Object.keys(reminding.questions)).toEqual([key('reminder')]);
      expect(endOf(await reminding.answer(remind))).toEqual(booked);
    });
  });

  test('the result is checked against the output schema if the definition is known', async () => {
    await atTable(async (client) => {
      const { tools } = await client.listTools();
      const toolDefinition = tools.find(({ name }) => name === table.name)!;
      expect(Object.keys(toolDefinition.inputSchema.properties!)).toEqual(['guests']);
      const opened = open(await startCall(client, table, { toolDefinition }));
      const approving = open(await opened.answer(answered));
      const reminding = open(await approving.answer(approve));
      expect(endOf(await reminding.answer(remind))).toEqual(booked);
    });
  });

  test('only unanswered questions are asked again', async () => {
    await atTable(async (client) => {
      const opened = open(await startCall(client, table));
      const { [key('occasion')]: later, ...rest } = answered;
      const again = open(await opened.answer(rest));
      expect(Object.keys(again.questions)).toEqual([key('occasion'), key('approval')]);
      const reminding = open(await again.answer({ [key('occasion')]: later, ...approve }));
      expect(endOf(await reminding.answer(remind))).toEqual(booked);
    });
  });

  test('a refusal ends the call, or becomes an outcome', async () => {
    await atTable(async (client) => {
      const opened = open(await startCall(client, table));
      const declined = await opened.answer({ ...answered, [key('seat')]: decline() });
      expect(endOf(declined)).toBe(unresolved('seat', 'decline'));

      const unnamed = { ...answered, [key('occasion')]: decline() };
      const approving = open(await opened.answer(unnamed));
      const cancelled = await approving.answer({ [key('approval')]: cancel() });
      expect(endOf(cancelled)).toBe(unresolved('approval', 'cancel'));

      const reminding = open(await approving.answer(approve));
      const quiet = await reminding.answer({ [key('reminder')]: cancel() });
      const { reminder: _, ...without } = { ...booked, occasion: 'decline' };
      expect(endOf(quiet)).toMatchObject(without);
    });
  });

  test('an answer of the wrong shape is a tool error and can be corrected', async () => {
    await atTable(async (client) => {
      const opened = open(await startCall(client, table));
      const wrong = await opened.answer({ ...answered, [key('seat')]: accept({ outside: 'far' }) });
      expect(endOf(wrong)).toContain('does not match the requested schema');
      expect(Object.keys(open(await opened.answer(answered)).questions)).toEqual([key('approval')]);
    });
  });

  test('a changed state and a state with other arguments are refused', async () => {
    await atTable(async (client) => {
      const { requestState = '', ...rest } = open(await startCall(client, table)).toJSON();
      const middle = requestState.length >> 1;
      const other = requestState[middle] === 'A' ? 'B' : 'A';
      const changed = requestState.slice(0, middle) + other + requestState.slice(middle + 1);
      const forged = resumeCall<'tools/call'>(client, { ...rest, requestState: changed });
      expect(await refusalOf(forged.answer(answered))).toEqual(REFUSED);

      const params = { ...table, arguments: { guests: 8 } };
      const moved = resumeCall<'tools/call'>(client, { ...rest, params, requestState });
      expect(await refusalOf(moved.answer(answered))).toEqual(REFUSED);
    });
  });

  test('a saved call is finished by another process with the same key', async () => {
    const env = { MCP_RESOLVE_KEYS: 'a key that two processes share, for tests' };
    const inProcess = <T>(use: (client: Client) => Promise<T>) =>
      serving(pythonServer, { via, env }, (server) => connected(server, {}, use));
    const saved = await inProcess(async (client) => {
      const opened = open(await startCall(client, table));
      return JSON.stringify(await opened.answer(answered));
    });
    await inProcess(async (client) => {
      const approving = resumeCall<'tools/call'>(client, saved);
      const reminding = open(await approving.answer(approve));
      expect(endOf(await reminding.answer(remind))).toEqual(booked);
    });
  });
});

describe.each(['HTTP', 'stdio'] as const)('in the legacy era over %s', (via) => {
  const atTable = (people: People, use: (client: Client) => Promise<void>) => {
    const letAnswer = (client: Client): void => answerFor(client, people);
    return serving(pythonServer, { via }, (server) =>
      connected(server, { era: 'legacy', letAnswer }, use),
    );
  };

  test('the server sends the same questions during one call, with the same result', async () => {
    const asked: string[] = [];
    await atTable({ answers: { ...answered, ...approve, ...remind }, asked }, async (client) => {
      expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
      expect(endOf(await startCall(client, table))).toEqual(booked);
    });
    expect(asked).toEqual([...first, key('approval'), key('reminder')]);
  });

  test.each([
    ['decline', decline()],
    ['cancel', cancel()],
  ])('a %s ends the call before any other question', async (action, no) => {
    const asked: string[] = [];
    await atTable({ answers: { ...answered, [key('seat')]: no }, asked }, async (client) => {
      expect(endOf(await startCall(client, table))).toBe(unresolved('seat', action));
    });
    expect(asked).toEqual([key('seat')]);
  });
});

test.each(routes)(
  'a client without capabilities receives a protocol error, $era over $via',
  async ({ via, mode }) => {
    await serving(pythonServer, { via }, (server) =>
      connected(server, { era: mode, capabilities: {} }, async (client) => {
        const [code, message] = (await refusalOf(startCall(client, table))) as unknown[];
        expect(code).toBe(-32021);
        expect(message).toMatch(/^Client did not declare the form elicitation capability/);
      }),
    );
  },
);

/** Returns the wire key of a resolver of the server: its module and its name. */
function key(resolver: string): string {
  return `__main__:${resolver}`;
}

function unresolved(parameter: string, action: string): string {
  return `Error executing tool book_table: Resolver for parameter '${parameter}' could not resolve: elicitation was ${action}`;
}

/** The answers during a call, and the keys of the questions, as on the modern era. */
interface People {
  readonly answers: Answers;
  readonly asked: string[];
}

function answerFor(client: Client, { answers, asked }: People): void {
  const answer = (resolver: string): unknown => {
    asked.push(key(resolver));
    return answers[key(resolver)];
  };
  const topics = { outside: 'seat', occasion: 'occasion', approve: 'approval', hours: 'reminder' };
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const [field] = params.mode === 'url' ? [] : Object.keys(params.requestedSchema.properties);
    return answer(topics[field as keyof typeof topics]) as ElicitResult;
  });
  client.setRequestHandler('sampling/createMessage', () => answer('greeting') as never);
  client.setRequestHandler('roots/list', () => answer('folders') as never);
}

function messages({ questions }: OpenCall): Record<string, unknown> {
  const told = Object.entries(questions).map(([key, { method, params }]) => {
    return [key, method === 'elicitation/create' ? params.message : method] as const;
  });
  return Object.fromEntries(told);
}
