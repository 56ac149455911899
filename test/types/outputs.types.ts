/** The values that a body may return. `test/compile-errors` has those that it may not. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { defineTool, resolver, type Tool } from 'mcp-resolve';
import * as z from 'zod';
import { typeOf } from '../support/typeOf.js';

type Bare = Tool<Readonly<Record<string, never>> | undefined>;

// Without an output schema: a string or a CallToolResult.
typeOf(defineTool('text', {}, () => 'done')).is<Bare>();
typeOf(defineTool('later', {}, async () => 'done')).is<Bare>();
typeOf(defineTool('result', {}, () => ({ content: [{ type: 'text', text: 'done' }] }))).is<Bare>();
typeOf(
  defineTool('resultLater', {}, async (): Promise<CallToolResult> => ({ content: [] })),
).is<Bare>();
typeOf(
  defineTool('either', { resolve: { fine: resolver({}, () => true) } }, ({ fine }) =>
    fine ? 'done' : { content: [{ type: 'text', text: 'not done' }], isError: true },
  ),
).is<Bare>();
typeOf(
  defineTool('throws', {}, () => {
    throw new Error('no');
  }),
).is<Bare>();
// eslint-disable-next-line @typescript-eslint/no-unsafe-return -- that is the case under test
typeOf(defineTool('any', {}, () => JSON.parse('"done"'))).is<Bare>();

// With an output schema: an input of the schema.
const Receipt = z.object({
  status: z.enum(['refunded', 'refused']),
  lines: z.array(z.object({ sku: z.string(), kind: z.literal('item') })),
  pair: z.tuple([z.string(), z.number()]),
  note: z.string().optional(),
  limit: z.number().default(10),
  closed: z.string().nullable(),
});
defineTool('literal', { outputSchema: Receipt }, () => ({
  status: 'refunded',
  lines: [{ sku: 'sku-1', kind: 'item' }],
  pair: ['a', 1],
  closed: null,
}));
defineTool(
  'literalLater',
  { inputSchema: z.object({ sku: z.string() }), outputSchema: Receipt },
  async ({ sku }) => {
    const lines = await Promise.all(
      [sku].map(async (one) => ({ sku: one, kind: 'item' as const })),
    );
    return {
      status: lines.length > 1 ? 'refunded' : 'refused',
      lines,
      pair: [sku, 2],
      closed: sku,
    };
  },
);
defineTool('throwing', { outputSchema: Receipt }, () => {
  throw new Error('no');
});
// eslint-disable-next-line @typescript-eslint/no-unsafe-return -- that is the case under test
defineTool('anything', { outputSchema: Receipt }, async () => JSON.parse('{}'));

// Values from outside the body.
const receipt: z.input<typeof Receipt> = {
  status: 'refused',
  lines: [],
  pair: ['a', 1],
  closed: null,
};
defineTool('made', { outputSchema: Receipt }, () => receipt);
const frozen = Object.freeze({ status: 'refused' as const });
defineTool('frozen', { outputSchema: Receipt.pick({ status: true }) }, () => frozen);

// Arrays, strings and unions.
defineTool('list', { outputSchema: z.array(z.string()) }, () => ['a', 'b']);
defineTool('mapped', { outputSchema: z.array(z.string()) }, () => [1, 2].map(String));
defineTool('word', { outputSchema: z.enum(['yes', 'no']) }, () => 'yes' as const);
defineTool(
  'union',
  {
    outputSchema: z.union([z.object({ ok: z.literal(true) }), z.object({ why: z.string() })]),
    resolve: { fine: resolver({}, () => true) },
  },
  ({ fine }) => (fine ? { ok: true } : { why: 'not fine' }),
);

// Instances of classes with private fields.
class Refund {
  readonly status = 'refunded';
  readonly #at = new Date();
  constructor(readonly cents: number) {}
  get at(): string {
    return this.#at.toISOString();
  }
}
const Refunded = z.object({
  status: z.enum(['refunded', 'refused']),
  cents: z.number(),
  at: z.string(),
});
defineTool('instance', { outputSchema: Refunded }, () => new Refund(500));
defineTool('instanceLater', { outputSchema: Refunded }, async () => new Refund(500));

// A type that contains itself.
interface Tree {
  name: string;
  children: Tree[];
}
const Tree: z.ZodType<Tree, Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
defineTool('tree', { outputSchema: Tree }, (): Tree => ({ name: 'root', children: [] }));

// Branded strings are strings, and instances inside a value keep their type.
const Id = z.string().brand<'Id'>();
defineTool('branded', { inputSchema: z.object({ id: Id }) }, ({ id }) => id);
defineTool(
  'brandedProperty',
  { inputSchema: z.object({ id: Id }), outputSchema: z.object({ id: z.string() }) },
  ({ id }) => ({ id }),
);
const Instance: z.ZodType<Refund, Refund> = z.any();
defineTool(
  'instanceInside',
  { outputSchema: z.object({ refund: Instance, lines: z.array(z.string()) }) },
  () => ({ refund: new Refund(500), lines: ['sku-1'] }),
);
