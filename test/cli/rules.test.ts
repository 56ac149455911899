/** Tests the rules of `mcp-resolve check`: findings in definitions, and definitions that pass. */
import { runInThisContext } from 'node:vm';
import {
  confirm,
  definePrompt,
  defineTool,
  elicit,
  elicitUrl,
  outcome,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { AnyDefinition, AnyResolver, ResolverOptions } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { memoryStore } from 'mcp-resolve/store';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { definitionsInFactories } from '../../src/dev/cli/perRequest.js';
import { findingsIn } from '../../src/dev/cli/rules.js';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';
import { approvalForAll } from './approvalForAll.js';

/** Returns the findings of a definition, as `level code`. */
function found(definition: AnyDefinition): string[] {
  return findingsIn(definition).map(({ level, code }) => `${level} ${code}`);
}

const body = (): string => 'done';
const asking = resolver({}, () => confirm('Really?'), { name: 'approval', asks: 'form' });
const silent = resolver({}, () => 1);

describe('no-question', () => {
  it.each(['delete_folder', 'removeUser', 'refund-order', 'pay', 'transfer_money', 'purgeAll'])(
    'reports the tool %s if it asks no question',
    (name) => {
      expect(found(defineTool(name, {}, body))).toEqual(['error no-question']);
    },
  );

  it.each(['list_orders', 'payment_status', 'undelete', 'get_removed'])(
    'accepts the tool %s',
    (name) => {
      expect(found(defineTool(name, {}, body))).toEqual([]);
    },
  );

  it('prefers annotations to names', () => {
    const annotated = (name: string, annotations: object): AnyDefinition =>
      defineTool(name, { annotations }, body);
    expect(found(annotated('tidy', { destructiveHint: true }))).toEqual(['error no-question']);
    expect(found(annotated('delete_x', { destructiveHint: false }))).toEqual([]);
    expect(found(annotated('pay_status', { readOnlyHint: true }))).toEqual([]);
    expect(found(annotated('tidy', { readOnlyHint: true, destructiveHint: true }))).toEqual([]);
  });

  it('accepts a question to the user, also in a guard', () => {
    expect(found(defineTool('delete_x', { resolve: { asking } }, body))).toEqual([]);
    expect(found(defineTool('delete_x', { guards: [asking] }, body))).toEqual([]);
  });

  it('does not accept a question to the model', () => {
    const guess = resolver({}, () => sample({ messages: [], maxTokens: 1 }), { asks: 'sample' });
    expect(found(defineTool('delete_x', { resolve: { guess } }, body))).toEqual([
      'error no-question',
    ]);
  });

  it('does not accept a resolver without `asks`', () => {
    expect(found(defineTool('delete_x', { resolve: { silent } }, body))).toEqual([
      'error no-question',
    ]);
  });

  it('does not apply to prompts', () => {
    expect(found(definePrompt('delete_x', {}, body))).toEqual([]);
  });
});

describe('too-many-rounds', () => {
  const chainOf = (length: number, options: Pick<ResolverOptions, 'asks' | 'attempts'>) => {
    const ask = (question: string): unknown => confirm(question);
    let last: AnyResolver = resolver({}, () => ask('0?'), { name: 'q0', ...options });
    for (let index = 1; index < length; index += 1) {
      last = resolver({ last }, () => ask(`${index}?`), { name: `q${index}`, ...options });
    }
    return defineTool('chain', { resolve: { last } }, body);
  };

  it.each([10, 11])(
    "agrees with the SDK's client about a chain of %i questions",
    async (length) => {
      const chain = chainOf(length, { asks: 'form' });
      const client = await connectClient('modern', serving([chain]), {
        elicit: () => accept({ confirm: true }),
      });
      const passes = await client.call('chain').then(
        () => true,
        () => false,
      );
      expect(found(chain)).toEqual(passes ? [] : ['error too-many-rounds']);
      expect(passes).toBe(length === 10);
    },
  );

  it('does not count resolvers without `asks`, which are computed', () => {
    expect(found(chainOf(11, {}))).toEqual([]);
  });

  it('counts the attempts of a form', () => {
    expect(found(chainOf(5, { asks: 'form', attempts: 2 }))).toEqual([]);
    expect(found(chainOf(4, { asks: 'form', attempts: 3 }))).toEqual(['error too-many-rounds']);
  });

  it('names the chain', () => {
    expect(findingsIn(chainOf(11, { asks: 'form' }))[0]?.message).toBe(
      'its questions can take 11 rounds, but clients give up after 10 rounds of questions. Combine questions in one form, make them independent of each other, or lower `attempts`. The chain: q0 -> q1 -> q2 -> q3 -> q4 -> q5 -> q6 -> q7 -> q8 -> q9 -> q10.',
    );
  });
});

describe('unnamed-questions', () => {
  const Shared = z.object({ ok: z.boolean() });
  const pair = (first: object, second: object): AnyDefinition => {
    const inner = resolver({}, () => 1, first);
    const outer = resolver({ ok: inner }, () => 1, second);
    return defineTool('t', { resolve: { ok: outer } }, body);
  };

  it('reports two equal questions of resolvers with the same name', () => {
    const tool = pair({ asks: Shared }, { asks: Shared });
    expect(findingsIn(tool)).toEqual([
      {
        level: 'error',
        code: 'unnamed-questions',
        definition: 't',
        message:
          "'ok#1' and 'ok' ask the same question, and only a number distinguishes them. The number depends on the order of the parameters. Give each resolver a name: resolver(needs, fn, { name }).",
      },
    ]);
  });

  it('compares the fields of forms, not their identity', () => {
    const same = z.object({ ok: z.boolean() });
    expect(found(pair({ asks: Shared }, { asks: same }))).toEqual(['error unnamed-questions']);
    expect(found(pair({ asks: 'url' }, { asks: 'url' }))).toEqual(['error unnamed-questions']);
  });

  it('accepts questions with names, of different kinds, or undeclared', () => {
    expect(found(pair({ asks: Shared, name: 'a' }, { asks: Shared, name: 'b' }))).toEqual([]);
    expect(found(pair({ asks: Shared }, { asks: 'url' }))).toEqual([]);
    expect(found(pair({ asks: Shared }, { asks: z.object({ no: z.boolean() }) }))).toEqual([]);
    expect(found(pair({}, {}))).toEqual([]);
  });
});

describe('pinned-identity', () => {
  const pin = z.string();
  const pinned = (name: string): AnyResolver => resolver({}, () => 'x', { name, pin });

  it.each(['user', 'current_user', 'userRoles', 'permissions', 'tenant', 'session', 'principal'])(
    'reports a pinned %s',
    (name) => {
      const tool = defineTool('t', { resolve: { x: pinned(name) } }, body);
      expect(found(tool)).toEqual(['error pinned-identity']);
    },
  );

  it('also checks the names of the parameters that the resolver fills', () => {
    const identity = resolver({}, () => 'x', { name: 'lookup', pin });
    const consumer = resolver({ user: identity }, () => 1, { name: 'consumer' });
    expect(found(defineTool('t', { resolve: { consumer } }, body))).toEqual([
      'error pinned-identity',
    ]);
  });

  it('reports any pinned resolver that a guard needs', () => {
    const guard = resolver({ rate: pinned('rate') }, () => true, { name: 'may' });
    expect(findingsIn(defineTool('t', { guards: [guard] }, body))).toMatchObject([
      { message: expect.stringContaining("'rate' is pinned, but a guard needs it") as string },
    ]);
  });

  it('accepts other pins, and identities that are not pinned', () => {
    const user = resolver({}, () => 'me', { name: 'user' });
    const tool = defineTool('t', { resolve: { rate: pinned('rate'), user } }, body);
    expect(found(tool)).toEqual([]);
    expect(found(defineTool('t', { resolve: { x: pinned('controller') } }, body))).toEqual([]);
  });
});

describe('approves-unasked', () => {
  const CODE = 'error approves-unasked';
  const form = { asks: 'form' } as const;
  const once = memoryStore();
  const yes = resolver({}, () => confirm('Pay?', { otherwise: true }), form);

  it('reports a fallback of true in a tool that is destructive or has `once`', () => {
    expect(found(defineTool('delete_x', { resolve: { yes } }, body))).toEqual([CODE]);
    expect(found(defineTool('tidy', { resolve: { yes }, once }, body))).toEqual([CODE]);
    expect(found(defineTool('tidy', { guards: [yes], once }, body))).toEqual([CODE]);
    expect(found(defineTool('tidy', { resolve: { yes: outcome(yes) }, once }, body))).toEqual([
      CODE,
    ]);
    expect(found(defineTool('tidy', { resolve: { yes } }, body))).toEqual([]);
  });

  it('names the resolver, the reason and the remedy', () => {
    expect(findingsIn(defineTool('tidy', { resolve: { yes }, once }, body))[0]?.message).toBe(
      "'yes' has `otherwise: true`, which approves for every client that declares nothing, and the tool has `once`. Write `otherwise: false`, or remove `otherwise`, so that such a client receives an error.",
    );
  });

  it('reports a resolver of another module, and a need of a need', () => {
    const behind = resolver({ approval: approvalForAll }, ({ approval }) => approval);
    expect(found(defineTool('pay', { resolve: { behind }, once }, body))).toEqual([CODE]);
  });

  const minified = (code: string): (() => unknown) => runInThisContext(code) as () => unknown;
  const writings: readonly (() => unknown)[] = [
    () => confirm('Pay?', { otherwise: () => true }),
    () =>
      confirm('Pay?', {
        otherwise() {
          return true;
        },
      }),
    minified("()=>a('Pay?',{otherwise:!0})"),
    minified("()=>a('Pay?',{otherwise:()=>!0})"),
    minified("()=>a('Pay?',{otherwise:function(){return!0}})"),
  ];

  it.each(writings)('reports %s', (fn) => {
    expect(
      found(defineTool('pay', { resolve: { yes: resolver({}, fn, form) }, once }, body)),
    ).toEqual([CODE]);
  });

  const quiet = { otherwise: true };
  const otherwise = true;
  const unreadable: readonly (() => unknown)[] = [
    () => confirm('Pay?', quiet),
    () => confirm('Pay?', { ...quiet }),
    () => confirm('Pay?', { otherwise }),
    () => confirm('Pay?', { declined: 'No.', otherwise: quiet.otherwise }),
    () => confirm('Pay?', { ['otherwise']: otherwise }),
    () => confirm('Pay?', Math.random() < 2 ? quiet : {}),
  ];

  it.each(unreadable)('reports options that it cannot read: %s', (fn) => {
    const tool = defineTool('pay', { resolve: { yes: resolver({}, fn, form) }, once }, body);
    expect(findingsIn(tool)).toMatchObject([
      {
        level: 'error',
        code: 'approves-unasked',
        message:
          "'yes' passes options to confirm() that this command cannot read, and the tool has `once`. Write them in the call, such as confirm(message, { otherwise: false }). With `otherwise: true`, every client that declares nothing would approve.",
      },
    ]);
  });

  const text = 'otherwise: true';
  const refuse = (): never => {
    throw new ToolError('Nobody can approve.');
  };

  const harmless: readonly (() => unknown)[] = [
    () => confirm('Pay?', { otherwise: false, declined: `Not, ${text}.`, label: 'Pay, really' }),
    () => confirm('Pay?', { otherwise: () => refuse() }),
    () => confirm(['Pay', '?'].join(''), { otherwise: () => false }),
    () => confirm('Pay?', { otherwise: false }),
    () => confirm('Write otherwise: true to approve.', { otherwise: false }),
    // otherwise: true
    () => confirm('Pay?'),
    () => elicit('Pay?', z.object({ ok: z.boolean() }), { otherwise: { ok: true } }),
  ];

  it.each(harmless)('accepts %s', (fn) => {
    expect(
      found(defineTool('pay', { resolve: { no: resolver({}, fn, form) }, once }, body)),
    ).toEqual([]);
  });

  it('accepts a link, whose value does not approve', () => {
    const page = resolver({}, () => elicitUrl('Read', 'https://a.example', { otherwise: true }), {
      asks: 'url',
    });
    expect(found(defineTool('pay', { resolve: { page }, once }, body))).toEqual([]);
  });
});

describe('no-once', () => {
  it('is a hint for a tool that moves money after a question', () => {
    const resolve = { approval: outcome(asking) };
    expect(found(defineTool('refund_order', { resolve }, body))).toEqual(['hint no-once']);
    const once = memoryStore();
    expect(found(defineTool('refund_order', { resolve, once }, body))).toEqual([]);
    expect(found(defineTool('delete_order', { resolve }, body))).toEqual([]);
  });

  it('is a hint for a tool that is annotated as destructive and asks', () => {
    const annotations = { destructiveHint: true };
    const resolve = { approval: asking };
    expect(findingsIn(defineTool('tidy', { annotations, resolve }, body))).toMatchObject([
      {
        level: 'hint',
        code: 'no-once',
        message: expect.stringContaining(
          'the tool does something destructive after a question',
        ) as string,
      },
    ]);
    const once = memoryStore();
    expect(found(defineTool('tidy', { annotations, resolve, once }, body))).toEqual([]);
    expect(found(defineTool('tidy', { resolve }, body))).toEqual([]);
  });
});

describe('duplicate-resolver-name', () => {
  const named = (name: string, needs = {}): AnyResolver => resolver(needs, () => 1, { name });

  it('is a hint for two resolvers of one definition that have the same name', () => {
    const user = named('user');
    const tool = defineTool('t', { resolve: { a: user, b: named('user', { user }) } }, body);
    expect(findingsIn(tool)).toEqual([
      {
        level: 'hint',
        code: 'duplicate-resolver-name',
        definition: 't',
        message:
          "it uses several resolvers named 'user', and only a number distinguishes them in messages and answers. Rename all but one.",
      },
    ]);
  });

  it('reports a name once, also if a guard or an outcome has it', () => {
    const guard = resolver({}, () => true, { name: 'user' });
    const resolve = { a: named('user'), b: outcome(named('user')) };
    expect(found(defineTool('t', { guards: [guard], resolve }, body))).toEqual([
      'hint duplicate-resolver-name',
    ]);
  });

  it('accepts a resolver that fills several parameters, and resolvers without a name', () => {
    const user = named('user');
    const resolve = { a: user, b: user, c: resolver({}, () => 1), d: resolver({}, () => 1) };
    expect(found(defineTool('t', { resolve }, body))).toEqual([]);
  });
});

describe('definitions that are created per request', () => {
  const linesOf = (source: string): number[] =>
    definitionsInFactories(source).map(({ line }) => line);

  it.each([
    [
      'a function',
      `export function buildServer(): McpServer {
         const server = new McpServer({ name: 'x', version: '1' });
         install(server, [defineTool('t', {}, () => 'x')]);
         return server;
       }`,
      [3],
    ],
    [
      'an arrow function that is passed on',
      `serveStdio(() => {
         const server = new McpServer(info);
         install(server, [
           defineTool('a', {}, () => 'x'),
           definePrompt('b', {}, () => { return 'x'; }),
         ]);
         return server;
       });`,
      [4, 5],
    ],
    [
      'a branch of a method',
      `class Desk { build(request) { if (request) { defineResource('x', 'y:z', {}, f); }
         return new Server(info); } }`,
      [1],
    ],
  ])('are found in %s', (_, source, lines) => {
    expect(linesOf(source)).toEqual(lines);
  });

  it.each([
    [
      'beside the factory',
      `const t = defineTool('t', {}, () => 'x');
       export function buildServer() { const s = new McpServer(i); install(s, [t]); return s; }`,
    ],
    [
      'in a function that creates no server',
      `export const buildTools = (pool) => { return [defineTool('t', {}, () => pool)]; };`,
    ],
    [
      'in a program that connects its own server',
      `async function main() { const s = new McpServer(i); install(s, [defineTool('t', {}, f)]);
         await s.connect(new StdioServerTransport()); }`,
    ],
    [
      'in a block outside of functions',
      `if (process.env.FULL) { const s = new McpServer(i); install(s, [defineTool('t', {}, f)]); }`,
    ],
    [
      'in comments and strings',
      `function build() { // defineTool('t')
         /* defineTool('t') */ const help = "defineTool('t') }"; const re = /defineTool\\(["']/;
         return [new McpServer(i), help, re, \`defineTool('t') \${help} {\`]; }`,
    ],
  ])('are not found %s', (_, source) => {
    expect(linesOf(source)).toEqual([]);
  });

  it('are found after 20,000 functions and a megabyte of data', () => {
    const factory = `function build() { defineTool('t', {}, f); return new McpServer(i); }`;
    const functions = 'function f() { return { a: 1 }; }\n'.repeat(20_000);
    const data = `const data = '${'a'.repeat(1_000_000)}';\n`;
    expect(linesOf(`${functions}${data}${factory}`)).toEqual([20_002]);
  });
});
