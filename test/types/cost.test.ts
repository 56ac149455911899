/**
 * Tests that the cost of type-checking grows linearly with the number of resolvers. The measure is
 * the number of type instantiations, which is the same on every machine.
 *
 * The numbers count the author's file. Libraries and our sources are parsed once, and checked as
 * far as that file needs them.
 */
import path from 'node:path';
import ts6 from 'typescript';
import ts59 from 'typescript-5.9';
import { describe, expect, it } from 'vitest';
import { COMPILER_TIMEOUT, ROOT } from '../support/compilers.js';
import { strictOptions } from './compilerOptions.js';

const ARGUMENTS = ['order_id', 'reason', 'region', 'note'];

const HEAD = `
import { argsOf, defineTool, elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';
const Input = z.object({ ${ARGUMENTS.map((name) => `${name}: z.string()`).join(', ')} });
const Form = z.object({ full: z.boolean() });
const args = argsOf(Input);
`;

/** Returns a resolver that needs an argument and up to two others. Every second one may ask. */
function resolverNumber(index: number, others: readonly number[]): string {
  const needs = others.filter((other) => other >= 0).map((other) => `r${other}`);
  const value = `{ n${index}: id.length }`;
  const rest =
    index % 2 === 0
      ? `(${value})`
      : `(id === '' ? elicit('?', Form) : ${value}), { asks: ${index % 4 === 1 ? "'form'" : 'Form'} }`;
  return `export const r${index} = resolver({ ${[`id: args.${ARGUMENTS[index % 4]!}`, ...needs].join(', ')} }, ({ id }) => ${rest});`;
}

const tool = (resolve: string): string =>
  `export const tool = defineTool('t', { inputSchema: Input, resolve: { ${resolve} } }, ({ order_id, p0 }) => order_id + String(p0));`;

/** Each resolver needs the two before it, and the tool needs the last. */
function chain(count: number): string {
  const resolvers = upTo(count).map((index) => resolverNumber(index, [index - 1, index - 2]));
  return [HEAD, ...resolvers, tool(`p0: r${count - 1}`)].join('\n');
}

/** Each resolver needs the first and its neighbour, and the tool needs all. */
function fan(count: number): string {
  const resolvers = upTo(count).map((index) =>
    resolverNumber(index, index < 2 ? [index - 1] : [0, index - 1]),
  );
  const all = upTo(count).map((index) => `p${index}: r${index}`);
  return [HEAD, ...resolvers, tool(all.join(', '))].join('\n');
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Returns a function that counts instantiations. Files are parsed once for all programs. */
function meter(ts: typeof ts6): (text: string) => number {
  const file = path.join(ROOT, 'cost.ts');
  const options = strictOptions(ts);
  const parsed = new Map<string, ts6.SourceFile | undefined>();
  return (text) => {
    const host = ts.createCompilerHost(options);
    const fromDisk = host.getSourceFile.bind(host);
    host.getSourceFile = (name, version) => {
      if (name === file) return ts.createSourceFile(name, text, version);
      if (!parsed.has(name)) parsed.set(name, fromDisk(name, version));
      return parsed.get(name);
    };
    const program = ts.createProgram([file], options, host);
    expect(program.getSemanticDiagnostics(program.getSourceFile(file))).toEqual([]);
    return program.getInstantiationCount();
  };
}

describe.each([
  ['typescript-5.9', ts59 as unknown as typeof ts6],
  ['typescript', ts6],
])('%s', (_name, ts) => {
  const count = meter(ts);

  it.each([
    ['a chain', chain],
    ['a fan', fan],
  ])(
    'checks %s of resolvers with linear cost',
    (_shape, program) => {
      const [one, fifty, twoHundred] = [count(program(1)), count(program(50)), count(program(200))];

      // 150 more resolvers against 49 more: linear growth is a factor of 3.06.
      expect(twoHundred - fifty).toBeLessThanOrEqual(3.3 * (fifty - one));
      expect(twoHundred - one).toBeLessThanOrEqual(66_000);
    },
    COMPILER_TIMEOUT,
  );
});
