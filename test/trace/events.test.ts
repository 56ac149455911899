/** What a listener is told of a call: each kind of event, on both eras, over all rounds. */
import { McpServer } from '@modelcontextprotocol/server';
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
import { accept, decline, type Era } from 'mcp-resolve/testing';
import { memoryOnceStore } from 'mcp-resolve/once';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient, type PlainClient, type ScriptedUser } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf } from '../support/results.js';

/** A conversation with one definition, what its listener heard, and what went to `onerror`. */
async function listen(
  era: Era,
  definition: AnyDefinition,
  { options, ...person }: ScriptedUser & { options?: InstallOptions } = {},
): Promise<PlainClient & { heard: CallEvent[]; reported: string[] }> {
  const heard: CallEvent[] = [];
  const reported: string[] = [];
  const factory = (): McpServer => {
    const server = new McpServer({ name: 'heard', version: '1.0.0' });
    server.server.onerror = ({ message }) => void reported.push(message);
    install(server, [definition], {
      seal,
      onEvent: (event) => void heard.push(event),
      ...options,
    });
    return server;
  };
  return Object.assign(await connectClient(era, factory, person), { heard, reported });
}

const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
const yes = accept({ confirm: true });

/** An event without what differs from call to call. */
function told(event: CallEvent): object {
  const { at: _, ...rest } = event;
  const { callId: __, durationMs: ___, ...said } = rest as Record<string, unknown>;
  return said;
}

const types = (events: readonly CallEvent[]): string[] => events.map(({ type }) => type);

const euros = resolver({}, async () => 900);
const approved = resolver({ euros }, (values) => confirm(`Pay ${values.euros} euros?`));
const pay = defineTool('pay', { resolve: { euros, approved } }, () => 'paid');

describe('the events of a call that asks', () => {
  const definition = 'pay';
  const ran = { definition, type: 'ran' };

  test('on the modern era: two rounds', async () => {
    const { heard, text } = await listen('modern', pay, { elicit: () => yes });
    await text('pay');

    const started = { definition, type: 'started', method: 'tools/call' };
    const completed = { definition, type: 'completed', replayed: false };
    expect(heard.map(told)).toEqual([
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

  test('on the legacy era: one', async () => {
    const { heard, text } = await listen('legacy', pay, { elicit: () => yes });
    await text('pay');

    expect(heard.map(told)).toEqual([
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
  test('all rounds of a call have one id, which is the body’s, and another call has another', async () => {
    const ids: string[] = [];
    const tool = defineTool('t', { resolve: { approved } }, (_, ctx) => {
      ids.push(ctx.callId);
      return 'done';
    });
    const { heard, text } = await listen(era, tool, { elicit: () => yes });
    await text('t');
    await text('t');

    const told = heard.map((event) => ('callId' in event ? event.callId : undefined));
    expect(new Set(told)).toEqual(new Set(ids));
    expect(new Set(ids).size).toBe(2);
    expect(told.filter((id) => id === ids[0])).toHaveLength(heard.length / 2);
  });

  test('times are in order, and what ran is within its round', async () => {
    const slow = resolver({}, () => new Promise((resolve) => void setTimeout(resolve, 5)));
    const tool = defineTool('t', { resolve: { slow } }, () => 'done');
    const before = Date.now();
    const { heard, text } = await listen(era, tool);
    await text('t');

    const at = heard.map((event) => event.at);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThanOrEqual(before);
    const [ran] = heard.filter((event) => event.type === 'ran');
    const [completed] = heard.filter((event) => event.type === 'completed');
    expect(ran!.durationMs).toBeGreaterThan(0);
    expect(completed!.durationMs).toBeGreaterThanOrEqual(ran!.durationMs);
  });

  test('a resolver that throws gave an error, and the round has failed', async () => {
    const fails = resolver({}, async () => {
      throw new ToolError('no');
    });
    const tool = defineTool('t', { resolve: { fails } }, () => 'done');
    const { heard, errorText } = await listen(era, tool);
    await errorText('t');

    expect(heard.map(told)).toMatchObject([
      { type: 'started' },
      { type: 'ran', resolver: 'fails', gave: 'error' },
      { type: 'completed', end: 'failed' },
    ]);
  });

  test('a body that throws fails the round', async () => {
    const tool = defineTool('t', {}, (): string => {
      throw new ToolError('no');
    });
    const { heard, errorText } = await listen(era, tool);
    await errorText('t');

    expect(heard.map(told)).toMatchObject([
      { type: 'started' },
      { type: 'completed', end: 'failed' },
    ]);
  });

  test('a refusal says which, whether it ends the call or not', async () => {
    const ends = defineTool('t', { resolve: { approved } }, () => 'done');
    const goesOn = defineTool('t', { resolve: { approved: outcome(approved) } }, () => 'done');
    const first = await listen(era, ends, { elicit: () => decline() });
    await first.errorText('t');
    const second = await listen(era, goesOn, { elicit: () => ({ action: 'cancel' }) });
    await second.text('t');

    const declined = (events: CallEvent[]): object[] =>
      events.filter(({ type }) => type === 'declined' || type === 'completed').map(told);
    const step = { definition: 't', type: 'declined', resolver: 'approved', fresh: true };
    expect(declined(first.heard).slice(-2)).toMatchObject([
      { ...step, action: 'decline' },
      { end: 'failed' },
    ]);
    expect(declined(second.heard).slice(-2)).toMatchObject([
      { ...step, action: 'cancel' },
      { end: 'completed' },
    ]);
  });

  test('who answered is told: the person, the model, the client', async () => {
    const model = resolver({}, () => sample({ messages: [], maxTokens: 1 }));
    const folders = resolver({}, () => listRoots());
    const tool = defineTool('t', { resolve: { approved, model, folders } }, () => 'done');
    const { heard, text } = await listen(era, tool, {
      elicit: () => yes,
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'a' } }),
      roots: () => ({ roots: [] }),
    });
    await text('t');

    const answers = heard.filter((event) => event.type === 'answered');
    expect(answers.map(({ resolver: key, kind, by }) => [key, kind, by]).sort()).toEqual([
      ['approved', 'form', 'person'],
      ['folders', 'roots', 'client'],
      ['model', 'sample', 'model'],
    ]);
  });

  test('a fallback is told, and nobody is asked', async () => {
    const day = resolver({}, () =>
      elicit('Which day?', z.object({ day: z.string() }), { otherwise: { day: 'Monday' } }),
    );
    const tool = defineTool('t', { resolve: { day } }, () => 'done');
    const { heard, text } = await listen(era, tool);
    await text('t');

    expect(heard.map(told)).toMatchObject([
      { type: 'started' },
      { type: 'ran', resolver: 'day', gave: 'question' },
      { definition: 't', type: 'fellBack', resolver: 'day', kind: 'form' },
      { type: 'completed', end: 'completed' },
    ]);
  });

  test('guards are told like all resolvers, and before them', async () => {
    const guard = resolver({}, () => true);
    const tool = defineTool('t', { guards: [guard], resolve: { euros } }, () => 'done');
    const { heard, text } = await listen(era, tool);
    await text('t');

    expect(heard.flatMap((event) => ('resolver' in event ? [event.resolver] : []))).toEqual([
      'guard',
      'euros',
    ]);
  });

  test('prompts and resources are told like tools, under their own methods', async () => {
    const prompt = definePrompt('p', { resolve: { euros } }, () => 'done');
    const resource = defineResource('r', 'sums://due', { resolve: { euros } }, () => 'done');
    const first = await listen(era, prompt);
    await first.client.getPrompt({ name: 'p' });
    const second = await listen(era, resource);
    await second.client.readResource({ uri: 'sums://due' });

    const events = (definition: string, method: string): object[] => [
      { definition, type: 'started', method, resumed: false },
      { definition, type: 'ran', resolver: 'euros', gave: 'value' },
      { definition, type: 'completed', end: 'completed', replayed: false },
    ];
    expect(first.heard.map(told)).toEqual(events('p', 'prompts/get'));
    expect(second.heard.map(told)).toEqual(events('r', 'resources/read'));
  });

  test('a request that is cancelled ends as cancelled', async () => {
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
    const { heard, client } = await listen(era, tool);
    const controller = new AbortController();
    const call = client.callTool({ name: 't' }, { signal: controller.signal });
    call.catch(() => undefined);
    await running;
    controller.abort();

    await expect(call).rejects.toThrow();
    await vi.waitFor(() => {
      expect(heard.filter(({ type }) => type === 'completed').map(told)).toMatchObject([
        { end: 'cancelled' },
      ]);
    });
  });

  describe('values', () => {
    const code = resolver({}, () => 'a secret');
    const kept = resolver({}, () => 'kept secret', { pin: z.string() });
    const name = resolver({ code }, () =>
      elicit('Your secret name?', z.object({ name: z.string() })),
    );
    const tool = defineTool('t', { resolve: { code, kept, name } }, () => 'done');
    const person = { elicit: () => accept({ name: 'secretary' }) };

    test('are left out', async () => {
      const { heard, text } = await listen(era, tool, person);
      await text('t');

      expect(types(heard)).toEqual(expect.arrayContaining(['ran', 'asked', 'answered']));
      expect(JSON.stringify(heard)).not.toContain('secre');
    });

    test('are told where they are wanted', async () => {
      const heard: CallEvent[] = [];
      const options = { onEvent: (event: CallEvent) => void heard.push(event), eventValues: true };
      const { text } = await listen(era, tool, { ...person, options });
      await text('t');

      const [ran] = heard.filter((event) => event.type === 'ran' && event.resolver === 'code');
      const [asked] = heard.filter((event) => event.type === 'asked');
      const [answered] = heard.filter((event) => event.type === 'answered');
      expect(ran).toHaveProperty('value', 'a secret');
      expect(asked).toMatchObject({ question: { message: 'Your secret name?' } });
      expect(answered).toHaveProperty('value', { name: 'secretary' });
      const restored = heard.filter((event) => event.type === 'restored');
      expect(restored.map((event) => event.value)).toEqual(era === 'modern' ? ['kept secret'] : []);
      expect(heard.filter((event) => event.type === 'ran' && event.gave !== 'value')).not.toEqual(
        [],
      );
      for (const event of heard) {
        if (event.type === 'ran' && event.gave !== 'value')
          expect(event).not.toHaveProperty('value');
      }
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
  ])('a listener that %s changes nothing, and is reported', async (_, onEvent) => {
    const { text, reported } = await listen(era, pay, {
      elicit: () => yes,
      options: { onEvent: onEvent },
    });

    expect(await text('pay')).toBe('paid');
    await vi.waitFor(() => {
      expect(reported).toHaveLength(era === 'modern' ? 10 : 6);
    });
    expect(new Set(reported)).toEqual(new Set(['a broken listener']));
  });

  test('nobody listening, no resolver is timed', async () => {
    const now = vi.spyOn(performance, 'now');
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`r${index}`, resolver({}, async () => index)]),
    );
    const counted = async (resolve: typeof many, options?: InstallOptions): Promise<number> => {
      const tool = defineTool('t', { resolve }, () => 'done');
      const { text } = await connectClient(era, () => {
        const server = new McpServer({ name: 'unheard', version: '1.0.0' });
        install(server, [tool], options);
        return server;
      });
      now.mockClear();
      await text('t');
      return now.mock.calls.length;
    };

    const none = await counted({});
    expect(await counted(many)).toBe(none);
    // The same count sees it where somebody listens.
    expect(await counted(many, { onEvent: () => undefined })).toBeGreaterThanOrEqual(none + 100);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('what only the modern era has', () => {
  test('an answer of an earlier round is told as such', async () => {
    const first = resolver({}, () => confirm('First?'));
    const second = resolver({ first }, () => confirm('Second?'));
    const tool = defineTool('t', { resolve: { first, second } }, () => 'done');
    const { heard, text } = await listen('modern', tool, { elicit: () => yes });
    await text('t');

    const answers = heard.filter((event) => event.type === 'answered');
    expect(answers.map(({ resolver: key, fresh }) => [key, fresh])).toEqual([
      ['first', true],
      ['first', false],
      ['second', true],
    ]);
  });

  test('a refusal of an earlier round is told as such', async () => {
    const first = resolver({}, () => confirm('First?'));
    const second = resolver({ first: outcome(first) }, () => confirm('Second?'));
    const tool = defineTool('t', { resolve: { second } }, () => 'done');
    const { heard, text } = await listen('modern', tool, {
      elicit: ({ message }) => (message === 'First?' ? decline() : yes),
    });
    await text('t');

    const declined = heard.filter((event) => event.type === 'declined');
    expect(declined.map(({ fresh, action }) => [action, fresh])).toEqual([
      ['decline', true],
      ['decline', false],
    ]);
  });

  test('a pinned value is restored, and its function does not run', async () => {
    const price = resolver({}, () => 9, { pin: z.number() });
    const agreed = resolver({ price }, (values) => confirm(`Pay ${values.price}?`));
    const tool = defineTool('t', { resolve: { price, agreed } }, () => 'done');
    const { heard, text } = await listen('modern', tool, { elicit: () => yes });
    await text('t');

    const steps = heard.filter((event) => 'resolver' in event && event.resolver === 'price');
    expect(steps.map(told)).toEqual([
      { definition: 't', type: 'ran', resolver: 'price', gave: 'value' },
      { definition: 't', type: 'restored', resolver: 'price' },
    ]);
  });

  test('a state that is rejected is told with the reason, and no call', async () => {
    const { heard, sendRound } = await listen('modern', pay, { capabilities: { elicitation: {} } });
    const { requestState } = questionsOf(await sendRound('pay'));
    heard.length = 0;
    const { code } = await protocolErrorOf(
      sendRound('pay', {}, { requestState: `${requestState}!` }),
    );
    expect(code).toBe(-32602);
    await protocolErrorOf(sendRound('pay', { more: 1 }, { requestState }));

    expect(heard).toEqual([
      {
        type: 'rejected',
        at: expect.any(Number) as number,
        reason: 'malformed',
        method: 'tools/call',
      },
      {
        ...{ type: 'rejected', at: expect.any(Number) as number },
        ...{ reason: 'request binding', method: 'tools/call' },
      },
    ]);
  });

  test('a call that runs once, sent again, is told as replayed: nothing ran', async () => {
    const once = defineTool(
      'pay',
      { resolve: { approved }, once: memoryOnceStore() },
      () => 'paid',
    );
    const { heard, sendRound } = await listen('modern', once, {
      capabilities: { elicitation: {} },
    });
    const { requestState } = questionsOf(await sendRound('pay'));
    const last = { requestState, inputResponses: { approved: yes } };
    await sendRound('pay', {}, last);
    heard.length = 0;
    await sendRound('pay', {}, last);

    expect(heard.map(told)).toEqual([
      { definition: 'pay', type: 'started', method: 'tools/call', resumed: true },
      { definition: 'pay', type: 'completed', end: 'completed', replayed: true },
    ]);
  });
});

test('on the legacy era a state cannot be genuine, and is told as rejected', async () => {
  const { heard, client } = await listen('legacy', pay, { elicit: () => yes });
  const params = { name: 'pay', requestState: 'a state' };
  await protocolErrorOf(client.request({ method: 'tools/call', params }));

  expect(heard.map(told)).toEqual([
    { type: 'rejected', reason: 'request binding', method: 'tools/call' },
  ]);
});
