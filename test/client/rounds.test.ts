/** Tests calls by hand, round by round: their questions, their results and their requests. */
import type { CallToolResult, JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import { accept, cancel, decline, startCall } from 'mcp-resolve/client';
import { describe, expect, expectTypeOf, it } from 'vitest';

import { textOf } from '../support/results.js';
import { connectByHand, expectFinished, expectOpen, messageOf, refund } from './byHand.js';
import { handWritten, refundDesk, regional, STATES } from './servers.js';

/** Returns the requests of a method, without the envelope that the SDK adds. */
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
  it('returns the questions, calls no handler, and ends with the result', async () => {
    const { client, asked } = await connectByHand(refundDesk);

    const first = expectOpen(await startCall(client, refund));
    expect(Object.keys(first.questions)).toEqual(['scope']);
    expect(messageOf(first, 'scope')).toBe('Refund all of ORD-7?');

    const second = expectOpen(await first.answer({ scope: accept({ full: true }) }));
    expect(Object.keys(second.questions)).toEqual(['approval']);
    expect(messageOf(second, 'approval')).toBe('Approve the full refund of ORD-7?');

    const { result } = expectFinished(await second.answer({ approval: accept({ by: 'Ada' }) }));
    expect(result.structuredContent).toEqual({ order_id: 'ORD-7', full: true, approved_by: 'Ada' });
    expect(asked).toEqual([]);
  });

  it('can be driven in a loop', async () => {
    const { client } = await connectByHand(refundDesk);
    const answers = [{ scope: accept({ full: false }) }, { approval: accept({ by: 'Bob' }) }];

    let call = await startCall(client, refund);
    while (!call.done) call = await call.answer(answers.shift()!);
    expect(call.result.structuredContent).toMatchObject({ full: false, approved_by: 'Bob' });
  });

  it('is finished at once if the tool asks nothing', async () => {
    const { client } = await connectByHand(handWritten);
    const call = expectFinished(await startCall(client, { name: 'plain' }));
    expect(textOf(call.result)).toBe('no questions');
    expect(call).toMatchObject({ method: 'tools/call', params: { name: 'plain' } });
  });

  it('works for a listed tool with an output schema', async () => {
    const { client } = await connectByHand(refundDesk);
    await client.listTools();
    expect((await startCall(client, refund)).done).toBe(false);
  });

  it('ends with a tool error if the user declines or cancels', async () => {
    const { client } = await connectByHand(refundDesk);
    for (const no of [decline(), cancel()]) {
      const call = expectOpen(await startCall(client, refund));
      const { result } = expectFinished(await call.answer({ scope: no }));
      expect(result.isError).toBe(true);
    }
  });

  it('returns every kind of question and accepts every kind of answer', async () => {
    const { client } = await connectByHand(handWritten);
    const first = expectOpen(await startCall(client, { name: 'two_rounds' }));
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
    expect(Object.keys(expectOpen(next).questions)).toEqual(['last']);
  });

  it('has types that narrow by state, method and kind of question', async () => {
    const { client } = await connectByHand(handWritten);
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
    // @ts-expect-error the compiler finds a misspelt property
    await startCall(client, { name: 'plain', argument: {} });
  });
});

describe('a call by hand', () => {
  it('J11: gets a prompt that asks', async () => {
    const { client, sent } = await connectByHand(handWritten);
    const target = { prompt: 'brief', arguments: { topic: 'tea' } };
    const first = expectOpen(await startCall(client, target));
    const second = expectOpen(await first.answer({ right: accept({ yes: true }) }));
    const { result } = expectFinished(await second.answer({ last: accept({ yes: true }) }));

    expect(result.messages[0]?.content).toMatchObject({ type: 'text' });
    for (const { params } of requestsIn(sent, 'prompts/get')) {
      expect(params).toMatchObject({ name: 'brief', arguments: { topic: 'tea' } });
    }
  });

  it('J11, J16: reads a resource that asks, and does not cache it', async () => {
    const { client, sent } = await connectByHand(handWritten);
    for (const requests of [3, 6]) {
      const first = expectOpen(await startCall(client, { resource: 'report://today' }));
      const second = expectOpen(await first.answer({}));
      const { result } = expectFinished(await second.answer({ last: accept({ yes: true }) }));
      expect(result.contents[0]?.uri).toBe('report://today');
      expect(requestsIn(sent, 'resources/read')).toHaveLength(requests);
    }
  });
});

describe('the rounds of a call by hand', () => {
  it('J7, J8, J9: carry the unchanged state, new ids, the same arguments, and only new answers', async () => {
    const { client, sent } = await connectByHand(handWritten);
    const args = { deep: { list: [1, 'é', null] }, big: 1e21 };
    const first = expectOpen(await startCall(client, { name: 'two_rounds', arguments: args }));
    const second = expectOpen(
      await first.answer({ 'left#1': accept({ yes: true }), right: decline() }),
    );
    const { result } = expectFinished(await second.answer({ last: accept({ yes: false }) }));

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

  it('J8: ignore changes to the arguments object in between', async () => {
    const { client } = await connectByHand(refundDesk);
    const args = { order_id: 'ORD-7' };
    const call = expectOpen(await startCall(client, { name: 'refund_order', arguments: args }));
    args.order_id = 'ORD-8';
    const next = expectOpen(await call.answer({ scope: accept({ full: true }) }));
    expect(messageOf(next, 'approval')).toBe('Approve the full refund of ORD-7?');
  });

  it('J10: carry responses only after questions, and a state only after a state', async () => {
    const { client, sent } = await connectByHand(handWritten);
    const busy = expectOpen(await startCall(client, { name: 'waiting' }));
    expect(busy.questions).toEqual({});
    const asking = expectOpen(await busy.answer({}));
    const { result } = expectFinished(await asking.answer({ done: accept({ yes: true }) }));

    expect(textOf(result)).toBe('state undefined');
    expect(requestsIn(sent, 'tools/call').map(({ params }) => Object.keys(params))).toEqual([
      ['name'],
      ['name', 'requestState'],
      ['name', 'inputResponses'],
    ]);
  });

  it('carry header arguments as headers if the tool definition is given', async () => {
    const { client } = await connectByHand(regional);
    const target = { name: 'open_shop', arguments: { region: 'eu' } };
    await expect(startCall(client, target)).rejects.toMatchObject({ code: -32_020 });

    const { tools } = await client.listTools();
    const call = expectOpen(await startCall(client, target, { toolDefinition: tools[0]! }));
    const { result } = expectFinished(await call.answer({ sure: accept({ yes: true }) }));
    expect(result.structuredContent).toEqual({ opened: 'eu' });
  });
});

describe('an open call', () => {
  it('asks again for an answer that is left out', async () => {
    const { client } = await connectByHand(refundDesk);
    const first = expectOpen(await startCall(client, refund));
    const again = expectOpen(await first.answer({ scope: undefined }));
    expect(Object.keys(again.questions)).toEqual(['scope']);
    const next = expectOpen(await again.answer({ scope: accept({ full: true }) }));
    expect(Object.keys(next.questions)).toEqual(['approval']);
  });

  it('can be answered twice, each time from the same point', async () => {
    const { client } = await connectByHand(refundDesk);
    const call = expectOpen(await startCall(client, refund));
    const [full, partial] = await Promise.all([
      call.answer({ scope: accept({ full: true }) }),
      call.answer({ scope: accept({ full: false }) }),
    ]);
    expect(messageOf(expectOpen(full), 'approval')).toBe('Approve the full refund of ORD-7?');
    expect(messageOf(expectOpen(partial), 'approval')).toBe('Approve the partial refund of ORD-7?');
  });

  it.each([
    [
      'an answer to a question that was not asked',
      { skope: accept({ full: true }) },
      "'skope' was not asked",
    ],
    ['an answer under `toString`', { toString: accept() }, "This round asks 'scope'"],
    ['a string in place of an answer', { scope: 'yes' }, "answer to 'scope' is not a result"],
    [
      'an answer wrapped in a response',
      { scope: { method: 'x', result: accept() } },
      'is not a result',
    ],
    ['no answers at all', undefined, 'the answers must be an object'],
  ])('refuses %s before anything is sent', async (_, answers, sentence) => {
    const { client, requests } = await connectByHand(refundDesk);
    const call = expectOpen(await startCall(client, refund));
    const refused = call.answer(answers as never);
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(sentence);
    expect(requests()).toBe(1);
  });

  it('refuses answers in a round without questions', async () => {
    const { client } = await connectByHand(handWritten);
    const call = expectOpen(await startCall(client, { name: 'waiting' }));
    await expect(call.answer({ done: accept() })).rejects.toThrow('Continue it with answer({})');
  });
});

it.each([
  ['an empty target', {}, 'startCall(): the target must be a tool { name, arguments }, '],
  [
    'a target with a tool and a prompt',
    { name: 'a', prompt: 'b' },
    'startCall(): the target must be a tool ',
  ],
  ['a name that is not a string', { name: 7 }, 'startCall(): the name must be a string.'],
  ['a URI that is not a string', { resource: 7 }, 'startCall(): the URI must be a string.'],
  [
    'arguments that are not an object',
    { name: 'plain', arguments: ['x'] },
    'startCall(): the arguments must be an object.',
  ],
  ['undefined', undefined, 'startCall(): the target must be a tool '],
])('startCall refuses %s with a TypeError and sends nothing', async (_, target, sentence) => {
  const { client, sent } = await connectByHand(handWritten);
  const before = sent.length;
  const refused = startCall(client, target as never);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(sentence);
  expect(sent).toHaveLength(before);
});
