/**
 * Tests the hover texts that an editor shows. Authors read them more often than any page of
 * documentation. They use the author's names, in a few lines, and show no internal types.
 */
import path from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMPILER_TIMEOUT, ROOT } from '../support/compilers.js';
import { strictOptions } from './compilerOptions.js';

/** The program of the tests. A comment marks the name after it: `hover('load')` reads that hover. */
const PROGRAM = `
import type { McpServer } from '@modelcontextprotocol/server';
import { type Arg, argsOf, confirm, defineTool, elicit, outcome, resolver } from 'mcp-resolve';
import { install, requestStateSeal } from 'mcp-resolve';
import * as z from 'zod';
import { memoryStore } from './src/store.js';

const Input = z.object({ order_id: z.string(), note: z.string().optional() });
const /*args*/args = argsOf(Input);

const /*load*/load = /*resolver*/resolver({ id: args./*order_id*/order_id }, (/*found*/found) => ({ id: found.id, cents: 500 }));
const /*scope*/scope = resolver({ order: load, note: args.note }, (/*needed*/needed) =>
  needed.order.cents === 0 ? { full: true } : elicit('All of it?', z.object({ full: z.boolean() })),
  { asks: 'form' },
);
const /*amount*/amount = resolver({ order: load, scope }, ({ /*order*/order, scope }) => (scope.full ? order.cents : 1));
const /*none*/none = resolver({}, () => 500);
const askRestock = resolver({ order: load }, ({ order }) => confirm(order.id), { asks: 'form' });
const /*asked*/asked = /*asking*/resolver({}, () => confirm('Sure?'), { asks: 'form' });
const /*priceOf*/priceOf = <N extends string>(id: Arg<string, N>) => resolver({ id }, ({ /*priced*/id }) => id.length);

const /*wanted*/wanted = outcome(askRestock);
const /*question*/question = elicit('All of it?', z.object({ full: z.boolean() }));
const /*bare*/bare = defineTool('bare', {}, () => 'done');
const /*refund*/refund = defineTool(
  'refund',
  { inputSchema: Input, guards: [askRestock], resolve: { /*resolve*/cents: amount, restock: wanted } },
  (/*values*/values) => values.order_id + values.cents,
);
const refundAgain = defineTool(
  'refund_again',
  { inputSchema: Input, resolve: { cents: amount, restock: outcome(askRestock) } },
  ({ /*cents*/cents, /*restock*/restock }) => restock.action + cents,
);
refund./*call*/call({ order_id: 'A-1' });
const paid = /*defineTool*/defineTool('paid', { /*once*/once: memoryStore() }, () => 'paid');
export const set = (server: McpServer) => /*install*/install(server, [bare]);
/*seal*/requestStateSeal({ /*keys*/keys: ['key'], audience: 'desk' });
`;

let hover: (name: string) => string;

beforeAll(() => {
  const file = path.join(ROOT, 'hovers.ts');
  const service = ts.createLanguageService(hostOf(file, PROGRAM));
  expect(service.getSemanticDiagnostics(file)).toEqual([]);
  hover = (name) => {
    const mark = `/*${name}*/`;
    const info = service.getQuickInfoAtPosition(file, PROGRAM.indexOf(mark) + mark.length);
    return ts.displayPartsToString(info?.displayParts);
  };
}, COMPILER_TIMEOUT);

/** Creates a project with one file that exists only in memory. */
function hostOf(file: string, text: string): ts.LanguageServiceHost {
  const read = (name: string): string | undefined => (name === file ? text : ts.sys.readFile(name));
  return {
    getCompilationSettings: () => strictOptions(ts),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = read(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
    realpath: (name) => ts.sys.realpath?.(name) ?? name,
  };
}

describe('the hover of a resolver', () => {
  it('shows its value and the arguments that it requires', () => {
    expect(hover('load')).toBe(
      'const load: Resolver<{\n    id: string;\n    cents: number;\n}, Req<"order_id", string>>',
    );
    expect(hover('scope')).toBe(
      'const scope: Resolver<{\n    full: boolean;\n}, Req<"order_id", string> | Req<"note", string | undefined>>',
    );
    expect(hover('amount')).toBe(
      'const amount: Resolver<number, Req<"order_id", string> | Req<"note", string | undefined>>',
    );
    expect(hover('none')).toBe('const none: Resolver<number, never>');
  });

  it('shows plain values for the parameter of its function', () => {
    expect(hover('found')).toBe('(parameter) found: {\n    id: string;\n}');
    expect(hover('needed')).toBe(
      '(parameter) needed: {\n    order: {\n        id: string;\n        cents: number;\n    };\n    note: string | undefined;\n}',
    );
    expect(hover('order')).toBe('(parameter) order: {\n    id: string;\n    cents: number;\n}');
  });

  it("shows the call of `resolver` with the author's names", () => {
    expect(hover('resolver')).toBe(
      [
        '(alias) resolver<{',
        '    readonly id: Arg<string, "order_id">;',
        '}, {',
        '    id: string;',
        '    cents: number;',
        '}, Schema, undefined, Attempts>(needs: {',
        '    readonly id: Arg<string, "order_id">;',
        '}, fn: (values: {',
        '    id: string;',
        '}, ctx: CallContext) => {',
        '    id: string;',
        '    cents: number;',
        '}, options?: ResolverOptions<{',
        '    id: string;',
        '    cents: number;',
        '}, Schema, undefined, Attempts> | undefined): Resolver<{',
        '    id: string;',
        '    cents: number;',
        '}, Req<"order_id", string>> (+1 overload)',
        'import resolver',
      ].join('\n'),
    );
  });

  it('stays readable in a factory', () => {
    expect(hover('priceOf')).toBe(
      'const priceOf: <N extends string>(id: Arg<string, N>) => Resolver<number, Req<N, string>>',
    );
    expect(hover('priced')).toBe('(parameter) id: string');
  });
});

describe('the hover', () => {
  it('of an argument shows its type and name', () => {
    expect(hover('args')).toBe(
      'const args: {\n    readonly order_id: Arg<string, "order_id">;\n    readonly note: Arg<string | undefined, "note">;\n}',
    );
    expect(hover('order_id')).toBe('(property) order_id: Arg<string, "order_id">');
  });

  it('of an outcome shows its value', () => {
    expect(hover('wanted')).toBe('const wanted: OutcomeOf<true, Req<"order_id", string>>');
  });

  it('of a question shows the type of its answer', () => {
    expect(hover('question')).toBe('const question: Elicit<{\n    full: boolean;\n}>');
  });
});

describe('the hover of a tool', () => {
  it('shows its arguments', () => {
    expect(hover('bare')).toBe('const bare: Tool<Readonly<Record<string, never>> | undefined>');
    expect(hover('refund')).toBe(
      'const refund: Tool<{\n    order_id: string;\n    note?: string | undefined;\n}>',
    );
    expect(hover('call')).toBe(
      '(property) Tool<{ order_id: string; note?: string | undefined; }>.call: (args: {\n    order_id: string;\n    note?: string | undefined;\n}, ctx?: ServerContext) => Promise<CallToolResult & {\n    readonly cause?: unknown;\n}>',
    );
  });

  it('shows arguments and resolved values as one plain object', () => {
    expect(hover('values')).toBe(
      '(parameter) values: {\n    order_id: string;\n    note?: string | undefined;\n    cents: number;\n    restock: Outcome<true>;\n}',
    );
    expect(hover('cents')).toBe('(parameter) cents: number');
    expect(hover('restock')).toBe('(parameter) restock: Outcome<true>');
  });
});

describe('the hover of a place that has a sentence for mistakes', () => {
  it.each(['defineTool', 'once', 'install', 'seal', 'keys', 'resolver'])(
    'does not show it for %s',
    (name) => {
      expect(hover(name)).not.toMatch(/Write|must be/);
    },
  );

  it('shows the type of what was passed', () => {
    expect(hover('once')).toMatch(/\.once\?: RecordStore \| undefined$/);
    expect(hover('keys')).toBe('(property) keys: string[]');
    expect(hover('seal')).toContain('options: RequestStateSealOptions<string[]>');
  });
});

describe('every hover', () => {
  const names = [...PROGRAM.matchAll(/\/\*(\w+)\*\//g)].map(([, name]) => name!);

  // Hovers of `defineTool` show the checks of its configuration.
  const others = names.filter((name) => name !== 'defineTool' && name !== 'once');

  it.each(others)('of %s is short and shows no internal types', (name) => {
    const text = hover(name);
    expect(text).not.toBe('');
    expect(text).not.toMatch(
      /\binfer\b|This function|\bextends\b(?! string>)|Check|Simplify|ValuesOf|Merged|\.\.\./,
    );
    if (name !== 'resolver') expect(text.split('\n').length).toBeLessThanOrEqual(8);
  });
});
