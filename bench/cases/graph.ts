/**
 * The same graph, in the ways that people write one: with resolvers, by hand, and (in programs/)
 * with containers. Every function is generated as text, so that each way runs what a person would
 * have written for it, and not one closure for all nodes.
 */
import { arg, resolver, type AnyResolver, type Need } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';

import { CONTEXT } from './context.js';

/** For each node, the nodes that it needs; one that needs none takes the argument. */
export type Shape = readonly (readonly number[])[];

export type Pace = 'sync' | 'async';

/** What nodes give: a number, or an object with one, as what comes from records is. */
export type Gives = 'numbers' | 'records';

/** Serves one request. */
export type Serve = (order: number) => Promise<unknown>;

/** Whether a request tells the resolvers that it has ended, or is left. */
export type Ending = 'disposed' | 'left';

/** A node of any way: what it gives is what the graph is about. */
export type NodeFunction = (...inputs: readonly unknown[]) => unknown;

/** Each node needs the second and the third before it, and the last one needs all that are left. */
export function shapeOf(size: number): Shape {
  return Array.from({ length: size }, (_, index) =>
    (index === size - 1 ? [1, 2, 3] : [2, 3])
      .map((back) => index - back)
      .filter((need) => need >= 0),
  );
}

export const nameOf = (index: number): string => `n${index}`;

/** What a node is called with, by name. */
export const inputsOf = (needs: readonly number[]): string[] =>
  needs.length === 0 ? ['order'] : needs.map(nameOf);

/** What every way has to give. */
export function expectedOf(shape: Shape, order: number): number {
  const values: number[] = [];
  shape.forEach((needs, index) => {
    const inputs = needs.length === 0 ? [order] : needs.map((need) => values[need] ?? Number.NaN);
    values.push(inputs.reduce((sum, value, place) => sum + (place + 2) * value, index) % 1_000_003);
  });
  return values.at(-1) ?? Number.NaN;
}

function formula(index: number, inputs: readonly string[]): string {
  const parts = inputs.map((input, place) => `${place + 2} * ${input}`);
  return `(${[...parts, index].join(' + ')}) % 1_000_003`;
}

/** The number in what a node gave. */
export const totalOf = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'total' in given ? given.total : given;

/** How the functions of a way look. */
export interface Dialect {
  readonly pace: Pace;
  readonly gives: Gives;
  /** Whether inputs come as one object. */
  readonly named: boolean;
  /** Whether inputs come as promises, which the function awaits. */
  readonly promised: boolean;
}

/** The functions of all nodes. */
export function functionsOf(shape: Shape, dialect: Dialect): Promise<readonly NodeFunction[]> {
  const texts = shape.map((needs, index) => functionText(index, inputsOf(needs), dialect));
  return compiled(`export default [${texts.join(',\n')}];`);
}

function functionText(index: number, inputs: readonly string[], dialect: Dialect): string {
  const { pace, gives, named, promised } = dialect;
  const list = named ? `{ ${inputs.join(', ')} }` : inputs.join(', ');
  const values = inputs.map((input) => {
    const value = promised ? `(await ${input})` : input;
    return gives === 'records' && input !== 'order' ? `${value}.total` : value;
  });
  const total = formula(index, values);
  const given = gives === 'records' ? `({ id: 'n${index}', total: ${total}, open: true })` : total;
  return `${pace === 'async' ? 'async ' : ''}(${list}) => ${given}`;
}

/** A module of its own, as if it had been written into a file. */
async function compiled<T>(text: string): Promise<T> {
  const url = `data:text/javascript,${encodeURIComponent(text)}`;
  const { default: made } = (await import(url)) as { default: T };
  return made;
}

/** What is the same in all ways of a comparison. */
export interface Nodes {
  readonly shape: Shape;
  readonly pace: Pace;
  readonly gives: Gives;
}

/** With resolvers: planned once, resolved for each request. */
export async function withResolvers(nodes: Nodes, ending: Ending = 'left'): Promise<Serve> {
  const { shape, pace, gives } = nodes;
  const functions = await functionsOf(shape, { pace, gives, named: true, promised: false });
  const made: AnyResolver[] = [];
  functions.forEach((fn, index) => {
    const needs = shape[index] ?? [];
    const named = needs.map((need): [string, Need | undefined] => [nameOf(need), made[need]]);
    const all = needs.length === 0 ? { order: arg<number>('order') } : Object.fromEntries(named);
    made.push(resolver(all as Record<string, Need>, fn));
  });
  return serving(made.at(-1), ['order'], ending);
}

/** Line by line, as one writes it where nothing is injected. */
export function byHand({ shape, pace, gives }: Nodes, wait: 'await ' | ''): Promise<Serve> {
  const dialect: Dialect = { pace, gives, named: false, promised: false };
  const functions = shape.map(
    (needs, index) => `const f${index} = ${functionText(index, inputsOf(needs), dialect)};`,
  );
  const lines = shape.map(
    (needs, index) => `const n${index} = ${wait}f${index}(${inputsOf(needs).join(', ')});`,
  );
  return compiled(
    `${functions.join('\n')}
     export default async (order) => {
       ${lines.join('\n')}
       return n${shape.length - 1};
     };`,
  );
}

/** Serves what one resolver gives. */
export function serving(
  top: AnyResolver | undefined,
  argumentNames: readonly string[] = [],
  ending: Ending = 'left',
): Serve {
  if (top === undefined) throw new Error('a graph has at least one resolver');
  const plan = planResolvers({ name: 'tool', resolve: { top } }, argumentNames);
  const clientCapabilities = { elicitation: { form: {} } };
  const options = { ctx: CONTEXT, protocolVersion: '2026-07-28', clientCapabilities };
  return async (order) => {
    const resolution = await resolveArguments(plan, { order }, options);
    if (!resolution.done) return undefined;
    if (ending === 'disposed') await resolution.dispose('completed');
    return resolution.values.top;
  };
}
