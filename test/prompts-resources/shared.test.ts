/** One resolver for a tool, a prompt and a resource: written once, it is one definition. */
import {
  arg,
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  elicitUrl,
  listRoots,
  outcome,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import { accept, cancel, decline } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';
import { countOf, get, layers, read, serving, template } from './library.js';

const Trip = z.object({ city: z.string() });
const { city } = argsOf(Trip);
const Days = z.object({ days: z.number() });

/** The three kinds of definition around the same graph; `ran` has every run of a function. */
function travelDesk() {
  const ran: string[] = [];
  const known = resolver({ city }, (values) => {
    ran.push(`known ${values.city}`);
    if (values.city === 'Atlantis') throw new ToolError('there is no Atlantis');
  });
  const country = resolver({ city }, (values) => {
    ran.push(`country of ${values.city}`);
    return values.city === 'Lyon' ? 'France' : 'Norway';
  });
  const stay = resolver({ city, country }, (values) => {
    ran.push('stay');
    return elicit(`How long in ${values.city}, ${values.country}?`, Days);
  });
  const insured = resolver({ stay }, (values) => {
    ran.push('insured');
    return values.stay.days < 3 ? false : confirm('Insure the trip?');
  });
  const config = {
    guards: [known],
    resolve: { country, days: stay, insured: outcome(insured) },
  };
  interface Values {
    city: string;
    country: string;
    days: { days: number };
    insured: { action: string; data?: boolean };
  }
  const body = (values: Values): string => {
    ran.push('body');
    const { action, data = '' } = values.insured;
    return `${values.days.days} days in ${values.city}, ${values.country}, ${action} ${String(data)}`;
  };
  return {
    ran,
    definitions: [
      defineTool('book', { inputSchema: Trip, ...config }, body),
      definePrompt('plan', { argsSchema: Trip, ...config }, body),
      defineResource('trip', template('trips://{city}'), { variables: Trip, ...config }, body),
    ],
  };
}

describe.each(eras)('%s', (era) => {
  describe.each(layers)('%s', (layer) => {
    test('J13, A11: a tool, a prompt and a resource ask the same and answer the same', async () => {
      const { definitions } = travelDesk();
      const chat = await connectClient(era, serving(layer, definitions), {
        elicit: ({ message }) =>
          message.startsWith('How long') ? accept({ days: 4 }) : accept({ confirm: true }),
      });
      const questions = ['How long in Lyon, France?', 'Insure the trip?'];
      const answer = '4 days in Lyon, France, accept true';

      expect(await chat.text('book', { city: 'Lyon' })).toBe(answer);
      expect(chat.asked.splice(0)).toEqual(questions);
      expect(await get(chat, 'plan', { city: 'Lyon' })).toBe(answer);
      expect(chat.asked.splice(0)).toEqual(questions);
      expect(await read(chat, 'trips://Lyon')).toBe(answer);
      expect(chat.asked).toEqual(questions);
    });

    test('D5, D6: each call runs the graph for itself, the functions as often as its era has it', async () => {
      const { definitions, ran } = travelDesk();
      const chat = await connectClient(era, serving(layer, definitions), {
        elicit: ({ message }) => (message.startsWith('How long') ? accept({ days: 9 }) : decline()),
      });
      const round = ['known Lyon', 'country of Lyon', 'stay'];
      const expected =
        era === 'modern'
          ? [...round, ...round, 'insured', ...round, 'insured', 'body']
          : [...round, 'insured', 'body'];
      const calls = [
        () => chat.text('book', { city: 'Lyon' }),
        () => get(chat, 'plan', { city: 'Lyon' }),
        () => read(chat, 'trips://Lyon'),
      ];
      for (const call of calls) {
        expect(await call()).toBe('9 days in Lyon, France, decline ');
        expect(ran.splice(0)).toEqual(expected);
      }
    });

    test('D13: a guard ends each of them before anything else runs', async () => {
      const { definitions, ran } = travelDesk();
      const chat = await connectClient(era, serving(layer, definitions), { elicit: [] });
      const message = 'there is no Atlantis';

      expect(await chat.errorText('book', { city: 'Atlantis' })).toBe(
        `Error executing tool book: ${message}`,
      );
      expect(await protocolErrorOf(get(chat, 'plan', { city: 'Atlantis' }))).toEqual({
        code: -32603,
        message: `Error getting prompt plan: ${message}`,
      });
      expect(await protocolErrorOf(read(chat, 'trips://Atlantis'))).toEqual({
        code: -32603,
        message: `Error reading resource trip: ${message}`,
      });
      expect(ran).toEqual(Array.from({ length: 3 }, () => 'known Atlantis'));
      expect(chat.asked).toEqual([]);
    });

    test('E3, E4: a refusal ends a call whose consumer wanted the value, in the words of its kind', async () => {
      const { definitions, ran } = travelDesk();
      const chat = await connectClient(era, serving(layer, definitions), {
        elicit: [decline(), cancel(), decline(), cancel()],
      });
      const text = "Resolver for parameter 'days' could not resolve: elicitation was";

      for (const end of ['decline', 'cancel']) {
        expect(await protocolErrorOf(get(chat, 'plan', { city: 'Oslo' }))).toEqual({
          code: -32603,
          message: `Error getting prompt plan: ${text} ${end}`,
        });
      }
      for (const end of ['decline', 'cancel']) {
        expect(await protocolErrorOf(read(chat, 'trips://Oslo'))).toEqual({
          code: -32603,
          message: `Error reading resource trip: ${text} ${end}`,
        });
      }
      expect(ran).not.toContain('body');
    });
  });
});

const text = (said: string) => ({
  role: 'user' as const,
  content: { type: 'text' as const, text: said },
});
const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Bring a coat' } };

/** One question of every kind, and two that follow: what is asked depends on what was answered. */
function inquiry() {
  const who = resolver({ city }, (values) =>
    elicit(`Who goes to ${values.city}?`, z.object({ name: z.string() })),
  );
  const sure = resolver({}, () => confirm('Really?'), { name: 'sure' });
  const page = resolver({}, () => elicitUrl('Sign in', 'https://travel.example/in'));
  const hint = resolver({}, () => sample({ messages: [text('A hint?')], maxTokens: 9 }));
  const folders = resolver({}, () => listRoots());
  const seat = resolver({ who }, (values) =>
    elicit(`Where does ${values.who.name} sit?`, z.object({ seat: z.string() })),
  );
  const meal = resolver({ seat, who }, (values) =>
    elicit(
      `What does ${values.who.name} eat on ${values.seat.seat}?`,
      z.object({ meal: z.string() }),
    ),
  );
  const config = { resolve: { who, sure, page, hint, folders, meal } };
  interface Values {
    city: string;
    who: { name: string };
    sure: true;
    page: true;
    hint: { content: unknown };
    folders: { roots: unknown[] };
    meal: { meal: string };
  }
  const body = ({ who, sure, page, hint, folders, meal }: Values): string =>
    [who.name, sure, page, JSON.stringify(hint.content), folders.roots.length, meal.meal].join(' ');
  return [
    defineTool('ask', { inputSchema: Trip, ...config }, body),
    definePrompt('ask', { argsSchema: Trip, ...config }, body),
    defineResource('ask', template('ask://{city}'), { variables: Trip, ...config }, body),
  ];
}

const everything = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};

const answers: Record<string, Record<string, string | boolean>> = {
  'Who goes to Oslo?': { name: 'Ida' },
  'Really?': { confirm: true },
  'Sign in': {},
  'Where does Ida sit?': { seat: '7A' },
  'What does Ida eat on 7A?': { meal: 'soup' },
};
const inquirer = {
  capabilities: everything,
  elicit: ({ message }: { message: string }) => accept(answers[message]),
  sample: () => sampled as never,
  roots: () => ({ roots: [{ uri: 'file:///trips' }] }),
};

const END = 'Ida true true {"type":"text","text":"Bring a coat"} 1 soup';
const ROUNDS = [
  ['A hint?', 'Really?', 'Sign in', 'Who goes to Oslo?', 'roots/list'],
  ['Where does Ida sit?'],
  ['What does Ida eat on 7A?'],
];

const kinds = [
  ['tools/call', { name: 'ask', arguments: { city: 'Oslo' } }],
  ['prompts/get', { name: 'ask', arguments: { city: 'Oslo' } }],
  ['resources/read', { uri: 'ask://Oslo' }],
] as const;

describe.each(layers)('rounds on %s', (layer) => {
  test.each(eras)(
    'F4, G6: every kind of question, and a chain of three, are asked once each (%s)',
    async (era) => {
      const chat = await connectClient(era, serving(layer, inquiry()), inquirer);
      const calls: Record<(typeof kinds)[number][0], () => Promise<string>> = {
        'tools/call': () => chat.text('ask', { city: 'Oslo' }),
        'prompts/get': () => get(chat, 'ask', { city: 'Oslo' }),
        'resources/read': () => read(chat, 'ask://Oslo'),
      };
      for (const [method] of kinds) {
        expect(await calls[method]()).toBe(END);
        const asked = chat.asked.splice(0);
        expect(asked.sort()).toEqual(ROUNDS.flat().sort());
        expect(countOf(method, chat.sent)).toBe(era === 'modern' ? 4 : 1);
      }
    },
  );

  test.each(kinds)(
    'F4, G3, G5: %s asks in one round what it can, and the rest when it knows how',
    async (method, params) => {
      const handler = httpHandler(serving(layer, inquiry()));
      const sendRound = async (more: object = {}) => {
        const { body } = await post(
          handler,
          method,
          { ...params, ...more },
          { capabilities: everything },
        );
        return body.result as {
          inputRequests?: Record<string, { method: string; params?: { mode?: string } }>;
          requestState?: string;
        };
      };
      const first = await sendRound();
      const { who, sure, page, hint, folders, ...others } = first.inputRequests!;
      expect(others).toEqual({});
      expect([who, sure, page].map((asked) => asked?.params?.mode)).toEqual([
        'form',
        'form',
        'url',
      ]);
      expect(hint?.method).toBe('sampling/createMessage');
      expect(folders).toEqual({ method: 'roots/list' });

      const second = await sendRound({
        requestState: first.requestState,
        inputResponses: {
          who: accept({ name: 'Ida' }),
          sure: accept({ confirm: true }),
          page: { action: 'accept' },
          hint: sampled,
          folders: { roots: [] },
        },
      });
      expect(Object.keys(second.inputRequests!)).toEqual(['seat']);
      const third = await sendRound({
        requestState: second.requestState,
        inputResponses: { seat: accept({ seat: '7A' }) },
      });
      expect(Object.keys(third.inputRequests!)).toEqual(['meal']);
      const last = await sendRound({
        requestState: third.requestState,
        inputResponses: { meal: accept({ meal: 'soup' }) },
      });
      expect(JSON.stringify(last)).toContain(
        JSON.stringify(END.replace(' 1 ', ' 0 ')).slice(1, -1),
      );
    },
  );
});

describe.each(eras)('contexts on the %s era', (era) => {
  test.each(layers)('A3: a shared resolver sees the call it works for (%s)', async (layer) => {
    const call = resolver({}, (_, ctx) => ({
      method: ctx.mcpReq.method,
      version: ctx.protocolVersion,
      form: ctx.canAsk('form'),
      state: ctx.mcpReq.requestState(),
      id: ctx.callId,
    }));
    const ids: string[] = [];
    const body = ({ call: { id, ...rest } }: { call: { id: string } }): string => {
      ids.push(id);
      return JSON.stringify(rest);
    };
    const definitions = [
      defineTool('call', { resolve: { call } }, body),
      definePrompt('call', { resolve: { call } }, body),
      defineResource('call', 'call://it', { resolve: { call } }, body),
    ];
    const chat = await connectClient(era, serving(layer, definitions), { elicit: [] });
    const seen = (method: string): string =>
      JSON.stringify({ method, version: VERSION[era], form: true });

    expect(await chat.text('call')).toBe(seen('tools/call'));
    expect(await get(chat, 'call')).toBe(seen('prompts/get'));
    expect(await read(chat, 'call://it')).toBe(seen('resources/read'));
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^[A-Za-z0-9_-]{22}$/.test(id))).toBe(true);
  });
});

describe('one definition', () => {
  test('A14, A15: has one key everywhere, whatever the definition around it is', async () => {
    const sure = resolver({ city: arg<string>() }, () => confirm('Sure?'), { name: 'consent' });
    const resolve = { first: sure, second: sure, third: outcome(sure) };
    const definitions = [
      defineTool('go', { inputSchema: Trip, resolve }, () => 'went'),
      definePrompt('go', { argsSchema: Trip, resolve }, () => 'went'),
      defineResource('go', template('go://{city}'), { variables: Trip, resolve }, () => 'went'),
    ];
    const handler = httpHandler(serving('McpServer', definitions));
    const capabilities = { elicitation: {} };
    for (const [method, params] of [
      ['tools/call', { name: 'go', arguments: { city: 'Oslo' } }],
      ['prompts/get', { name: 'go', arguments: { city: 'Oslo' } }],
      ['resources/read', { uri: 'go://Oslo' }],
    ] as const) {
      const { body } = await post(handler, method, params, { capabilities });
      expect(Object.keys(body.result?.inputRequests as object)).toEqual(['consent']);
    }
  });
});
