/** Tests the events that a call emits: each type, on both eras, over all rounds. */
import { McpServer } from '@modelcontextprotocol/server';
import type { ElicitResult } from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  install,
  listRoots,
  outcome,
  requestStateSeal,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { AnyDefinition, CallEvent, InstallOptions } from 'mcp-resolve';
import { accept, cancel, decline, roots, run, says, type Era } from 'mcp-resolve/testing';
import { memoryStore } from 'mcp-resolve/store';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import {
  connectClient,
  type FormRequest,
  type PlainClient,
  type ScriptedUser,
} from '../support/plainClient.js';
import { protocolErrorOf, questionsOf } from '../support/results.js';

/** Connects a client to a server with one definition, and records its events and errors. */
async function connectListening(
  era: Era,
  definition: AnyDefinition,
  { options, ...user }: ScriptedUser & { options?: InstallOptions } = {},
): Promise<PlainClient & { events: CallEvent[]; reported: string[] }> {
  const events: CallEvent[] = [];
  const reported: string[] = [];
  const factory = (): McpServer => {
    const server = new McpServer({ name: 'listened to', version: '1.0.0' });
    server.server.onerror = ({ message }) => void reported.push(message);
    install(server, [definition], {
      seal,
      onEvent: (event) => void events.push(event),
      ...options,
    });
    return server;
  };
  return Object.assign(await connectClient(era, factory, user), { events, reported });
}

const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
const yes = accept({ confirm: true });

/** Removes the properties of an event that differ from call to call. */
function stable(event: CallEvent): object {
  const { at: _, ...rest } = event;
  const { callId: __, durationMs: ___, afterMs: ____, ...others } = rest as Record<string, unknown>;
  return others;
}

const types = (events: readonly CallEvent[]): string[] => events.map(({ type }) => type);

const euros = resolver({}, async () => 900);
const approved = resolver({ euros }, (values) => confirm(`Pay ${values.euros} euros?`), {
  asks: 'form',
});
const pay = defineTool('pay', { resolve: { euros, approved } }, () => 'paid');

describe('a call that asks emits the events', () => {
  const definition = 'pay';
  const ran = { definition, type: 'ran' };

  test('of two rounds on modern', async () => {
    const { events, text } = await connectListening('modern', pay, { elicit: () => yes });
    await text('pay');

    const started = { definition, type: 'started', method: 'tools/call' };
    const completed = { definition, type: 'completed', replayed: false };
    expect(events.map(stable)).toEqual([
      { ...started, resumed: false },
      { ...ran, resolver: 'euros', gave: 'value' },
      { ...ran, resolver: 'approved', gave: 'question' },
      { definition, type: 'asked', resolver: 'approved', kind: 'form' },
      { ...completed, end: 'asked' },
      { ...started, resumed: true },
      { ...ran, resolver: 'euros', gave: 'value' },
      { ...ran, resolver: 'approved', gave: 'question' },
      {
        ...{ definition, type: 'answered', resolver: 'approved' },
        ...{ kind: 'form', by: 'person', fresh: true },
      },
      { ...completed, end: 'completed' },
    ]);
  });

  test('of one round on legacy', async () => {
    const { events, text } = await connectListening('legacy', pay, { elicit: () => yes });
    await text('pay');

    expect(events.map(stable)).toEqual([
      { definition, type: 'started', method: 'tools/call', resumed: false },
      { ...ran, resolver: 'euros', gave: 'value' },
      { ...ran, resolver: 'approved', gave: 'question' },
      { definition, type: 'asked', resolver: 'approved', kind: 'form' },
      {
        ...{ definition, type: 'answered', resolver: 'approved' },
        ...{ kind: 'form', by: 'person', fresh: true },
      },
      { definition, type: 'completed', end: 'completed', replayed: false },
    ]);
  });
});

describe.each(eras)('on the %s era', (era) => {
  test('all rounds of a call have the call id of its context, and each call its own', async () => {
    const ids: string[] = [];
    const tool = defineTool('t', { resolve: { approved } }, (_, ctx) => {
      ids.push(ctx.callId);
      return 'done';
    });
    const { events, text } = await connectListening(era, tool, { elicit: () => yes });
    await text('t');
    await text('t');

    const callIds = events.map((event) => ('callId' in event ? event.callId : undefined));
    expect(new Set(callIds)).toEqual(new Set(ids));
    expect(new Set(ids).size).toBe(2);
    expect(callIds.filter((id) => id === ids[0])).toHaveLength(events.length / 2);
  });

  test('events are in order of time, and a resolver takes no longer than its round', async () => {
    const slow = resolver({}, () => new Promise((resolve) => void setImmediate(resolve)));
    const tool = defineTool('t', { resolve: { slow } }, () => 'done');
    const before = Date.now();
    const { events } = await run(tool, {}, { era });

    const at = events.map((event) => event.at);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThanOrEqual(before);
    const [ran] = events.filter((event) => event.type === 'ran');
    const [completed] = events.filter((event) => event.type === 'completed');
    expect(ran!.durationMs).toBeGreaterThan(0);
    expect(completed!.durationMs).toBeGreaterThanOrEqual(ran!.durationMs);
  });

  test('a resolver that throws emits an error and fails the round', async () => {
    const fails = resolver({}, async () => {
      throw new ToolError('no');
    });
    const tool = defineTool('t', { resolve: { fails } }, () => 'done');
    const { events, isError } = await run(tool, {}, { era });

    expect(isError).toBe(true);
    expect(events).toMatchObject([
      { type: 'started' },
      { type: 'ran', resolver: 'fails', gave: 'error' },
      { type: 'completed', end: 'failed' },
    ]);
  });

  test('a body that throws fails the round', async () => {
    const tool = defineTool('t', {}, (): string => {
      throw new ToolError('no');
    });
    const { events, isError } = await run(tool, {}, { era });

    expect(isError).toBe(true);
    expect(events).toMatchObject([{ type: 'started' }, { type: 'completed', end: 'failed' }]);
  });

  test('a refusal emits its action, with and without an outcome', async () => {
    const ends = defineTool('t', { resolve: { approved } }, () => 'done');
    const goesOn = defineTool('t', { resolve: { approved: outcome(approved) } }, () => 'done');
    const declined = await run(ends, {}, { era, answers: { approved: decline() } });
    const cancelled = await run(goesOn, {}, { era, answers: { approved: cancel() } });

    const step = { definition: 't', type: 'declined', resolver: 'approved', fresh: true };
    expect(declined.isError).toBe(true);
    expect(declined.events.slice(-2)).toMatchObject([
      { ...step, action: 'decline' },
      { type: 'completed', end: 'failed' },
    ]);
    expect(cancelled.isError).toBe(false);
    expect(cancelled.events.slice(-2)).toMatchObject([
      { ...step, action: 'cancel' },
      { type: 'completed', end: 'completed' },
    ]);
  });

  test('an answer emits its source: the person, the model or the client', async () => {
    const model = resolver({}, () => sample({ messages: [], maxTokens: 1 }), { asks: 'sample' });
    const folders = resolver({}, () => listRoots(), { asks: 'roots' });
    const tool = defineTool('t', { resolve: { approved, model, folders } }, () => 'done');
    const scripted = { approved: yes, model: says('a'), folders: roots([]) };
    const { events } = await run(tool, {}, { era, answers: scripted });

    const answers = events.filter((event) => event.type === 'answered');
    expect(answers.map(({ resolver: key, kind, by }) => [key, kind, by]).sort()).toEqual([
      ['approved', 'form', 'person'],
      ['folders', 'roots', 'client'],
      ['model', 'sample', 'model'],
    ]);
  });

  test('a fallback emits an event, and no question', async () => {
    const day = resolver(
      {},
      () => elicit('Which day?', z.object({ day: z.string() }), { otherwise: { day: 'Monday' } }),
      { asks: 'form' },
    );
    const tool = defineTool('t', { resolve: { day } }, () => 'done');
    const { events, text } = await run(tool, {}, { era, capabilities: {} });

    expect(text).toBe('done');
    expect(events).toMatchObject([
      { type: 'started' },
      { type: 'ran', resolver: 'day', gave: 'question' },
      { definition: 't', type: 'fellBack', resolver: 'day', kind: 'form' },
      { type: 'completed', end: 'completed' },
    ]);
  });

  test('guards emit events like other resolvers, and before them', async () => {
    const guard = resolver({}, () => true);
    const tool = defineTool('t', { guards: [guard], resolve: { euros } }, () => 'done');
    const { events } = await run(tool, {}, { era });

    expect(events.flatMap((event) => ('resolver' in event ? [event.resolver] : []))).toEqual([
      'guard',
      'euros',
    ]);
  });

  const config = { resolve: { euros } };
  test.each([
    ['prompts/get', definePrompt('p', config, () => 'done')],
    ['resources/read', defineResource('r', 'sums://due', config, () => 'done')],
  ])('a call of %s emits the same events as a tool', async (method, one: AnyDefinition) => {
    const { events } = await run(one, undefined, { era });

    const definition = one.name;
    expect(events.map(stable)).toEqual([
      { definition, type: 'started', method, resumed: false },
      { definition, type: 'ran', resolver: 'euros', gave: 'value', value: 900 },
      { definition, type: 'completed', end: 'completed', replayed: false },
    ]);
  });

  test('a cancelled request completes as cancelled', async () => {
    const slow = resolver(
      {},
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
          started();
        }),
    );
    let started = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const tool = defineTool('t', { resolve: { slow } }, () => 'done');
    const { events, client } = await connectListening(era, tool);
    const controller = new AbortController();
    const call = client.callTool({ name: 't' }, { signal: controller.signal });
    call.catch(() => undefined);
    await running;
    controller.abort();

    await expect(call).rejects.toThrow();
    await vi.waitFor(() => {
      expect(events.filter(({ type }) => type === 'completed')).toMatchObject([
        { end: 'cancelled' },
      ]);
    });
  });

  describe('values', () => {
    const code = resolver({}, () => 'a secret');
    const kept = resolver({}, () => 'kept secret', { pin: z.string() });
    const name = resolver(
      { code },
      () => elicit('Your secret name?', z.object({ name: z.string() })),
      { asks: 'form' },
    );
    const tool = defineTool('t', { resolve: { code, kept, name } }, () => 'done');
    const user = { elicit: () => accept({ name: 'secretary' }) };

    test('are not in the events by default', async () => {
      const { events, text } = await connectListening(era, tool, user);
      await text('t');

      expect(types(events)).toEqual(expect.arrayContaining(['ran', 'asked', 'answered']));
      expect(JSON.stringify(events)).not.toContain('secre');
    });

    test('are in the events with eventValues', async () => {
      const options = { eventValues: true };
      const { events, text } = await connectListening(era, tool, { ...user, options });
      await text('t');

      const [ran] = events.filter((event) => event.type === 'ran' && event.resolver === 'code');
      const [asked] = events.filter((event) => event.type === 'asked');
      const [answered] = events.filter((event) => event.type === 'answered');
      expect(ran).toHaveProperty('value', 'a secret');
      expect(asked).toMatchObject({ question: { message: 'Your secret name?' } });
      expect(answered).toHaveProperty('value', { name: 'secretary' });
      const restored = events.filter((event) => event.type === 'restored');
      expect(restored.map((event) => event.value)).toEqual(era === 'modern' ? ['kept secret'] : []);
      const valueless = events.filter((event) => event.type === 'ran' && event.gave !== 'value');
      expect(valueless).not.toEqual([]);
      for (const event of valueless) expect(event).not.toHaveProperty('value');
    });
  });

  test.each([
    [
      'throws',
      (): void => {
        throw new Error('a broken listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('a broken listener'))],
  ])(
    'a listener that %s does not affect the call, and its error is reported',
    async (_, onEvent) => {
      const { text, reported } = await connectListening(era, pay, {
        elicit: () => yes,
        options: { onEvent },
      });

      expect(await text('pay')).toBe('paid');
      await vi.waitFor(() => {
        expect(reported).toHaveLength(era === 'modern' ? 10 : 6);
      });
      expect(new Set(reported)).toEqual(new Set(['a broken listener']));
    },
  );
});

describe('on the modern era only', () => {
  test('an answer of an earlier round is not fresh', async () => {
    const first = resolver({}, () => confirm('First?'), { asks: 'form' });
    const second = resolver({ first }, () => confirm('Second?'), { asks: 'form' });
    const tool = defineTool('t', { resolve: { first, second } }, () => 'done');
    const { events } = await run(tool, {}, { answers: { first: yes, second: yes } });

    const answers = events.filter((event) => event.type === 'answered');
    expect(answers.map(({ resolver: key, fresh }) => [key, fresh])).toEqual([
      ['first', true],
      ['first', false],
      ['second', true],
    ]);
  });

  test('a refusal of an earlier round is not fresh', async () => {
    const first = resolver({}, () => confirm('First?'), { asks: 'form' });
    const second = resolver({ first: outcome(first) }, () => confirm('Second?'), { asks: 'form' });
    const tool = defineTool('t', { resolve: { second } }, () => 'done');
    const { events } = await run(tool, {}, { answers: { first: decline(), second: yes } });

    const declined = events.filter((event) => event.type === 'declined');
    expect(declined.map(({ fresh, action }) => [action, fresh])).toEqual([
      ['decline', true],
      ['decline', false],
    ]);
  });

  test('a pinned value is restored without running its function', async () => {
    const price = resolver({}, () => 9, { pin: z.number() });
    const agreed = resolver({ price }, (values) => confirm(`Pay ${values.price}?`), {
      asks: 'form',
    });
    const tool = defineTool('t', { resolve: { price, agreed } }, () => 'done');
    const { events } = await run(tool, {}, { answers: { agreed: yes } });

    const steps = events.filter((event) => 'resolver' in event && event.resolver === 'price');
    expect(steps.map(stable)).toEqual([
      { definition: 't', type: 'ran', resolver: 'price', gave: 'value', value: 9 },
      { definition: 't', type: 'restored', resolver: 'price', value: 9 },
    ]);
  });

  test('a rejected state emits only its reason', async () => {
    const capabilities = { elicitation: {} };
    const { events, sendRound } = await connectListening('modern', pay, { capabilities });
    const { requestState } = questionsOf(await sendRound('pay'));
    events.length = 0;
    const { code } = await protocolErrorOf(
      sendRound('pay', {}, { requestState: `${requestState}!` }),
    );
    expect(code).toBe(-32602);
    await protocolErrorOf(sendRound('pay', { more: 1 }, { requestState }));

    const rejected = {
      type: 'rejected',
      at: expect.any(Number) as number,
      method: 'tools/call',
    };
    expect(events).toEqual([
      { ...rejected, reason: 'malformed' },
      { ...rejected, reason: 'request binding' },
    ]);
  });

  test('a repeated call of a tool with `once` is replayed and runs no resolver', async () => {
    const once = defineTool('pay', { resolve: { approved }, once: memoryStore() }, () => 'paid');
    const { events, sendRound } = await connectListening('modern', once, {
      capabilities: { elicitation: {} },
    });
    const { requestState } = questionsOf(await sendRound('pay'));
    const last = { requestState, inputResponses: { approved: yes } };
    await sendRound('pay', {}, last);
    events.length = 0;
    await sendRound('pay', {}, last);

    expect(events.map(stable)).toEqual([
      { definition: 'pay', type: 'started', method: 'tools/call', resumed: true },
      { definition: 'pay', type: 'completed', end: 'completed', replayed: true },
    ]);
  });
});

test('on the legacy era every state is rejected', async () => {
  const { events, client } = await connectListening('legacy', pay, { elicit: () => yes });
  const params = { name: 'pay', requestState: 'a state' };
  await protocolErrorOf(client.request({ method: 'tools/call', params }));

  expect(events.map(stable)).toEqual([
    { type: 'rejected', reason: 'request binding', method: 'tools/call' },
  ]);
});

describe('N8 the time that an answer took', () => {
  const note = outcome(
    resolver({}, () => elicit('A note?', z.object({ note: z.string() })), { asks: 'form' }),
  );
  const tool = defineTool('refund', { resolve: { note, approved } }, () => 'done');
  const timesOf = (events: readonly CallEvent[]): readonly unknown[] =>
    events
      .filter((event) => event.type === 'answered' || event.type === 'declined')
      .map(({ type, resolver, fresh, afterMs }) => [type, resolver, fresh, afterMs]);

  /** Answers after a time that only the fake clock knows. */
  const answering =
    (ms: number) =>
    ({ message }: FormRequest): ElicitResult => {
      vi.advanceTimersByTime(ms);
      return message === 'A note?' ? { action: 'decline' } : yes;
    };

  test.each(eras)('is in the events of fresh answers, on %s', async (era) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const user = { elicit: answering(4000) };
      const { events, text } = await connectListening(era, tool, user);
      await text('refund');
      // A modern client gets both questions at once, and answers one after the other.
      const after = era === 'modern' ? 8000 : 4000;
      expect(timesOf(events)).toEqual([
        ['declined', 'note', true, after],
        ['answered', 'approved', true, after],
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is not in the events of recorded answers', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const second = resolver({ approved }, () => confirm('Really?'), { asks: 'form' });
      const twice = defineTool('twice', { resolve: { second } }, () => 'done');
      const { events, text } = await connectListening('modern', twice, { elicit: answering(50) });
      await text('twice');
      expect(timesOf(events)).toEqual([
        ['answered', 'approved', true, 50],
        ['answered', 'approved', false, undefined],
        ['answered', 'second', true, 50],
      ]);
      expect(events.filter((event) => 'afterMs' in event)).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is at least zero if the clock of this process is behind', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const elicit = (): typeof yes => {
        vi.setSystemTime(Date.now() - 5000);
        return yes;
      };
      const { events, text } = await connectListening('modern', pay, { elicit });
      await text('pay');
      expect(timesOf(events)).toEqual([['answered', 'approved', true, 0]]);
    } finally {
      vi.useRealTimers();
    }
  });
});
