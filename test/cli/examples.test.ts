/** Runs the command from its sources on the examples of this repository. */
import { describe, expect, it } from 'vitest';
import type { Explanation } from 'mcp-resolve/graph';
import { fromSources } from './project.js';

const TIMEOUT = 60_000;

describe('mcp-resolve explain', () => {
  it('prints the tool of the refund desk, which exports none', { timeout: TIMEOUT }, async () => {
    const { code, stdout } = await fromSources('explain', 'examples/refund-desk/server.ts');
    expect(stdout.trimEnd()).toBe(
      `
tool refund_order
Refund an order. The amount comes from the order record, not from the caller.

filled by the model
  order_id  string
  reason    string

filled by resolvers
  cents                    may ask
  ├─ order (id: order_id)  may ask
  └─ scope (id: order_id)  may ask
     └─ order              above
  restock                  outcome · may ask
  ├─ order                 above
  └─ scope                 above

rounds  1: no known questions
        at most 4 if these ask as well: order, scope, cents, restock
client  needs nothing, as far as is known
`.trim(),
    );
    expect(code).toBe(0);
  });

  it('prints the same tool as JSON', { timeout: TIMEOUT }, async () => {
    const file = 'examples/refund-desk/server.ts';
    const { stdout } = await fromSources('explain', file, 'refund_order', '--format', 'json');
    const asks = { kind: 'unknown', declared: false, seen: false };
    const plain = { guard: false, first: false, pinned: false, disposed: false, asks };
    const order = { parameter: 'order', from: 'resolver', resolver: 'order', outcome: false };
    const scope = { parameter: 'scope', from: 'resolver', resolver: 'scope', outcome: false };
    const id = { parameter: 'id', from: 'argument', argument: 'order_id' };
    const usedBy = (resolver: string, parameter: string): object => {
      return { by: 'resolver', resolver, parameter, outcome: false };
    };
    expect(JSON.parse(stdout)).toEqual([
      {
        kind: 'tool',
        name: 'refund_order',
        description:
          'Refund an order. The amount comes from the order record, not from the caller.',
        arguments: [
          { name: 'order_id', required: true, type: 'string' },
          { name: 'reason', required: true, type: 'string' },
        ],
        guards: [],
        resolvers: [
          {
            ...plain,
            key: 'order',
            needs: [id],
            usedBy: [
              usedBy('cents', 'order'),
              usedBy('scope', 'order'),
              usedBy('restock', 'order'),
            ],
          },
          {
            ...plain,
            key: 'scope',
            needs: [id, order],
            usedBy: [usedBy('cents', 'scope'), usedBy('restock', 'scope')],
          },
          {
            ...plain,
            key: 'cents',
            needs: [order, scope],
            usedBy: [{ by: 'body', parameter: 'cents', outcome: false }],
          },
          {
            ...plain,
            key: 'restock',
            needs: [order, scope],
            usedBy: [{ by: 'body', parameter: 'restock', outcome: true }],
          },
        ],
        parameters: [
          { name: 'cents', resolver: 'cents', outcome: false },
          { name: 'restock', resolver: 'restock', outcome: true },
        ],
        once: false,
        capabilities: [],
        declaredRounds: 1,
        atMostRounds: 4,
        chain: [],
        undeclared: ['order', 'scope', 'cents', 'restock'],
      },
    ]);
  });

  it('finds every tool of a module', { timeout: TIMEOUT }, async () => {
    const { stdout } = await fromSources('explain', 'examples/bookshop/server.ts', '--format=json');
    const explanations = JSON.parse(stdout) as Explanation[];
    expect(explanations.map(({ name, atMostRounds }) => [name, atMostRounds])).toEqual([
      ['reserve_book', 2],
      ['order_book', 3],
      ['count_lookups', 1],
    ]);
  });
});

describe('mcp-resolve check', () => {
  it.each([
    [
      'refund-desk',
      [
        'hint   undeclared-question  refund_order: the tool is destructive or moves money, but no resolver declares that it asks the user. Set `asks` on the resolver that asks. Resolvers without `asks`: order, scope, cents, restock.',
        '1 definition, 0 errors, 1 hint',
      ],
    ],
    ['bookshop', ['3 definitions, 0 errors, 0 hints']],
    [
      'delete-folder',
      [
        'hint   undeclared-question  delete_folder: the tool is destructive or moves money, but no resolver declares that it asks the user. Set `asks` on the resolver that asks. Resolvers without `asks`: confirmation.',
        '1 definition, 0 errors, 1 hint',
      ],
    ],
  ])('passes the $0', { timeout: TIMEOUT }, async (example, lines) => {
    const { code, stdout } = await fromSources('check', `examples/${example}/server.ts`);
    expect(stdout.trimEnd().split('\n')).toEqual(lines);
    expect(code).toBe(0);
  });

  it(
    'accepts a factory that installs definitions of its module',
    { timeout: TIMEOUT },
    async () => {
      const file = 'examples/bookshop/server.ts';
      const { code, stdout } = await fromSources('check', file, '--factory', 'buildServer');
      expect({ code, stdout }).toEqual({ code: 0, stdout: '3 definitions, 0 errors, 0 hints\n' });
    },
  );
});
