/** G12-G22, G33: an answer counts only for the exact question that was asked. */
import { SdkError } from '@modelcontextprotocol/client';
import { confirm, defineTool, elicit, listRoots, outcome, resolver, sample } from 'mcp-resolve';
import type { AnyQuestion, Schema } from 'mcp-resolve';
import { accept, cancel, decline } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { digest } from '../../src/platform.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf, textOf } from '../support/results.js';
import {
  answering,
  roundsOf,
  messagesOf,
  readState,
  serving,
  summaryOf,
  writeState,
} from '../support/rounds.js';

const yes = accept({ confirm: true });

const Login = z.object({ username: z.string() });

/** Returns the digest that the state has for a question. */
async function digestOf(question: AnyQuestion): Promise<string> {
  const tool = defineTool(
    'digest',
    { resolve: { q: resolver({}, (): unknown => question) } },
    () => '',
  );
  return readState(await roundsOf(tool)()).asked.q!;
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('G12: records accept, decline and cancel with the digest of the question', async () => {
  const ask = (message: string) => resolver({}, () => elicit(message, Login), { asks: 'form' });
  const [a, b, c] = [ask('A?'), ask('B?'), ask('C?')];
  const last = resolver({ a, b: outcome(b), c: outcome(c) }, () => confirm('Last?'), {
    asks: 'form',
  });
  const sendRound = roundsOf(defineTool('pinned', { resolve: { last } }, () => 'done'));
  const first = await sendRound();
  const { asked } = readState(first);
  const second = await sendRound(
    answering(first, {
      a: accept({ username: 'ada' }),
      b: decline(),
      c: cancel(),
    }),
  );

  expect(readState(second).outcomes).toEqual({
    a: { action: 'accept', data: { username: 'ada' }, q: '4e0ut86wr-Z2O1ke-89zNQ' },
    b: { action: 'decline', q: 'Q6M03iuBpEGap0txORid5Q' },
    c: { action: 'cancel', q: asked.c },
  });
  expect(asked).toMatchObject({ a: '4e0ut86wr-Z2O1ke-89zNQ', b: 'Q6M03iuBpEGap0txORid5Q' });
});

describe('G13: the digest of a question', () => {
  test('G13: is the known digest of the JSON of a form', async () => {
    const text =
      '{"mode":"form","message":"A?","requestedSchema":{"properties":{"username":{"title":"Username","type":"string"}},"required":["username"],"title":"L","type":"object"}}';

    expect(await digest(text)).toBe('ZwOh_PfKr7zdSaL7OqH5Iw');
  });

  test.each<[string, AnyQuestion, string]>([
    ['roots', listRoots(), 'dCNOmK_nSY-12vHzasLXig'],
    ['a form', elicit('A?', Login), '4e0ut86wr-Z2O1ke-89zNQ'],
    ['a form with another message', elicit('B?', Login), 'Q6M03iuBpEGap0txORid5Q'],
    [
      'a form with another field',
      elicit('A?', z.object({ user: z.string() })),
      'FDn_992N2Evv5donB9zMQQ',
    ],
    ['a confirmation', confirm('Sure?'), '_e9aOTPPkrntmlW09xwgJw'],
    ['letters outside ASCII', confirm('\u00e9 \u{1f600}?'), 'PbBgRdp-lytbFHdLNenlTw'],
    ['a lone surrogate', confirm('\ud800?'), 'OIcgI6rVVyWgqHVLEENMmA'],
    [
      'a sample',
      sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
        maxTokens: 20,
      }),
      'QOWGlBb4T_6TA7v2CQuv_g',
    ],
  ])('G13: is stable for %s', async (_, question, expected) => {
    expect(await digestOf(question)).toBe(expected);
  });

  test('G13: is the same for equal questions with separate schemas', async () => {
    const built = (): AnyQuestion => elicit('Size?', z.object({ size: z.enum(['S', 'L']) }));

    expect(await digestOf(built())).toBe(await digestOf(built()));
  });

  test('G13: changes with every visible part of a question', async () => {
    const hello = {
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }],
    };
    const questions: AnyQuestion[] = [
      confirm('A?'),
      confirm('a?'),
      confirm('A? '),
      confirm('\ud800'),
      confirm('\ud801'),
      confirm('\ufffd'),
      confirm('\\ud800'),
      elicit('A?', Login),
      elicit('A?', z.object({ username: z.string().optional() })),
      elicit('A?', z.object({ username: z.string().max(5) })),
      elicit('A?', z.object({ username: z.string().default('x') })),
      elicit('A?', z.object({ username: z.string().describe('Your name') })),
      elicit('A?', z.object({ username: z.email() })),
      elicit('A?', z.object({ username: z.number() })),
      elicit('A?', z.object({ username: z.enum(['a', 'b']) })),
      elicit('A?', z.object({ username: z.enum(['b', 'a']) })),
      sample({ ...hello, maxTokens: 1 }),
      sample({ ...hello, maxTokens: 2 }),
      sample({ ...hello, maxTokens: 1, temperature: 0 }),
      sample({ ...hello, maxTokens: 1, systemPrompt: '' }),
      listRoots(),
    ];
    const digests = await Promise.all(questions.map(digestOf));

    expect(new Set(digests).size).toBe(questions.length);
    for (const one of digests) expect(one).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});

test('G14: records the digests of the questions of a round, and no others', async () => {
  const a = resolver({}, () => elicit('A?', Login), { asks: 'form' });
  const b = resolver({}, () => elicit('B?', Login), { asks: 'form' });
  const c = resolver({ a }, () => listRoots(), { asks: 'roots' });
  const sendRound = roundsOf(defineTool('asked', { resolve: { a, b, c } }, () => 'done'));
  const first = await sendRound();
  expect(readState(first)).toEqual({
    v: 8,
    outcomes: {},
    asked: { a: '4e0ut86wr-Z2O1ke-89zNQ', b: 'Q6M03iuBpEGap0txORid5Q' },
  });

  const second = await sendRound(answering(first, { a: accept({ username: 'ada' }) }));
  expect(readState(second).asked).toEqual({
    b: 'Q6M03iuBpEGap0txORid5Q',
    c: 'dCNOmK_nSY-12vHzasLXig',
  });
});

describe('a fresh answer', () => {
  /** Creates a tool with one question. The test can change its message between rounds. */
  const deploy = (wording: () => string, schema: Schema = z.object({ ok: z.boolean() })) =>
    defineTool(
      'deploy',
      { resolve: { approval: resolver({}, (): unknown => elicit(wording(), schema)) } },
      ({ approval }) => `deployed:${JSON.stringify(approval)}`,
    );

  test('G15: counts only if the state says that this question was asked', async () => {
    const sendRound = roundsOf(deploy(() => 'Deploy to prod?'));
    const first = await sendRound();
    const approve = { approval: accept({ ok: true }) };
    const { v, outcomes } = readState(first);

    for (const asked of [
      {},
      { approval: 'AAAAAAAAAAAAAAAAAAAAAA' },
      { other: readState(first).asked.approval },
    ]) {
      const requestState = writeState(first, { v, outcomes, asked });
      const again = await sendRound({ inputResponses: approve, requestState });
      expect(messagesOf(again)).toEqual({ approval: 'Deploy to prod?' });
      expect(readState(again)).toMatchObject({ outcomes: {}, asked: readState(first).asked });
    }
    expect(textOf(await sendRound(answering(first, approve)))).toBe('deployed:{"ok":true}');
  });

  test('G16: is asked for again if it comes without the state', async () => {
    const sendRound = roundsOf(deploy(() => 'Deploy to prod?'));
    await sendRound();
    const approve = { approval: accept({ ok: true }) };

    const unasked = await sendRound({ inputResponses: approve });
    expect(messagesOf(unasked)).toEqual({ approval: 'Deploy to prod?' });
    expect(textOf(await sendRound(answering(unasked, approve)))).toBe('deployed:{"ok":true}');
  });

  test('G16: is asked for again if it is a refusal without the state', async () => {
    const sendRound = roundsOf(deploy(() => 'Deploy to prod?'));

    for (const action of ['decline', 'cancel', 'banana']) {
      const again = await sendRound({ inputResponses: { approval: { action } } });
      expect(messagesOf(again)).toEqual({ approval: 'Deploy to prod?' });
    }
  });

  test('G17: does not count for another message', async () => {
    let target = 'prod';
    const sendRound = roundsOf(deploy(() => `Deploy to ${target}?`));
    const first = await sendRound();
    expect(messagesOf(first)).toEqual({ approval: 'Deploy to prod?' });

    target = 'staging';
    const second = await sendRound(answering(first, { approval: accept({ ok: true }) }));
    expect(messagesOf(second)).toEqual({ approval: 'Deploy to staging?' });
    expect(readState(second).outcomes).toEqual({});

    const third = await sendRound(answering(second, { approval: accept({ ok: true }) }));
    expect(textOf(third)).toBe('deployed:{"ok":true}');
  });

  test('G17: does not count for another form with the same message', async () => {
    let schema: Schema = z.object({ ok: z.boolean() });
    const tool = defineTool(
      'deploy',
      { resolve: { approval: resolver({}, (): unknown => elicit('Deploy?', schema)) } },
      ({ approval }) => JSON.stringify(approval),
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    schema = z.object({ ok: z.boolean().describe('to production') });
    const second = await sendRound(answering(first, { approval: accept({ ok: true }) }));
    expect(summaryOf(second)).toBe('asks approval');
    expect(textOf(await sendRound(answering(second, { approval: accept({ ok: true }) })))).toBe(
      '{"ok":true}',
    );
  });

  test('G17: does not count for a question of another kind', async () => {
    let question: AnyQuestion = listRoots();
    const tool = defineTool(
      'kinds',
      { resolve: { approval: resolver({}, (): unknown => question) } },
      ({ approval }) => JSON.stringify(approval),
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    question = confirm('Deploy?');
    const second = await sendRound(answering(first, { approval: yes }));
    expect(messagesOf(second)).toEqual({ approval: 'Deploy?' });
  });

  test('G17: does not count with an old state after the message has changed', async () => {
    let target = 'prod';
    const sendRound = roundsOf(deploy(() => `Deploy to ${target}?`));
    const first = await sendRound();
    target = 'staging';
    await sendRound(answering(first, { approval: accept({ ok: true }) }));

    const replay = await sendRound(answering(first, { approval: accept({ ok: true }) }));
    expect(messagesOf(replay)).toEqual({ approval: 'Deploy to staging?' });
  });

  test('G21: does not count before its question was asked', async () => {
    const login = resolver({}, () => elicit('Username?', Login), { asks: 'form' });
    const sure = resolver({ login }, ({ login: { username } }) => confirm(`As ${username}?`), {
      asks: 'form',
    });
    const sendRound = roundsOf(defineTool('early', { resolve: { sure } }, () => 'done'));
    const answers = { login: accept({ username: 'octocat' }), sure: yes };

    const first = await sendRound({ inputResponses: answers });
    expect(messagesOf(first)).toEqual({ login: 'Username?' });
    const second = await sendRound(answering(first, answers));
    expect(messagesOf(second)).toEqual({ sure: 'As octocat?' });
    expect(Object.keys(readState(second).outcomes)).toEqual(['login']);
    expect(textOf(await sendRound(answering(second, answers)))).toBe('done');
  });
});

describe('a recorded answer', () => {
  /** Creates a tool with a question whose message can change, a sibling, and a last question. */
  const reworded = (wording: () => string) => {
    const deploy = resolver({}, () => elicit(wording(), z.object({ ok: z.boolean() })), {
      asks: 'form',
    });
    const login = resolver({}, () => elicit('Username?', Login), { asks: 'form' });
    const last = resolver({ login, deploy: outcome(deploy) }, () => confirm('Last?'), {
      asks: 'form',
    });
    return defineTool(
      'reworded',
      { resolve: { deploy: outcome(deploy), login, last } },
      (values) =>
        values.deploy.action === 'accept'
          ? `${String(values.deploy.data.ok)}:${values.login.username}`
          : values.deploy.action,
    );
  };

  /** Answers for production, and then changes the message to staging. */
  const answerThenReword = async (answer: object) => {
    const shown = { target: 'prod' };
    const sendRound = roundsOf(reworded(() => `Deploy to ${shown.target}?`));
    const second = await sendRound(
      answering(await sendRound(), { deploy: answer, login: accept({ username: 'octocat' }) }),
    );
    expect(messagesOf(second)).toEqual({ last: 'Last?' });
    shown.target = 'staging';
    return { sendRound, shown, second, third: await sendRound(answering(second, { last: yes })) };
  };

  test('G18: is dropped and asked for again if the message changes, and its siblings stay', async () => {
    const { sendRound, second, third } = await answerThenReword(accept({ ok: true }));
    expect(messagesOf(third)).toEqual({ deploy: 'Deploy to staging?' });
    expect(readState(third).outcomes).toEqual({ login: readState(second).outcomes.login });

    const fourth = await sendRound(answering(third, { deploy: accept({ ok: true }) }));
    expect(messagesOf(fourth)).toEqual({ last: 'Last?' });
    expect(textOf(await sendRound(answering(fourth, { last: yes })))).toBe('true:octocat');
  });

  test.each(['decline', 'cancel'])(
    'G19: does not suppress the new question if it was a %s',
    async (action) => {
      const { sendRound, third } = await answerThenReword({ action });
      expect(messagesOf(third)).toEqual({ deploy: 'Deploy to staging?' });
      const fourth = await sendRound(answering(third, { deploy: accept({ ok: true }) }));
      expect(textOf(await sendRound(answering(fourth, { last: yes })))).toBe('true:octocat');
    },
  );

  test('G18: does not return if the message changes back', async () => {
    const { sendRound, shown, third } = await answerThenReword(accept({ ok: true }));

    shown.target = 'prod';
    const fourth = await sendRound(answering(third, { deploy: accept({ ok: true }) }));
    expect(messagesOf(fourth)).toEqual({ deploy: 'Deploy to prod?' });
  });

  test.each([
    ['no digest', {}],
    ['the digest of another question', { q: 'Q6M03iuBpEGap0txORid5Q' }],
    ['an empty digest', { q: '' }],
  ])('G20: is asked for again if it has %s', async (_, pin) => {
    const login = resolver({}, () => elicit('Username?', Login), { asks: 'form' });
    const sendRound = roundsOf(defineTool('unpinned', { resolve: { login } }, () => 'ran'));
    const first = await sendRound();

    for (const entry of [
      { action: 'accept', data: { username: 'mallory' } },
      { action: 'decline' },
      { action: 'cancel' },
    ]) {
      const record = { v: 8, outcomes: { login: { ...entry, ...pin } }, asked: {} };
      const again = await sendRound({ requestState: writeState(first, record) });
      expect(messagesOf(again)).toEqual({ login: 'Username?' });
      expect(readState(again).outcomes).toEqual({});
    }
  });

  test('G22: is not replaced by other content under its key', async () => {
    const login = resolver({}, () => elicit('Username?', Login), { asks: 'form' });
    const second = resolver({ login }, ({ login: { username } }) => confirm(`${username}, 2?`), {
      asks: 'form',
    });
    const third = resolver(
      { login, second },
      ({ login: { username } }) => confirm(`${username}, 3?`),
      { asks: 'form' },
    );
    const tool = defineTool(
      'kept',
      { resolve: { third, login } },
      (values) => values.login.username,
    );
    const sendRound = roundsOf(tool);
    const two = await sendRound(
      answering(await sendRound(), { login: accept({ username: 'octocat' }) }),
    );

    const three = await sendRound(
      answering(two, { login: accept({ username: 'mallory' }), second: yes }),
    );
    expect(messagesOf(three)).toEqual({ third: 'octocat, 3?' });
    expect(readState(three).outcomes.login).toEqual(readState(two).outcomes.login);

    for (const late of [decline(), { action: 'banana' }, accept({ nope: 1 })]) {
      const done = await sendRound(answering(three, { login: late, third: yes }));
      expect(textOf(done)).toBe('octocat');
    }
  });
});

describe('G33: a question that changes in every round', () => {
  const volatile = (name: string, wording: () => string) =>
    defineTool(
      name,
      { resolve: { approval: resolver({}, () => confirm(wording()), { asks: 'form' }) } },
      () => 'ran',
    );

  test('G33: is asked until the client gives up, and no answer counts', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const { call, asked, requests } = await connectClient(
      'modern',
      serving(volatile('rate', () => `At ${++rate}?`)),
      {
        elicit: () => yes,
        maxRounds: 5,
      },
    );
    const error: unknown = await call('rate').catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(SdkError);
    expect((error as SdkError).code).toBe('INPUT_REQUIRED_ROUNDS_EXCEEDED');
    expect(asked).toEqual(['At 1?', 'At 2?', 'At 3?', 'At 4?', 'At 5?']);
    expect(requests()).toBe(6);
  });

  test('G33: logs one warning, at the second answer to a changed question', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const sendRound = roundsOf(volatile('moving', () => `At ${++rate}?`));
    let result = await sendRound();
    const counts = [];
    for (let n = 0; n < 4; n += 1) {
      result = await sendRound(answering(result, { approval: yes }));
      counts.push(warned.mock.calls.length);
    }
    await sendRound(
      answering(await sendRound(answering(await sendRound(), { approval: yes })), {
        approval: yes,
      }),
    );

    expect(counts).toEqual([0, 1, 1, 1]);
    expect(warned.mock.calls).toEqual([
      [
        "mcp-resolve: 'moving': the question 'approval' changed after every answer. Pin the value that it shows.",
      ],
    ]);
  });

  test('G33: logs the warning if the answers are refusals', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const sendRound = roundsOf(volatile('refused', () => `At ${++rate}?`));
    const second = await sendRound(answering(await sendRound(), { approval: decline() }));
    expect(messagesOf(second)).toEqual({ approval: 'At 2?' });

    await sendRound(answering(second, { approval: cancel() }));
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('G33: logs no warning without an answer, or after one change', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const sendRound = roundsOf(volatile('patient', () => `At ${rate}?`));
    let result = await sendRound();
    for (rate = 1; rate < 4; rate += 1) result = await sendRound(answering(result, {}));
    expect(messagesOf(result)).toEqual({ approval: 'At 3?' });

    const moved = await sendRound(answering(result, { approval: yes }));
    expect(messagesOf(moved)).toEqual({ approval: 'At 4?' });
    expect(textOf(await sendRound(answering(moved, { approval: yes })))).toBe('ran');
    expect(warned).not.toHaveBeenCalled();
  });

  test('G33: logs the warning even if a round without an answer comes in between', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const sendRound = roundsOf(volatile('slow', () => `At ${++rate}?`));
    const moved = await sendRound(answering(await sendRound(), { approval: yes }));
    const idle = await sendRound(answering(moved, {}));
    expect(warned).not.toHaveBeenCalled();

    await sendRound(answering(idle, { approval: yes }));
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('G33: is not answered by an old answer that the client sends again', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 1;
    const approval = resolver({}, () => confirm(`At ${rate}?`), { asks: 'form' });
    const last = resolver({ approval }, () => confirm('Last?'), { asks: 'form' });
    const sendRound = roundsOf(defineTool('resent', { resolve: { last } }, () => 'ran'));
    const second = await sendRound(answering(await sendRound(), { approval: yes }));
    rate = 2;
    const third = await sendRound(answering(second, { approval: yes, last: yes }));
    expect(messagesOf(third)).toEqual({ approval: 'At 2?' });

    rate = 3;
    const fourth = await sendRound(answering(third, { approval: yes }));
    expect(messagesOf(fourth)).toEqual({ approval: 'At 3?' });
    expect(warned).not.toHaveBeenCalled();
  });

  test('G33: logs no warning about answers without a state', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const sendRound = roundsOf(volatile('stateless', () => 'Sure?'));
    for (let n = 0; n < 3; n += 1) await sendRound({ inputResponses: { approval: yes } });

    expect(warned).not.toHaveBeenCalled();
  });

  test('G33: does not keep an unchanged sibling from being answered', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const approval = resolver({}, () => confirm(`At ${++rate}?`), { asks: 'form' });
    const login = resolver({}, () => elicit('Username?', Login), { asks: 'form' });
    const sendRound = roundsOf(
      defineTool('sibling', { resolve: { approval, login } }, () => 'ran'),
    );
    const second = await sendRound(
      answering(await sendRound(), { approval: yes, login: accept({ username: 'octocat' }) }),
    );
    expect(messagesOf(second)).toEqual({ approval: 'At 2?' });

    const third = await sendRound(answering(second, { approval: yes }));
    expect(questionsOf(third).keys).toEqual(['approval']);
    expect(Object.keys(readState(third).outcomes)).toEqual(['login']);
  });
});
