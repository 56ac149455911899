/** What `mcp-resolve check` finds in a definition, and what it leaves alone. */
import { confirm, definePrompt, defineTool, outcome, resolver } from 'mcp-resolve';
import type { AnyDefinition, AnyResolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { memoryOnceStore } from 'mcp-resolve/once';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { definitionsInFactories } from '../../src/dev/cli/perRequest.js';
import { findingsIn } from '../../src/dev/cli/rules.js';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';

/** The findings of a definition, as `level code`. */
function found(definition: AnyDefinition): string[] {
  return findingsIn(definition).map(({ level, code }) => `${level} ${code}`);
}

const body = (): string => 'done';
const asking = resolver({}, () => confirm('Really?'), { name: 'approval', asks: 'form' });
const silent = resolver({}, () => 1);

describe('no-question', () => {
  it.each(['delete_folder', 'removeUser', 'refund-order', 'pay', 'transfer_money', 'purgeAll'])(
    'finds that nobody is asked before %s',
    (name) => {
      expect(found(defineTool(name, {}, body))).toEqual(['error no-question']);
    },
  );

  it.each(['list_orders', 'payment_status', 'undelete', 'get_removed'])('passes %s', (name) => {
    expect(found(defineTool(name, {}, body))).toEqual([]);
  });

  it('believes annotations more than names', () => {
    const annotated = (name: string, annotations: object): AnyDefinition =>
      defineTool(name, { annotations }, body);
    expect(found(annotated('tidy', { destructiveHint: true }))).toEqual(['error no-question']);
    expect(found(annotated('delete_x', { destructiveHint: false }))).toEqual([]);
    expect(found(annotated('pay_status', { readOnlyHint: true }))).toEqual([]);
    expect(found(annotated('tidy', { readOnlyHint: true, destructiveHint: true }))).toEqual([]);
  });

  it('is satisfied by a question to a person, also by one of a guard', () => {
    expect(found(defineTool('delete_x', { resolve: { asking } }, body))).toEqual([]);
    expect(found(defineTool('delete_x', { guards: [asking] }, body))).toEqual([]);
  });

  it('is not satisfied by a question to the model', () => {
    const guess = resolver({}, () => 1, { asks: 'sample' });
    expect(found(defineTool('delete_x', { resolve: { guess } }, body))).toEqual([
      'error no-question',
    ]);
  });

  it('only hints where resolvers do not say whether they ask', () => {
    expect(found(defineTool('delete_x', { resolve: { silent } }, body))).toEqual([
      'hint undeclared-question',
    ]);
  });

  it('is about tools', () => {
    expect(found(definePrompt('delete_x', {}, body))).toEqual([]);
  });
});

describe('too-many-rounds', () => {
  const chainOf = (length: number, options: { asks?: 'form' }): AnyDefinition => {
    let last: AnyResolver = resolver({}, () => confirm('0?'), { name: 'q0', ...options });
    for (let index = 1; index < length; index += 1) {
      last = resolver({ last }, () => confirm(`${index}?`), { name: `q${index}`, ...options });
    }
    return defineTool('chain', { resolve: { last } }, body);
  };

  it.each([10, 11])('agrees with the client of the SDK about %i questions', async (length) => {
    const chain = chainOf(length, { asks: 'form' });
    const conversation = await connectClient('modern', serving([chain as never]), {
      elicit: () => accept({ confirm: true }),
    });
    const passes = await conversation.call('chain').then(
      () => true,
      () => false,
    );
    expect(found(chain)).toEqual(passes ? [] : ['error too-many-rounds']);
    expect(passes).toBe(length === 10);
  });

  it('only hints at a chain of resolvers that do not say whether they ask', () => {
    expect(found(chainOf(10, {}))).toEqual([]);
    expect(found(chainOf(11, {}))).toEqual(['hint too-many-rounds']);
  });

  it('names the chain', () => {
    expect(findingsIn(chainOf(11, { asks: 'form' }))[0]?.message).toBe(
      'it asks up to 11 times in a row, and clients give up after 10: put questions into one form, or let them not need each other (q0 -> q1 -> q2 -> q3 -> q4 -> q5 -> q6 -> q7 -> q8 -> q9 -> q10)',
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

  it('finds two questions that look the same and have one name between them', () => {
    const tool = pair({ asks: Shared }, { asks: Shared });
    expect(findingsIn(tool)).toEqual([
      {
        level: 'error',
        code: 'unnamed-questions',
        definition: 't',
        message:
          "'ok#1' and 'ok' ask the same and are only told apart by a number, which changes with the order of the parameters: give each a name, resolver(needs, fn, { name })",
      },
    ]);
  });

  it('finds them by what they show, not by the object', () => {
    const same = z.object({ ok: z.boolean() });
    expect(found(pair({ asks: Shared }, { asks: same }))).toEqual(['error unnamed-questions']);
    expect(found(pair({ asks: 'url' }, { asks: 'url' }))).toEqual(['error unnamed-questions']);
  });

  it('passes questions with names, or of other kinds, or that are not known', () => {
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
    'finds a pinned %s',
    (name) => {
      const tool = defineTool('t', { resolve: { x: pinned(name) } }, body);
      expect(found(tool)).toEqual(['error pinned-identity']);
    },
  );

  it('looks at the parameters that it fills as well', () => {
    const identity = resolver({}, () => 'x', { name: 'lookup', pin });
    const consumer = resolver({ user: identity }, () => 1, { name: 'consumer' });
    expect(found(defineTool('t', { resolve: { consumer } }, body))).toEqual([
      'error pinned-identity',
    ]);
  });

  it('finds what a guard needs, whatever its name', () => {
    const guard = resolver({ rate: pinned('rate') }, () => true, { name: 'may' });
    expect(findingsIn(defineTool('t', { guards: [guard] }, body))).toMatchObject([
      { message: expect.stringContaining("'rate' is pinned, and a guard needs it") as string },
    ]);
  });

  it('passes other pins, and identities that are not pinned', () => {
    const user = resolver({}, () => 'me', { name: 'user' });
    const tool = defineTool('t', { resolve: { rate: pinned('rate'), user } }, body);
    expect(found(tool)).toEqual([]);
    expect(found(defineTool('t', { resolve: { x: pinned('controller') } }, body))).toEqual([]);
  });
});

describe('no-once', () => {
  it('hints at a tool that moves money after a question', () => {
    const resolve = { approval: outcome(asking) };
    expect(found(defineTool('refund_order', { resolve }, body))).toEqual(['hint no-once']);
    const once = memoryOnceStore();
    expect(found(defineTool('refund_order', { resolve, once }, body))).toEqual([]);
    expect(found(defineTool('delete_order', { resolve }, body))).toEqual([]);
  });
});

describe('definitions in factories', () => {
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
      'an arrow that is handed on',
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
      'a method, under a condition',
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
      'in a function that makes no server',
      `export const buildTools = (pool) => { return [defineTool('t', {}, () => pool)]; };`,
    ],
    [
      'in a program that connects its server itself',
      `async function main() { const s = new McpServer(i); install(s, [defineTool('t', {}, f)]);
         await s.connect(new StdioServerTransport()); }`,
    ],
    [
      'in a block that is no function',
      `if (process.env.FULL) { const s = new McpServer(i); install(s, [defineTool('t', {}, f)]); }`,
    ],
    [
      'in comments and texts',
      `function build() { // defineTool('t')
         /* defineTool('t') */ const help = "defineTool('t') }"; const re = /defineTool\\(["']/;
         return [new McpServer(i), help, re, \`defineTool('t') \${help} {\`]; }`,
    ],
  ])('are not found %s', (_, source) => {
    expect(linesOf(source)).toEqual([]);
  });

  it('are found behind more code and more data than anybody writes by hand', () => {
    const factory = `function build() { defineTool('t', {}, f); return new McpServer(i); }`;
    const functions = 'function f() { return { a: 1 }; }\n'.repeat(20_000);
    const data = `const data = '${'a'.repeat(1_000_000)}';\n`;
    expect(linesOf(`${functions}${data}${factory}`)).toEqual([20_002]);
  });
});
