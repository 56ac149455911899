/** Tests that every public function and class has an example in its doc comment that compiles. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ROOT, tsc } from '../support/compilers.js';
import { TIMEOUT_MS } from './page.js';

const ENTRIES = {
  '': 'index',
  engine: 'engine',
  node: 'node',
  client: 'client',
  once: 'once',
  store: 'store',
};
const FOR_DEVELOPERS = { graph: 'graph', testing: 'testing', otel: 'otel', eslint: 'eslint' };

interface Exported {
  readonly entry: string;
  readonly name: string;
  readonly example: string | undefined;
}

const exported = Object.entries({ ...ENTRIES, ...FOR_DEVELOPERS }).flatMap(([subpath, file]) =>
  valuesOf(subpath === '' ? 'mcp-resolve' : `mcp-resolve/${subpath}`, `src/${file}.ts`),
);

const names = new Map(exported.map(({ entry, name }) => [name, entry]));

/** Declares the names that the examples use and do not declare. */
const SURROUNDINGS = `
import * as zod from 'zod';
import { argsOf, confirm, defineTool, resolver } from 'mcp-resolve';

const Pay = zod.object({ invoice: zod.string() });
const ofPay = argsOf(Pay);
const due = resolver({ id: ofPay.invoice }, ({ id }) => id.length);
const approved = resolver({ due }, () => confirm('Pay?'), { asks: 'form' });
const pay = defineTool('pay', { inputSchema: Pay, resolve: { due, approved } }, () => 'paid');
const trip = defineTool('trip', { inputSchema: zod.object({ city: zod.string() }) }, () => 'Fjords.');
const notes = defineTool('notes', {}, () => 'Nothing.');

type Sdk = typeof import('@modelcontextprotocol/server');
type Facts = import('mcp-resolve/engine').ResolveOptions;

declare global {
  const PayInput: typeof Pay;
  const args: typeof ofPay;
  const id: string;
  const invoices: Map<string, number>;
  const records: Map<string, unknown>;
  const amountDue: typeof due;
  const approval: typeof approved;
  const payInvoice: typeof pay;
  const refundOrder: typeof pay;
  const describeTrip: typeof trip;
  const planTrip: typeof trip;
  const listNotes: typeof notes;
  const answers: import('mcp-resolve/testing').ScriptedAnswers;
  const server: InstanceType<Sdk['McpServer']>;
  const client: import('@modelcontextprotocol/client').Client;
  const ctx: Facts['ctx'];
  const protocolVersion: Facts['protocolVersion'];
  const clientCapabilities: Facts['clientCapabilities'];
  const honoApp: import('hono').Hono;
  const expressApp: import('express').Application;
  const z: typeof zod;
  const McpServer: Sdk['McpServer'];
  const ResourceTemplate: Sdk['ResourceTemplate'];
  const createClient: typeof import('redis').createClient;
  const pg: typeof import('pg').default;
  const readFile: typeof import('node:fs/promises').readFile;
  const test: typeof import('vitest').test;
  const expect: typeof import('vitest').expect;
  function buildServer(): InstanceType<Sdk['McpServer']>;
  function findOrder(id: string): { readonly id: string };
  function myStore(): import('mcp-resolve/store').RecordStore;
  function askSomeone(questions: unknown): Promise<import('mcp-resolve/client').Answers>;
${[...names].map(([name, entry]) => `  const ${name}: typeof import('${entry}').${name};`).join('\n')}
}
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-examples-'));
  const write = (file: string, text: string): Promise<void> =>
    writeFile(path.join(folder, file), text);
  const config = { extends: path.join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
  await write('tsconfig.json', JSON.stringify(config));
  await write('package.json', JSON.stringify({ type: 'module' }));
  await write('surroundings.ts', SURROUNDINGS);
  await write('tools.ts', 'export {};');
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  for (const { entry, name, example = '' } of exported)
    await write(`${entry.replace('/', '.')}.${name}.ts`, moduleOf(example));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the public API', () => {
  it.each(exported)('has an example for $name of $entry', ({ example }) => {
    expect(example?.trim()).toBeTruthy();
  });

  it('has examples that compile', { timeout: TIMEOUT_MS }, async () => {
    expect(await tsc('typescript-7', ['-p', folder, '--pretty', 'false'])).toBe('');
  });
});

/** Wraps an example with a `return` in a function. */
function moduleOf(example: string): string {
  if (!/^ *(if .*)?return /m.test(example) || example.includes('=> {'))
    return `${example}\nexport {};`;
  return `export async function handler() {\n${example}\n}`;
}

/** Returns the values that an entry point exports, with the examples of their doc comments. */
function valuesOf(entry: string, file: string): Exported[] {
  const program = ts.createProgram([path.join(ROOT, file)], { noLib: true, noResolve: false });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path.join(ROOT, file));
  const module = source && checker.getSymbolAtLocation(source);
  return (module ? checker.getExportsOfModule(module) : [])
    .map((symbol) => checker.getAliasedSymbol(symbol))
    .filter(({ flags }) => (flags & ts.SymbolFlags.Value) !== 0)
    .map((symbol) => ({ entry, name: symbol.name, example: exampleOf(symbol) }));
}

function exampleOf(symbol: ts.Symbol): string | undefined {
  const tag = symbol.getJsDocTags().find(({ name }) => name === 'example');
  return /```ts\n(.*)```/s.exec(ts.displayPartsToString(tag?.text))?.[1];
}
