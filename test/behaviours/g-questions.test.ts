/** G12-G22, G33: an answer counts for the very question that was asked, and for no other. */
import { SdkError } from '@modelcontextprotocol/client';
import { confirm, defineTool, elicit, listRoots, outcome, resolver, sample } from 'mcp-resolve';
import type { AnyQuestion, Schema } from 'mcp-resolve';
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

const accept = <C extends object>(content: C) => ({ action: 'accept' as const, content });
const yes = accept({ confirm: true });

const Login = z.object({ username: z.string() });

/** The digest under which a question is asked. */
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

describe('G12: recorded outcomes are pinned to their question', () => {
  test('G12: accept, decline and cancel each carry the digest of what was asked', async () => {
    const ask = (message: string) => resolver({}, () => elicit(message, Login));
    const [a, b, c] = [ask('A?'), ask('B?'), ask('C?')];
    const last = resolver({ a, b: outcome(b), c: outcome(c) }, () => confirm('Last?'));
    const sendRound = roundsOf(defineTool('pinned', { resolve: { last } }, () => 'done'));
    const first = await sendRound();
    const { asked } = readState(first);
    const second = await sendRound(
      answering(first, {
        a: accept({ username: 'ada' }),
        b: { action: 'decline' },
        c: { action: 'cancel' },
      }),
    );

    expect(readState(second).outcomes).toEqual({
      a: { action: 'accept', data: { username: 'ada' }, q: '4e0ut86wr-Z2O1ke-89zNQ' },
      b: { action: 'decline', q: 'Q6M03iuBpEGap0txORid5Q' },
      c: { action: 'cancel', q: asked.c },
    });
    expect(asked).toMatchObject({ a: '4e0ut86wr-Z2O1ke-89zNQ', b: 'Q6M03iuBpEGap0txORid5Q' });
  });
});

describe('G13: the digest of a question', () => {
  test('G13: it is the known one for roots', async () => {
    expect(await digestOf(listRoots())).toBe('dCNOmK_nSY-12vHzasLXig');
  });

  test('G13: it is the known one for the text of a form', async () => {
    const text =
      '{"mode":"form","message":"A?","requestedSchema":{"properties":{"username":{"title":"Username","type":"string"}},"required":["username"],"title":"L","type":"object"}}';

    expect(await digest(text)).toBe('ZwOh_PfKr7zdSaL7OqH5Iw');
  });

  test.each<[string, AnyQuestion, string]>([
    ['a form', elicit('A?', Login), '4e0ut86wr-Z2O1ke-89zNQ'],
    ['a form in other words', elicit('B?', Login), 'Q6M03iuBpEGap0txORid5Q'],
    [
      'a form with another field',
      elicit('A?', z.object({ user: z.string() })),
      'FDn_992N2Evv5donB9zMQQ',
    ],
    ['a confirmation', confirm('Sure?'), '_e9aOTPPkrntmlW09xwgJw'],
    ['letters beyond ASCII', confirm('\u00e9 \u{1f600}?'), 'PbBgRdp-lytbFHdLNenlTw'],
    ['a lone surrogate', confirm('\ud800?'), 'OIcgI6rVVyWgqHVLEENMmA'],
    [
      'a sample',
      sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
        maxTokens: 20,
      }),
      'QOWGlBb4T_6TA7v2CQuv_g',
    ],
  ])('G13: it is stable for %s', async (_, question, expected) => {
    expect(await digestOf(question)).toBe(expected);
  });

  test('G13: equal questions have equal digests, even of schemas built twice', async () => {
    const built = (): AnyQuestion => elicit('Size?', z.object({ size: z.enum(['S', 'L']) }));

    expect(await digestOf(built())).toBe(await digestOf(built()));
  });

  test('G13: whatever can be seen of a question changes its digest', async () => {
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

test('G14: a round that asks records the digest of every question it asks, and only of those', async () => {
  const a = resolver({}, () => elicit('A?', Login));
  const b = resolver({}, () => elicit('B?', Login));
  const c = resolver({ a }, () => listRoots());
  const sendRound = roundsOf(defineTool('asked', { resolve: { a, b, c } }, () => 'done'));
  const first = await sendRound();
  expect(readState(first)).toEqual({
    v: 4,
    outcomes: {},
    asked: { a: '4e0ut86wr-Z2O1ke-89zNQ', b: 'Q6M03iuBpEGap0txORid5Q' },
  });

  const second = await sendRound(answering(first, { a: accept({ username: 'ada' }) }));
  expect(readState(second).asked).toEqual({
    b: 'Q6M03iuBpEGap0txORid5Q',
    c: 'dCNOmK_nSY-12vHzasLXig',
  });
});

describe('fresh answers', () => {
  /** A tool whose one question is worded by the test. */
  const deploy = (wording: () => string, schema: Schema = z.object({ ok: z.boolean() })) =>
    defineTool(
      'deploy',
      { resolve: { approval: resolver({}, (): unknown => elicit(wording(), schema)) } },
      ({ approval }) => `deployed:${JSON.stringify(approval)}`,
    );

  test('G15: an answer counts only for the digest that the state says was asked', async () => {
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

  test('G16: an answer without the echoed state is asked for again', async () => {
    const sendRound = roundsOf(deploy(() => 'Deploy to prod?'));
    await sendRound();
    const approve = { approval: accept({ ok: true }) };

    const unasked = await sendRound({ inputResponses: approve });
    expect(messagesOf(unasked)).toEqual({ approval: 'Deploy to prod?' });
    expect(textOf(await sendRound(answering(unasked, approve)))).toBe('deployed:{"ok":true}');
  });

  test('G16: a refusal without the echoed state is no refusal either', async () => {
    const sendRound = roundsOf(deploy(() => 'Deploy to prod?'));

    for (const action of ['decline', 'cancel', 'banana']) {
      const again = await sendRound({ inputResponses: { approval: { action } } });
      expect(messagesOf(again)).toEqual({ approval: 'Deploy to prod?' });
    }
  });

  test('G17: consent to one wording is never taken for another', async () => {
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

  test('G17: nor is consent to one form, though the words are the same', async () => {
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

  test('G17: nor is an answer to a question of another kind', async () => {
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

  test('G17: an old state cannot bring an answer to a question that is out no more', async () => {
    let target = 'prod';
    const sendRound = roundsOf(deploy(() => `Deploy to ${target}?`));
    const first = await sendRound();
    target = 'staging';
    await sendRound(answering(first, { approval: accept({ ok: true }) }));

    const replay = await sendRound(answering(first, { approval: accept({ ok: true }) }));
    expect(messagesOf(replay)).toEqual({ approval: 'Deploy to staging?' });
  });

  test('G21: an answer that comes before its question is not taken', async () => {
    const login = resolver({}, () => elicit('Username?', Login));
    const sure = resolver({ login }, ({ login: { username } }) => confirm(`As ${username}?`));
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

describe('recorded answers', () => {
  /** A worded question, a sibling, and one that quotes the worded one. */
  const reworded = (wording: () => string) => {
    const deploy = resolver({}, () => elicit(wording(), z.object({ ok: z.boolean() })));
    const login = resolver({}, () => elicit('Username?', Login));
    const last = resolver({ login, deploy: outcome(deploy) }, () => confirm('Last?'));
    return defineTool(
      'reworded',
      { resolve: { deploy: outcome(deploy), login, last } },
      (values) =>
        values.deploy.action === 'accept'
          ? `${String(values.deploy.data.ok)}:${values.login.username}`
          : values.deploy.action,
    );
  };

  test('G18: rewording drops the recorded answer, asks again, and keeps its siblings', async () => {
    let target = 'prod';
    const sendRound = roundsOf(reworded(() => `Deploy to ${target}?`));
    const second = await sendRound(
      answering(await sendRound(), {
        deploy: accept({ ok: true }),
        login: accept({ username: 'octocat' }),
      }),
    );
    expect(messagesOf(second)).toEqual({ last: 'Last?' });
    const sibling = readState(second).outcomes.login;

    target = 'staging';
    const third = await sendRound(answering(second, { last: yes }));
    expect(messagesOf(third)).toEqual({ deploy: 'Deploy to staging?' });
    expect(readState(third).outcomes).toEqual({ login: sibling });

    const fourth = await sendRound(answering(third, { deploy: accept({ ok: true }) }));
    expect(messagesOf(fourth)).toEqual({ last: 'Last?' });
    expect(textOf(await sendRound(answering(fourth, { last: yes })))).toBe('true:octocat');
  });

  test.each(['decline', 'cancel'])(
    'G19: a recorded %s of the old wording does not suppress the new question',
    async (action) => {
      let target = 'prod';
      const sendRound = roundsOf(reworded(() => `Deploy to ${target}?`));
      const second = await sendRound(
        answering(await sendRound(), {
          deploy: { action },
          login: accept({ username: 'octocat' }),
        }),
      );
      expect(messagesOf(second)).toEqual({ last: 'Last?' });

      target = 'staging';
      const third = await sendRound(answering(second, { last: yes }));
      expect(messagesOf(third)).toEqual({ deploy: 'Deploy to staging?' });
      const fourth = await sendRound(answering(third, { deploy: accept({ ok: true }) }));
      expect(textOf(await sendRound(answering(fourth, { last: yes })))).toBe('true:octocat');
    },
  );

  test('G18: going back to the first wording does not bring its answer back', async () => {
    let target = 'prod';
    const sendRound = roundsOf(reworded(() => `Deploy to ${target}?`));
    const second = await sendRound(
      answering(await sendRound(), {
        deploy: accept({ ok: true }),
        login: accept({ username: 'octocat' }),
      }),
    );
    target = 'staging';
    const third = await sendRound(answering(second, { last: yes }));

    target = 'prod';
    const fourth = await sendRound(answering(third, { deploy: accept({ ok: true }) }));
    expect(messagesOf(fourth)).toEqual({ deploy: 'Deploy to prod?' });
  });

  test.each([
    ['no digest', {}],
    ['the digest of another question', { q: 'Q6M03iuBpEGap0txORid5Q' }],
    ['an empty digest', { q: '' }],
  ])('G20: an entry with %s proves nothing and is asked again', async (_, pin) => {
    const login = resolver({}, () => elicit('Username?', Login));
    const sendRound = roundsOf(defineTool('unpinned', { resolve: { login } }, () => 'ran'));
    const first = await sendRound();

    for (const entry of [
      { action: 'accept', data: { username: 'mallory' } },
      { action: 'decline' },
      { action: 'cancel' },
    ]) {
      const record = { v: 4, outcomes: { login: { ...entry, ...pin } }, asked: {} };
      const again = await sendRound({ requestState: writeState(first, record) });
      expect(messagesOf(again)).toEqual({ login: 'Username?' });
      expect(readState(again).outcomes).toEqual({});
    }
  });

  test('G22: a recorded answer is kept when other content arrives under its key', async () => {
    const login = resolver({}, () => elicit('Username?', Login));
    const second = resolver({ login }, ({ login: { username } }) => confirm(`${username}, 2?`));
    const third = resolver({ login, second }, ({ login: { username } }) =>
      confirm(`${username}, 3?`),
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

    for (const late of [{ action: 'decline' }, { action: 'banana' }, accept({ nope: 1 })]) {
      const done = await sendRound(answering(three, { login: late, third: yes }));
      expect(textOf(done)).toBe('octocat');
    }
  });
});

describe('G33: a question that is worded anew each time', () => {
  const volatile = (name: string, wording: () => string) =>
    defineTool(
      name,
      { resolve: { approval: resolver({}, () => confirm(wording())) } },
      () => 'ran',
    );

  test('G33: it is asked until the client gives up, and no answer is ever taken', async () => {
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

  test('G33: the server is warned at the second answer whose question has changed, once', async () => {
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
        "mcp-resolve: moving: the question 'approval' changed after every answer; pin the value it shows",
      ],
    ]);
  });

  test('G33: a refusal of a question that has changed counts as an answer to it', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const sendRound = roundsOf(volatile('refused', () => `At ${++rate}?`));
    const second = await sendRound(
      answering(await sendRound(), { approval: { action: 'decline' } }),
    );
    expect(messagesOf(second)).toEqual({ approval: 'At 2?' });

    await sendRound(answering(second, { approval: { action: 'cancel' } }));
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('G33: nobody is warned of a question that changed without an answer, or only once', async () => {
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

  test('G33: a round without an answer between the two does not hide the second', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const sendRound = roundsOf(volatile('slow', () => `At ${++rate}?`));
    const moved = await sendRound(answering(await sendRound(), { approval: yes }));
    const idle = await sendRound(answering(moved, {}));
    expect(warned).not.toHaveBeenCalled();

    await sendRound(answering(idle, { approval: yes }));
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('G33: an old answer that is sent along again is no answer to the new question', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 1;
    const approval = resolver({}, () => confirm(`At ${rate}?`));
    const last = resolver({ approval }, () => confirm('Last?'));
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

  test('G33: nobody is warned of an answer that comes without a state', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const sendRound = roundsOf(volatile('stateless', () => 'Sure?'));
    for (let n = 0; n < 3; n += 1) await sendRound({ inputResponses: { approval: yes } });

    expect(warned).not.toHaveBeenCalled();
  });

  test('G33: a sibling that keeps its words is answered all the same', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let rate = 0;
    const approval = resolver({}, () => confirm(`At ${++rate}?`));
    const login = resolver({}, () => elicit('Username?', Login));
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
