/** Calls by hand, round by round: what comes back, and what goes over the wire. */
import type { CallToolResult, JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import { accept, cancel, decline, startCall } from 'mcp-resolve/client';
import { describe, expect, expectTypeOf, it } from 'vitest';

import { finished, manual, messageOf, open, refund, textOf } from './byHand.js';
import { handWritten, refundDesk, regional, STATES } from './servers.js';

/** The requests of these methods, without the envelope that the SDK adds. */
function requestsIn(sent: JSONRPCMessage[], method: string) {
  return sent
    .filter((message): message is JSONRPCRequest => 'method' in message && 'id' in message)
    .filter((message) => message.method === method)
    .map(({ id, params = {} }) => {
      const { _meta, ...rest } = params;
      return { id, params: rest };
    });
}

describe('J11: a call by hand', () => {
  it('comes back with the questions, asks no handler, and ends with the result', async () => {
    const { client, asked } = await manual(refundDesk);

    const first = open(await startCall(client, refund));
    expect(Object.keys(first.questions)).toEqual(['scope']);
    expect(messageOf(first, 'scope')).toBe('Refund all of ORD-7?');

    const second = open(await first.answer({ scope: accept({ full: true }) }));
    expect(Object.keys(second.questions)).toEqual(['approval']);
    expect(messageOf(second, 'approval')).toBe('Approve the full refund of ORD-7?');

    const { result } = finished(await second.answer({ approval: accept({ by: 'Ada' }) }));
    expect(result.structuredContent).toEqual({ order_id: 'ORD-7', full: true, approved_by: 'Ada' });
    expect(asked).toEqual([]);
  });

  it('can be driven in a loop', async () => {
    const { client } = await manual(refundDesk);
    const answers = [{ scope: accept({ full: false }) }, { approval: accept({ by: 'Bob' }) }];

    let call = await startCall(client, refund);
    while (!call.done) call = await call.answer(answers.shift()!);
    expect(call.result.structuredContent).toMatchObject({ full: false, approved_by: 'Bob' });
  });

  it('is done at once where nothing is asked', async () => {
    const { client } = await manual(handWritten);
    const call = finished(await startCall(client, { name: 'plain' }));
    expect(textOf(call.result)).toBe('no questions');
    expect(call).toMatchObject({ method: 'tools/call', params: { name: 'plain' } });
  });

  it('works for a listed tool with an output schema', async () => {
    const { client } = await manual(refundDesk);
    await client.listTools();
    expect((await startCall(client, refund)).done).toBe(false);
  });

  it('ends with a tool error as its result when a person says no', async () => {
    const { client } = await manual(refundDesk);
    for (const no of [decline(), cancel()]) {
      const call = open(await startCall(client, refund));
      const { result } = finished(await call.answer({ scope: no }));
      expect(result.isError).toBe(true);
    }
  });

  it('carries every kind of question and answer', async () => {
    const { client } = await manual(handWritten);
    const first = open(await startCall(client, { name: 'two_rounds' }));
    expect(Object.values(first.questions).map(({ method }) => method)).toEqual([
      'elicitation/create',
      'elicitation/create',
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
    ]);
    const { link } = first.questions;
    expect(link).toEqual({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Sign in', url: 'https://login.test/' },
    });

    const next = await first.answer({
      'left#1': accept({ yes: true }),
      right: decline(),
      link: accept(),
      model: { role: 'assistant', model: 'm', content: { type: 'text', text: 'short' } },
      folders: { roots: [{ uri: 'file:///work' }] },
    });
    expect(Object.keys(open(next).questions)).toEqual(['last']);
  });

  it('has types that tell its states, methods and questions apart', async () => {
    const { client } = await manual(handWritten);
    const tool = await startCall(client, { name: 'plain' });
    if (tool.done) expectTypeOf(tool.result).toEqualTypeOf<CallToolResult>();
    else expectTypeOf(tool.toJSON().method).toEqualTypeOf<'tools/call'>();

    const prompt = await startCall(client, { prompt: 'brief', arguments: { topic: 'x' } });
    if (prompt.done) expectTypeOf(prompt.result.messages).toBeArray();
    else {
      const { model } = prompt.questions;
      if (model?.method === 'sampling/createMessage') {
        expectTypeOf(model.params.maxTokens).toBeNumber();
      }
    }
    // @ts-expect-error a misspelt member is found by the compiler
    await startCall(client, { name: 'plain', argument: {} });
  });
});

describe('prompts and resources by hand', () => {
  it('J11: a prompt is asked for, answered and comes back', async () => {
    const { client, sent } = await manual(handWritten);
    const target = { prompt: 'brief', arguments: { topic: 'tea' } };
    const first = open(await startCall(client, target));
    const second = open(await first.answer({ right: accept({ yes: true }) }));
    const { result } = finished(await second.answer({ last: accept({ yes: true }) }));

    expect(result.messages[0]?.content).toMatchObject({ type: 'text' });
    for (const { params } of requestsIn(sent, 'prompts/get')) {
      expect(params).toMatchObject({ name: 'brief', arguments: { topic: 'tea' } });
    }
  });

  it('J11, J16: a resource is asked for, answered, comes back, and is not cached', async () => {
    const { client, sent } = await manual(handWritten);
    for (const requests of [3, 6]) {
      const first = open(await startCall(client, { resource: 'report://today' }));
      const second = open(await first.answer({}));
      const { result } = finished(await second.answer({ last: accept({ yes: true }) }));
      expect(result.contents[0]?.uri).toBe('report://today');
      expect(requestsIn(sent, 'resources/read')).toHaveLength(requests);
    }
  });
});

describe('the rounds of a call by hand', () => {
  it('J7, J8, J9: carry the state as it came, fresh ids, the same call, and only new answers', async () => {
    const { client, sent } = await manual(handWritten);
    const args = { deep: { list: [1, 'é', null] }, big: 1e21 };
    const first = open(await startCall(client, { name: 'two_rounds', arguments: args }));
    const second = open(await first.answer({ 'left#1': accept({ yes: true }), right: decline() }));
    const { result } = finished(await second.answer({ last: accept({ yes: false }) }));

    const requests = requestsIn(sent, 'tools/call');
    const call = { name: 'two_rounds', arguments: args };
    expect(requests.map(({ params }) => params)).toEqual([
      call,
      {
        ...call,
        requestState: STATES[0],
        inputResponses: {
          'left#1': { action: 'accept', content: { yes: true } },
          right: { action: 'decline' },
        },
      },
      {
        ...call,
        requestState: STATES[1],
        inputResponses: { last: { action: 'accept', content: { yes: false } } },
      },
    ]);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(3);
    expect(textOf(result)).toMatch(/^known state/);
  });

  it('J8: are not touched by what becomes of the arguments in between', async () => {
    const { client } = await manual(refundDesk);
    const args = { order_id: 'ORD-7' };
    const call = open(await startCall(client, { name: 'refund_order', arguments: args }));
    args.order_id = 'ORD-8';
    const next = open(await call.answer({ scope: accept({ full: true }) }));
    expect(messageOf(next, 'approval')).toBe('Approve the full refund of ORD-7?');
  });

  it('J10: carry no responses after a round without questions, and no state after one without', async () => {
    const { client, sent } = await manual(handWritten);
    const busy = open(await startCall(client, { name: 'waiting' }));
    expect(busy.questions).toEqual({});
    const asking = open(await busy.answer({}));
    const { result } = finished(await asking.answer({ done: accept({ yes: true }) }));

    expect(textOf(result)).toBe('state undefined');
    expect(requestsIn(sent, 'tools/call').map(({ params }) => Object.keys(params))).toEqual([
      ['name'],
      ['name', 'requestState'],
      ['name', 'inputResponses'],
    ]);
  });

  it('carry arguments that a tool wants as headers when its definition is given', async () => {
    const { client } = await manual(regional);
    const target = { name: 'open_shop', arguments: { region: 'eu' } };
    await expect(startCall(client, target)).rejects.toMatchObject({ code: -32_020 });

    const { tools } = await client.listTools();
    const call = open(await startCall(client, target, { toolDefinition: tools[0]! }));
    const { result } = finished(await call.answer({ sure: accept({ yes: true }) }));
    expect(result.structuredContent).toEqual({ opened: 'eu' });
  });
});

describe('an open call', () => {
  it('can leave a question unanswered, which is then asked again', async () => {
    const { client } = await manual(refundDesk);
    const first = open(await startCall(client, refund));
    const again = open(await first.answer({ scope: undefined }));
    expect(Object.keys(again.questions)).toEqual(['scope']);
    const next = open(await again.answer({ scope: accept({ full: true }) }));
    expect(Object.keys(next.questions)).toEqual(['approval']);
  });

  it('can be answered twice, each time from the same point', async () => {
    const { client } = await manual(refundDesk);
    const call = open(await startCall(client, refund));
    const [full, partial] = await Promise.all([
      call.answer({ scope: accept({ full: true }) }),
      call.answer({ scope: accept({ full: false }) }),
    ]);
    expect(messageOf(open(full), 'approval')).toBe('Approve the full refund of ORD-7?');
    expect(messageOf(open(partial), 'approval')).toBe('Approve the partial refund of ORD-7?');
  });

  it.each([
    ['a key that was not asked', { skope: accept({ full: true }) }, "'skope' was not asked"],
    ['a key of every object', { toString: accept() }, "This round asks 'scope'"],
    ['a text for an answer', { scope: 'yes' }, "answer to 'scope' is not a result"],
    ['a wrapped answer', { scope: { method: 'x', result: accept() } }, 'is not a result'],
    ['no answers at all', undefined, 'the answers must be an object'],
  ])('refuses %s before anything is sent', async (_, answers, sentence) => {
    const { client, requests } = await manual(refundDesk);
    const call = open(await startCall(client, refund));
    const refused = call.answer(answers as never);
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(sentence);
    expect(requests()).toBe(1);
  });

  it('says that a round without questions takes no answers', async () => {
    const { client } = await manual(handWritten);
    const call = open(await startCall(client, { name: 'waiting' }));
    await expect(call.answer({ done: accept() })).rejects.toThrow('Continue it with answer({})');
  });
});

it.each([
  ['nothing', {}],
  ['two things', { name: 'a', prompt: 'b' }],
  ['a name that is no text', { name: 7 }],
  ['arguments that are no object', { name: 'plain', arguments: ['x'] }],
  ['no target', undefined],
])('startCall refuses %s with a TypeError and sends nothing', async (_, target) => {
  const { client, sent } = await manual(handWritten);
  const before = sent.length;
  await expect(startCall(client, target as never)).rejects.toThrow(TypeError);
  expect(sent).toHaveLength(before);
});
