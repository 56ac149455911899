/**
 * Server processes that share a Redis and their keys. A call runs once in all of them, whichever
 * process receives a round, also if a process is killed during the call.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { postOf } from '../../../bench/soak/jsonRpc.js';
import { type Reply, tokenOf } from '../../sealing/desk.js';
import { type RedisServer, startRedis } from '../../support/redis.js';
import {
  answerOf,
  decline,
  eventually,
  inProgress,
  outcomeUnknown,
  type RoundInput,
  storeUnavailable,
  yes,
} from './support.js';

const PROGRAM = fileURLToPath(new URL('bankProcess.ts', import.meta.url));

/** The functions that close what the tests opened. They run in reverse order. */
const open: (() => unknown)[] = [];

let redis: RedisServer;
let one: BankProcess;
let two: BankProcess;

beforeAll(async () => {
  redis = await startRedis();
  open.push(redis.stop);
  [one, two] = await Promise.all([startBank(), startBank()]);
}, 60_000);

afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A process of the bank. */
interface BankProcess {
  /** Sends a round. Default: of `pay`. */
  readonly rounds: (input: RoundInput, tool?: string) => Promise<Reply>;
  /** Kills the process. */
  readonly kill: () => Promise<void>;
}

/** Starts a process of the bank. */
async function startBank(env: Readonly<Record<string, string>> = {}): Promise<BankProcess> {
  const child = fork(PROGRAM, [], {
    execArgv: ['--import', 'tsx'],
    env: {
      ...process.env,
      REDIS_URL: redis.url,
      MCP_RESOLVE_KEYS: 'a key of the tests, 32 bytes or more',
      ...env,
    },
  });
  const kill = () => killProcess(child);
  open.push(kill);
  const port = await portOf(child);
  return { kill, rounds: (input, tool = 'pay') => sendRound(port, tool, input) };
}

/** Returns the port of a process when it is ready. Throws if the process ends before that. */
async function portOf(child: ChildProcess): Promise<number> {
  const end = new AbortController();
  const { signal } = end;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([report]) => (report as { port: number }).port),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`a process of the bank ended with code ${String(code)}`);
      }),
    ]);
  } finally {
    end.abort();
  }
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function sendRound(port: number, name: string, input: RoundInput): Promise<Reply> {
  const { args = {}, answers, token } = input;
  const params = {
    name,
    arguments: args,
    ...(answers !== undefined && { inputResponses: answers }),
    ...(token !== undefined && { requestState: token }),
  };
  const post = postOf(1, { method: 'tools/call', params });
  const body = await (await fetch(`http://127.0.0.1:${port}/mcp`, post)).text();
  const event = body.split('\n').findLast((line) => line.startsWith('data: {'));
  const text = event?.slice('data: '.length) ?? body;
  return { ...(JSON.parse(text) as object), text };
}

/** Creates a payee and the functions that read and release its payments. */
async function newPayee({ url }: RedisServer = redis) {
  const to = `payee ${randomUUID()}`;
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  open.push(() => {
    if (client.isOpen) client.destroy();
  });
  const payments = () => client.lLen(`paid to ${to}`);
  return {
    args: { to },
    held: { to, hold: true },
    payments,
    /** Waits for a payment whose body has not returned yet. */
    isPaid: () =>
      vi.waitFor(async () => expect(await payments()).toBe(1), { timeout: 15_000, interval: 20 }),
    release: () => client.set(`release ${to}`, 'now'),
  };
}

const PAID = expect.stringMatching(/^Paid payee .*: number 1, by process \d+\.$/) as string;

describe('two processes', () => {
  test('run a call once if both receive it five times at the same time', async () => {
    const { args, payments } = await newPayee();
    const token = tokenOf(await one.rounds({ args }, 'pay_patiently'));
    const last = { args, token, answers: { approved: yes } };
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, time) =>
        (time % 2 === 0 ? one : two).rounds(last, 'pay_patiently'),
      ),
    );
    expect(answerOf(replies[0]!)).toEqual({ text: PAID });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await payments()).toBe(1);
  });

  test('return each other’s results for every token and answer', async () => {
    const { args, payments } = await newPayee();
    const first = tokenOf(await one.rounds({ args }));
    const second = tokenOf(await two.rounds({ args, token: first }));
    const end = await two.rounds({ args, token: second, answers: { approved: yes } });
    expect(answerOf(end)).toEqual({ text: PAID });
    for (const token of [first, second]) {
      for (const approved of [yes, decline]) {
        expect((await one.rounds({ args, token, answers: { approved } })).text).toBe(end.text);
      }
    }
    expect(await payments()).toBe(1);
  });

  test('return each other’s refusals', async () => {
    const { args, payments } = await newPayee();
    const token = tokenOf(await one.rounds({ args }));
    const refusal = await one.rounds({ args, token, answers: { approved: decline } });
    expect(answerOf(refusal).text).toContain('elicitation was decline');
    expect((await two.rounds({ args, token, answers: { approved: yes } })).text).toBe(refusal.text);
    expect(await payments()).toBe(0);
  });

  test('agree on an approval and a refusal at the same time', async () => {
    for (let time = 0; time < 20; time += 1) {
      const { args, payments } = await newPayee();
      const token = tokenOf(await one.rounds({ args }));
      const replies = await Promise.all([
        one.rounds({ args, token, answers: { approved: time % 2 === 0 ? yes : decline } }),
        two.rounds({ args, token, answers: { approved: time % 2 === 0 ? decline : yes } }),
      ]);
      const end = await one.rounds({ args, token });
      const paid = answerOf(end).isError !== true;
      expect(await payments()).toBe(paid ? 1 : 0);
      for (const reply of replies) {
        expect([answerOf(end), inProgress('pay')]).toContainEqual(answerOf(reply));
      }
    }
  });

  test('know which calls are in progress in the other process', async () => {
    const { held, payments, isPaid, release } = await newPayee();
    const token = tokenOf(await one.rounds({ args: held }));
    const last = { args: held, token, answers: { approved: yes } };
    const first = one.rounds(last);
    await isPaid();
    expect(answerOf(await two.rounds(last))).toEqual(inProgress('pay'));
    await release();
    expect(answerOf(await first)).toEqual({ text: PAID });
    expect((await two.rounds(last)).text).toBe((await first).text);
    expect(await payments()).toBe(1);
  });

  test('wait for each other’s results with waitMs', async () => {
    const { held, payments, isPaid, release } = await newPayee();
    const token = tokenOf(await one.rounds({ args: held }, 'pay_patiently'));
    const last = { args: held, token, answers: { approved: yes } };
    const first = one.rounds(last, 'pay_patiently');
    await isPaid();
    const second = two.rounds(last, 'pay_patiently');
    await release();
    expect(answerOf(await first)).toEqual({ text: PAID });
    expect((await second).text).toBe((await first).text);
    expect(await payments()).toBe(1);
  });
});

test('a restarted process returns recorded results and completes open calls', async () => {
  const before = await startBank();
  const [paid, asked] = [await newPayee(), await newPayee()];
  const last = {
    args: paid.args,
    token: tokenOf(await before.rounds({ args: paid.args })),
    answers: { approved: yes },
  };
  const end = await before.rounds(last);
  expect(answerOf(end)).toEqual({ text: PAID });
  const waiting = {
    args: asked.args,
    token: tokenOf(await before.rounds({ args: asked.args })),
    answers: { approved: yes },
  };
  await before.kill();

  const after = await startBank();
  expect((await after.rounds(last)).text).toBe(end.text);
  const late = await after.rounds(waiting);
  expect(answerOf(late)).toEqual({ text: PAID });
  expect((await after.rounds(waiting)).text).toBe(late.text);
  expect([await paid.payments(), await asked.payments()]).toEqual([1, 1]);
}, 60_000);

describe('if a process does not renew its claim during a body', () => {
  const env = { LEASE_MS: '1500' };
  let silent: BankProcess;

  beforeAll(async () => {
    silent = await startBank(env);
  }, 60_000);

  test('its late result counts, and other processes return it', async () => {
    const { held, payments, isPaid, release } = await newPayee();
    const token = tokenOf(await silent.rounds({ args: held }));
    const last = { args: held, token, answers: { approved: yes } };
    const first = silent.rounds(last);
    await isPaid();
    await eventually(() => two.rounds(last), outcomeUnknown('pay'));
    await release();
    const end = await first;
    expect(answerOf(end)).toEqual({ text: PAID });
    expect((await two.rounds(last)).text).toBe(end.text);
    expect(await payments()).toBe(1);
  });

  test('because it was killed, the outcome stays unknown, and the call never runs again', async () => {
    const { held, payments, isPaid, release } = await newPayee();
    const token = tokenOf(await silent.rounds({ args: held }));
    const last = { args: held, token, answers: { approved: yes } };
    const lost = expect(silent.rounds(last)).rejects.toThrow();
    await isPaid();
    await silent.kill();
    await lost;
    await release();

    await eventually(() => two.rounds(last), outcomeUnknown('pay'));
    const restarted = await startBank(env);
    for (const { rounds } of [one, two, restarted]) {
      expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
      const refusal = await rounds({ ...last, answers: { approved: decline } });
      expect(answerOf(refusal)).toEqual(outcomeUnknown('pay'));
    }
    expect(await payments()).toBe(1);
  }, 60_000);
});

describe('two processes whose clocks are five minutes apart', () => {
  let slow: BankProcess;
  let fast: BankProcess;

  beforeAll(async () => {
    [slow, fast] = await Promise.all([
      startBank({ CLOCK_MS: '-150000' }),
      startBank({ CLOCK_MS: '150000' }),
    ]);
  }, 60_000);

  test('run a call once if both receive it five times at the same time', async () => {
    const { args, payments } = await newPayee();
    const last = {
      args,
      token: tokenOf(await slow.rounds({ args })),
      answers: { approved: yes },
    };
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, time) => (time % 2 === 0 ? slow : fast).rounds(last)),
    );
    for (const reply of replies)
      expect([{ text: PAID }, inProgress('pay'), outcomeUnknown('pay')]).toContainEqual(
        answerOf(reply),
      );
    const [end, again] = [await slow.rounds(last), await fast.rounds(last)];
    expect(answerOf(end)).toEqual({ text: PAID });
    expect(again.text).toBe(end.text);
    expect(await payments()).toBe(1);
  });

  test.each([
    ['slow', 'outcome unknown to the fast one', outcomeUnknown],
    ['fast', 'in progress to the slow one', inProgress],
  ])('the body of the %s one is %s, until it has ended', async (name, _, meanwhile) => {
    const [runner, other] = name === 'slow' ? [slow, fast] : [fast, slow];
    const { held, payments, isPaid, release } = await newPayee();
    const token = tokenOf(await slow.rounds({ args: held }));
    const last = { args: held, token, answers: { approved: yes } };
    const first = runner.rounds(last);
    await isPaid();
    expect(answerOf(await other.rounds(last))).toEqual(meanwhile('pay'));
    await release();
    const end = await first;
    expect(answerOf(end)).toEqual({ text: PAID });
    expect((await other.rounds(last)).text).toBe(end.text);
    expect(await payments()).toBe(1);
  });

  test('refuse a token of the fast one at the slow one', async () => {
    const { args, payments } = await newPayee();
    const token = tokenOf(await fast.rounds({ args }));
    expect((await slow.rounds({ args, token, answers: { approved: yes } })).error).toMatchObject({
      code: -32_602,
    });
    expect(await payments()).toBe(0);
  });
});

test('a call does not run while Redis is down, and runs when Redis is back', async () => {
  const own = await startRedis();
  open.push(own.stop);
  const bank = await startBank({ REDIS_URL: own.url });
  const { args } = await newPayee();
  const last = { args, token: tokenOf(await bank.rounds({ args })), answers: { approved: yes } };
  await own.kill();
  expect(answerOf(await bank.rounds(last))).toEqual(storeUnavailable('pay'));
  expect(answerOf(await bank.rounds(last))).toEqual(storeUnavailable('pay'));

  const again = await startRedis({ port: own.port });
  open.push(again.stop);
  await eventually(() => bank.rounds(last), { text: PAID });
  expect(answerOf(await bank.rounds(last))).toEqual({ text: PAID });
}, 60_000);
