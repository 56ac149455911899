/**
 * Tests the state between the rounds of a prompt or a resource. It is sealed, and bound to the
 * prompt's name and arguments or to the resource's uri. With any other request it gets the error of
 * an invalid state.
 */
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import type { AnyDefinition, RequestStateSeal } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { rawLegacy } from '../support/wire.js';
import {
  caller,
  createSeal,
  endOf,
  expectFrozen,
  flipped,
  FROZEN,
  OTHER_KEY,
  overHttp,
  overStdio,
  type Reply,
  tokenOf,
} from '../sealing/desk.js';
import { layers, serving, template } from './library.js';

const Trip = z.object({ city: z.string() });
const { city } = argsOf(Trip);

/** Creates definitions of all kinds with the same question. `ran` records every function. */
function travelDesk(): { ran: string[]; definitions: AnyDefinition[] } {
  const ran: string[] = [];
  const sure = resolver(
    { city },
    (values) => {
      ran.push(`asked for ${values.city}`);
      return confirm(`Go to ${values.city}?`);
    },
    { asks: 'form' },
  );
  const open = resolver({}, () => confirm('Go?'), { asks: 'form', name: 'sure' });
  const body = ({ city }: { city: string }): string => {
    ran.push(`went to ${city}`);
    return `went to ${city}`;
  };
  const config = { resolve: { sure } };
  return {
    ran,
    definitions: [
      defineTool('go', { inputSchema: Trip, ...config }, body),
      definePrompt('go', { argsSchema: Trip, ...config }, body),
      definePrompt('come', { argsSchema: Trip, ...config }, body),
      defineResource('go', template('go://{city}'), { variables: Trip, ...config }, body),
      defineResource('come', template('come://{city}'), { variables: Trip, ...config }, body),
      defineResource('home', 'https://home.example', { resolve: { sure: open } }, () => 'at home'),
    ],
  };
}

const inputResponses = { sure: accept({ confirm: true }) };
const LYON = { name: 'go', arguments: { city: 'Lyon' } };

/** The requests under test, each with other requests that must not accept its token. */
const flows = [
  {
    target: 'a prompt',
    method: 'prompts/get',
    params: LYON,
    others: [
      ['prompts/get', { name: 'go', arguments: { city: 'Oslo' } }],
      ['prompts/get', { name: 'go', arguments: { city: 'Lyon', more: 'x' } }],
      ['prompts/get', { name: 'come', arguments: { city: 'Lyon' } }],
      ['tools/call', LYON],
      ['resources/read', { uri: 'go://Lyon' }],
    ],
    end: 'went to Lyon',
  },
  {
    target: 'a resource template',
    method: 'resources/read',
    params: { uri: 'go://Lyon' },
    others: [
      ['resources/read', { uri: 'go://Oslo' }],
      ['resources/read', { uri: 'go://Lyon?' }],
      ['resources/read', { uri: 'GO://Lyon' }],
      ['resources/read', { uri: 'come://Lyon' }],
      ['resources/read', { uri: 'https://home.example/' }],
      ['tools/call', LYON],
      ['prompts/get', LYON],
    ],
    end: 'went to Lyon',
  },
  {
    target: 'a resource at a fixed uri',
    method: 'resources/read',
    params: { uri: 'https://home.example/' },
    others: [
      ['resources/read', { uri: 'https://home.example' }],
      ['resources/read', { uri: 'go://Lyon' }],
    ],
    end: 'at home',
  },
  {
    target: 'a tool',
    method: 'tools/call',
    params: LYON,
    others: [
      ['prompts/get', LYON],
      ['resources/read', { uri: 'go://Lyon' }],
    ],
    end: 'went to Lyon',
  },
] as const;

const eachFlow = flows.map((flow) => [flow.target, flow] as const);

const transports: [string, typeof overHttp][] = [
  ['HTTP', overHttp],
  ['stdio', overStdio],
];

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe.each(layers)('on %s', (layer) => {
  describe.each(transports)('over %s', (_, over) => {
    test.each(eachFlow)('I35: a token of %s is refused in any other request', async (__, flow) => {
      const { ran, definitions } = travelDesk();
      const { seal, logged } = createSeal();
      const send = over(serving(layer, definitions, { seal }));
      const requestState = tokenOf(await send(flow.method, flow.params));
      ran.splice(0);

      for (const [method, params] of flow.others) {
        expectFrozen(await send(method, { ...params, inputResponses, requestState }));
      }
      expect(ran).toEqual([]);
      expect(logged).toEqual(
        flow.others.map(([method]) => `requestState rejected on ${method}: request binding`),
      );
      const end = await send(flow.method, { ...flow.params, inputResponses, requestState });
      expect(endOf(end)).toBe(flow.end);
    });

    test.each(eachFlow)(
      'I7, I21: a changed or foreign token of %s is refused',
      async (__, flow) => {
        const { ran, definitions } = travelDesk();
        const { seal } = createSeal();
        const send = over(serving(layer, definitions, { seal }));
        const token = tokenOf(await send(flow.method, flow.params));
        const foreign = requestStateSeal({ keys: [OTHER_KEY], audience: 'desk' });
        const elsewhere = requestStateSeal({
          keys: ['0123456789abcdef0123456789abcdef'],
          audience: 'x',
        });
        const tokenUnder = async (other: RequestStateSeal) =>
          tokenOf(
            await over(serving(layer, definitions, { seal: other }))(flow.method, flow.params),
          );
        const invalid = [
          flipped(token),
          token.slice(0, -1),
          `${token}A`,
          token.replace('v1.', 'v2.'),
          'went to Lyon',
          '',
          123,
          null,
          {},
          await tokenUnder(foreign),
          await tokenUnder(elsewhere),
        ];
        ran.splice(0);

        for (const requestState of invalid) {
          expectFrozen(await send(flow.method, { ...flow.params, inputResponses, requestState }));
        }
        expect(ran).toEqual([]);
        const end = await send(flow.method, {
          ...flow.params,
          inputResponses,
          requestState: token,
        });
        expect(endOf(end)).toBe(flow.end);
      },
    );
  });

  test('I3, I19: the state of every kind of definition is opaque', async () => {
    const { definitions } = travelDesk();
    const send = overHttp(serving(layer, definitions));
    for (const { method, params } of flows) {
      const token = tokenOf(await send(method, params));
      expect(token).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
      const bytes = Buffer.from(token.slice(3), 'base64url').toString('latin1');
      expect(bytes).not.toMatch(/Lyon|confirm|sure/);
    }
  });

  test('I36: a token is bound to arguments in any order, and to the uri of a resource alone', async () => {
    const Two = z.object({ from: z.string(), to: z.string() });
    const sure = resolver({}, () => confirm('Go?'), { asks: 'form' });
    const send = overHttp(
      serving(layer, [
        definePrompt('two', { argsSchema: Two, resolve: { sure } }, ({ from, to }) => from + to),
        defineResource('one', 'go://one', { resolve: { sure } }, () => 'one'),
      ]),
    );
    const two = tokenOf(
      await send('prompts/get', { name: 'two', arguments: { from: 'a', to: 'b' } }),
    );
    const one = tokenOf(await send('resources/read', { uri: 'go://one', arguments: { a: 'x' } }));

    const turned = { name: 'two', arguments: { to: 'b', from: 'a' } };
    expect(endOf(await send('prompts/get', { ...turned, inputResponses, requestState: two }))).toBe(
      'ab',
    );
    const named = { uri: 'go://one', arguments: { a: 'y' }, _meta: { progressToken: 7 } };
    expect(
      endOf(await send('resources/read', { ...named, inputResponses, requestState: one })),
    ).toBe('one');
  });

  test.each(eachFlow)('I39: a token of %s is refused for another user', async (_, flow) => {
    const { definitions } = travelDesk();
    const { seal } = createSeal();
    const send = overHttp(serving(layer, definitions, { seal }));
    const by = (sub?: string) => ({ authInfo: caller(sub) });
    const requestState = tokenOf(await send(flow.method, flow.params, by('ann')));
    const answered = { ...flow.params, inputResponses, requestState };

    expectFrozen(await send(flow.method, answered, by('bob')));
    expectFrozen(await send(flow.method, answered));
    expect(endOf(await send(flow.method, answered, by('ann')))).toBe(flow.end);
  });

  test.each(eachFlow)('I31: a token of %s expires', async (_, flow) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_767_225_600_000 });
    const { definitions } = travelDesk();
    const { seal } = createSeal({ ttlSeconds: 60 });
    const send = overHttp(serving(layer, definitions, { seal }));
    const requestState = tokenOf(await send(flow.method, flow.params));
    const answered = { ...flow.params, inputResponses, requestState };
    vi.setSystemTime(1_767_225_660_000);
    expectFrozen(await send(flow.method, answered));
    vi.setSystemTime(1_767_225_659_000);
    expect(endOf(await send(flow.method, answered))).toBe(flow.end);
  });

  test('G16, G21, G22: a round accepts only answers to the questions of the round before', async () => {
    const Name = z.object({ name: z.string() });
    const first = resolver({}, () => elicit('First?', Name), { asks: 'form' });
    const second = resolver({ first }, (v) => elicit(`After ${v.first.name}?`, Name), {
      asks: 'form',
    });
    const third = resolver(
      { first, second },
      (v) => elicit(`After ${v.first.name} and ${v.second.name}?`, Name),
      { asks: 'form' },
    );
    const config = { resolve: { first, second, third } };
    type Values = Record<'first' | 'second' | 'third', { name: string }>;
    const body = ({ first, second, third }: Values): string =>
      [first, second, third].map(({ name }) => name).join(' ');
    const definitions = [
      definePrompt('chain', config, body),
      defineResource('chain', 'chain://it', config, body),
    ];
    const { seal } = createSeal();
    const send = overHttp(serving(layer, definitions, { seal }));
    const asked = ({ result }: Reply) => Object.keys(result?.inputRequests as object);

    for (const [method, params] of [
      ['prompts/get', { name: 'chain' }],
      ['resources/read', { uri: 'chain://it' }],
    ] as const) {
      const sendRound = (requestState: string | undefined, names: Record<string, string>) =>
        send(method, {
          ...params,
          ...(requestState !== undefined && { requestState }),
          inputResponses: Object.fromEntries(
            Object.entries(names).map(([key, name]) => [key, accept({ name })]),
          ),
        });
      const opened = await sendRound(undefined, { first: 'early' });
      expect(asked(opened)).toEqual(['first']);
      const two = await sendRound(tokenOf(opened), { first: 'a', second: 'early', ghost: 'x' });
      expect(asked(two)).toEqual(['second']);
      const three = await sendRound(tokenOf(two), { first: 'other', second: 'b', third: 'early' });
      expect(asked(three)).toEqual(['third']);
      expect(JSON.stringify(three.result)).toContain('After a and b?');
      expect(endOf(await sendRound(tokenOf(three), { first: 'z', second: 'z', third: 'c' }))).toBe(
        'a b c',
      );
      expect(asked(await sendRound(tokenOf(three), {}))).toEqual(['third']);
    }
  });
});

describe.each(layers)('on the legacy era on %s', (layer) => {
  test.each(eachFlow)(
    'I11, D15: %s refuses a state and ignores answers of the client',
    async (_, flow) => {
      const { ran, definitions } = travelDesk();
      const { seal, logged } = createSeal();
      const factory = serving(layer, definitions, { seal });
      const token = tokenOf(await overHttp(factory)(flow.method, flow.params));
      ran.splice(0);
      const client = await rawLegacy(factory, {
        capabilities: { elicitation: {} },
        answer: () => ({ result: { action: 'decline' } }),
      });

      for (const requestState of [token, 'junk', '', 7, null, {}]) {
        const answered = { ...flow.params, inputResponses, requestState };
        expect((await client.request(flow.method, answered)).error).toEqual(FROZEN);
      }
      expect(ran).toEqual([]);
      expect(client.received).toEqual([]);
      expect(logged.slice(0, 2)).toEqual(
        Array.from({ length: 2 }, () => `requestState rejected on ${flow.method}: request binding`),
      );

      const forged = { ...flow.params, inputResponses };
      const reply = await client.request(flow.method, forged);
      expect(client.received).toHaveLength(1);
      expect(JSON.stringify(reply)).toContain('elicitation was decline');
      expect(ran).not.toContain('went to Lyon');
    },
  );
});
