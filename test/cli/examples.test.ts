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
tool refund_order  once
Refund an order. The amount comes from the order record, not from the caller.

filled by the model
  order_id  string
  reason    string

filled by resolvers
  cents                    computed
  ├─ order (id: order_id)  computed
  └─ scope (id: order_id)  asks with a form: full, sku
     └─ order              above
  restock                  outcome · asks with a form: restock
  ├─ order                 above
  └─ scope                 above

rounds  at most 3: scope, then restock
client  needs form elicitation
`.trim(),
    );
    expect(code).toBe(0);
  });

  it('prints the same tool as JSON', { timeout: TIMEOUT }, async () => {
    const file = 'examples/refund-desk/server.ts';
    const { stdout } = await fromSources('explain', file, 'refund_order', '--format', 'json');
    const asks = { kind: 'nothing', declared: false, seen: false };
    const form = { kind: 'form', declared: true, seen: false };
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
            asks: { ...form, fields: ['full', 'sku'] },
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
            asks: { ...form, fields: ['restock'] },
          },
        ],
        parameters: [
          { name: 'cents', resolver: 'cents', outcome: false },
          { name: 'restock', resolver: 'restock', outcome: true },
        ],
        once: true,
        capabilities: [
          { kind: 'form', name: 'form elicitation', required: { elicitation: { form: {} } } },
        ],
        atMostRounds: 3,
        chain: ['scope', 'restock'],
      },
    ]);
  });

  it('finds every tool of a module', { timeout: TIMEOUT }, async () => {
    const { stdout } = await fromSources('explain', 'examples/bookshop/server.ts', '--format=json');
    const explanations = JSON.parse(stdout) as Explanation[];
    expect(explanations.map(({ name, atMostRounds }) => [name, atMostRounds])).toEqual([
      ['reserve_book', 1],
      ['order_book', 2],
      ['count_lookups', 1],
    ]);
  });
});

describe('mcp-resolve check', () => {
  it.each([
    ['bookshop', 3],
    ['delete-folder', 1],
    ['legacy-elicitation', 2],
    ['refund-desk', 1],
    ['sampling', 2],
    ['supplier-payment', 4],
    ['travel-desk', 5],
    ['wire-transfer', 2],
  ])('finds no mistake in the $0', { timeout: TIMEOUT }, async (example, count) => {
    const { code, stdout } = await fromSources('check', `examples/${example}/server.ts`);
    const definitions = count === 1 ? '1 definition' : `${count} definitions`;
    expect(stdout).toBe(`${definitions}, 0 errors, 0 hints\n`);
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
