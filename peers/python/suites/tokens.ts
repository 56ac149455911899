/** Tests request state that one language seals and the other opens. */
import type { Client } from '@modelcontextprotocol/client';
import { accept, decline, resumeCall, startCall } from 'mcp-resolve/client';
import { describe, expect, test } from 'vitest';

import { tokenPrincipal } from '../../../src/state/principal.js';
import { argumentsDigest } from '../../../src/state/canonical.js';
import { ringCodec } from '../../../src/state/codec.js';
import { connected, endOf, open, REFUSED, refusalOf } from '../support/calls.js';
import { output, python } from '../support/python.js';
import type { Program } from '../support/script.js';
import { example, ours, pythonServer, serving, type Via } from '../support/servers.js';

const KEY = '0123456789abcdef0123456789abcdef';
const OTHER_KEY = 'fedcba9876543210fedcba9876543210';
// The audience is the name of the example.
const AUDIENCE = 'mrtr-example';

const mrtr = { inTypeScript: example('mrtr'), inPython: pythonServer };
type Language = keyof typeof mrtr;
const directions: [Language, Language][] = [
  ['inTypeScript', 'inPython'],
  ['inPython', 'inTypeScript'],
];

const staging = { name: 'deploy', arguments: { env: 'staging' } };
const yes = { confirm: accept({ confirm: true }) };

const SUBJECTS = ['ada', 'zoë'];

describe('the format', () => {
  // The vectors of docs/state-format.md.
  const told = async (args: readonly string[] = ['{}']): Promise<Told> => {
    const given = {
      key: KEY,
      token: 'v1.oBT0CwABAgMEBQYHCAkKCzBsQZTvX9f63IvLQIFZsd3KtHavCQ',
      plaintext: 'hello from here',
      arguments: args,
      claim: 'AAAAAAAAAACt4TExT2c1Y6i6rpA-02TF',
      principal: 'alice',
      subjects: SUBJECTS,
    };
    const line = await output(python, ['tokens.py'], { input: JSON.stringify(given) });
    return JSON.parse(line) as Told;
  };

  test('tokens of one language open in the other with the same key', async () => {
    const { plaintext, token } = await told();
    expect(plaintext).toBe('hello');
    const codec = ringCodec([new TextEncoder().encode(KEY)]);
    expect(new TextDecoder().decode(await codec.unseal(token))).toBe('hello from here');
  });

  test('a principal is bound in the same way in both languages', async () => {
    expect((await told()).bound).toBe(true);
  });

  test('an authenticated user is the same principal if the name is ASCII', async () => {
    const here = SUBJECTS.map((sub) =>
      tokenPrincipal({
        token: 't',
        clientId: 'app',
        scopes: [],
        extra: { iss: 'https://id.example', sub },
      }),
    );
    const [ada, zoe] = (await told()).principals;
    expect([ada === here[0], zoe === here[1]]).toEqual([true, false]);
  });

  test('arguments have the same digest, except for numbers that the languages format differently', async () => {
    const same = [
      '{}',
      '{"env":"prod"}',
      '{"env":"é","b":[true,null,{"z":1,"a":"😀"}],"😀":1,"\\uffff":2}',
      '{"n":-1,"half":0.5,"big":9007199254740991,"huge":1e21,"small":0.0001,"tiny":1e-10}',
      // 2^53, 2^54 and 10^20: both languages write the same digits.
      '{"n":[9007199254740992,18014398509481984,100000000000000000000]}',
    ];
    const different = [
      '{"n":1.0}',
      '{"n":-0}',
      '{"n":-0.0}',
      '{"n":0.00001}',
      '{"n":1e-7}',
      '{"n":9.9e-9}',
      '{"n":1e16}',
      '{"n":9007199254740993}',
      // 2^60 and 2^63 fit a double, but JavaScript writes other digits.
      '{"n":1152921504606846976}',
      '{"n":9223372036854775808}',
      '{"n":1000000000000000000000}',
    ];
    const { digests } = await told([...same, ...different]);
    const here = await Promise.all(
      [...same, ...different].map(async (text) => argumentsDigest(JSON.parse(text))),
    );
    expect(here.map((digest, index) => digest === digests[index])).toEqual([
      ...same.map(() => true),
      ...different.map(() => false),
    ]);
  });

  interface Told {
    readonly plaintext: string;
    readonly token: string;
    readonly digests: readonly string[];
    readonly bound: boolean;
    readonly principals: readonly string[];
  }
});

describe.each(directions)('a call that starts %s and continues %s', (begun, finished) => {
  test.each(['HTTP', 'stdio'] as const)(
    'ends over %s, with an acceptance or a refusal',
    async (via) => {
      const saved = await begin(mrtr[begun], staging, { via });
      await at(mrtr[finished], { via }, async (client) => {
        const call = resumeCall<'tools/call'>(client, saved);
        const done = textOf(endOf(await call.answer(yes)));
        expect(done).toBe('deployed to staging');
        const cancelled = textOf(endOf(await call.answer({ confirm: decline() })));
        expect(cancelled).toBe('deployment to staging cancelled');
      });
    },
  );

  test('ends with any plain data as arguments', async () => {
    const note = { text: 'é 😀 "\\\u2028', list: [1, -2.5, null, { b: true, a: 1e21 }] };
    const noted = { name: 'deploy', arguments: { note, env: 'staging' } };
    const saved = await begin(mrtr[begun], noted);
    await at(mrtr[finished], {}, async (client) => {
      const done = await resumeCall<'tools/call'>(client, saved).answer(yes);
      expect(textOf(endOf(done))).toBe('deployed to staging');
    });
  });

  test('is refused with other arguments, or with a number in another format', async () => {
    const small = { name: 'deploy', arguments: { env: 'staging', rate: 1e-7 } };
    const plain = await begin(mrtr[begun], staging);
    const moved = { ...plain, params: { ...staging, arguments: { env: 'production' } } };
    const numbered = await begin(mrtr[begun], small);
    await at(mrtr[finished], {}, async (client) => {
      for (const saved of [moved, numbered]) {
        const round = resumeCall<'tools/call'>(client, saved).answer(yes);
        expect(await refusalOf(round)).toEqual(REFUSED);
      }
    });
  });

  test('is refused with another key', async () => {
    const saved = await begin(mrtr[begun], staging, { env: { MCP_RESOLVE_KEYS: OTHER_KEY } });
    await at(mrtr[finished], {}, async (client) => {
      const round = resumeCall<'tools/call'>(client, saved).answer(yes);
      expect(await refusalOf(round)).toEqual(REFUSED);
    });
  });
});

describe('between servers with different audiences', () => {
  const env = { AUDIENCE: 'another audience' };

  test('a state from TypeScript is refused in Python', async () => {
    const saved = await begin(mrtr.inTypeScript, staging);
    await at(mrtr.inPython, { env }, async (client) => {
      const round = resumeCall<'tools/call'>(client, saved).answer(yes);
      expect(await refusalOf(round)).toEqual(REFUSED);
    });
  });

  test('a state from Python is refused in TypeScript', async () => {
    const saved = await begin(mrtr.inPython, staging, { env });
    await at(mrtr.inTypeScript, {}, async (client) => {
      const round = resumeCall<'tools/call'>(client, saved).answer(yes);
      expect(await refusalOf(round)).toEqual(REFUSED);
    });
  });
});

describe('the state of a tool with resolvers', () => {
  const restaurant = { inTypeScript: ours('stories/restaurant.ts'), inPython: pythonServer };
  const table = { name: 'book_table', arguments: { guests: 4 } };

  test.each(directions)(
    'from a call %s opens %s, where the question is asked again',
    async (begun, finished) => {
      const saved = await begin(restaurant[begun], table);
      const seat = '__main__:seat';
      await at(restaurant[finished], {}, async (client) => {
        const call = resumeCall<'tools/call'>(client, saved);
        const again = open(await call.answer({ [seat]: accept({ outside: true }) }));
        expect(Object.keys(again.questions)).toContain(seat);
        const onward = await again.answer({ [seat]: accept({ outside: true }) });
        const left = onward.done ? [] : Object.keys(onward.questions);
        expect(left).not.toContain(seat);
      });
    },
  );
});

interface Where {
  readonly via?: Via;
  readonly env?: Record<string, string>;
}

/** Runs a function with a client of a server that has the shared key and audience. */
function at<T>(
  server: Program,
  { via = 'HTTP', env }: Where,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const shared = { MCP_RESOLVE_KEYS: KEY, AUDIENCE, ...env };
  return serving(server, { via, env: shared }, (where) => connected(where, {}, use));
}

/** Starts a call and saves it after its first round. */
function begin(server: Program, target: typeof staging | Target, where: Where = {}) {
  return at(server, where, async (client) => open(await startCall(client, target)).toJSON());
}

interface Target {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** Returns the text of a result, which the Python SDK also sends as structured content. */
function textOf(end: unknown): unknown {
  return typeof end === 'object' && end !== null && 'result' in end ? end.result : end;
}
