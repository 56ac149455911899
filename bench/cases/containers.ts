/**
 * The same graph with containers, which programs/package.json pins. They live there, because
 * everything else has to compile where they are not installed.
 */
import type { Ending, NodeFunction, Serve, Shape } from './graph.js';

/** What programs/awilix.ts has. */
export interface Awilix {
  readonly withAwilix: (
    shape: Shape,
    functions: readonly NodeFunction[],
    mode: 'PROXY' | 'CLASSIC',
  ) => Serve;
}

/** What programs/typedInject.ts has. */
export interface TypedInject {
  readonly withTypedInject: (
    shape: Shape,
    functions: readonly NodeFunction[],
    /** As the documentation has it, each request disposes of its injector. */
    ending: Ending,
  ) => Serve;
}

const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../programs/${name}.ts`, import.meta.url).href)) as T;

export const loadAwilix = (): Promise<Awilix> => load('awilix');
export const loadTypedInject = (): Promise<TypedInject> => load('typedInject');
