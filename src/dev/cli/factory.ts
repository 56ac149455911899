/**
 * Calls a factory that a module exports, as a server would for a request, and sees which
 * definitions it makes. Over HTTP a factory runs for every request, so what it makes is analysed
 * every time.
 */
import { isObject } from '../../define/schema.js';
import type { AnyDefinition } from '../../server/definition/definitions.js';
import type { ModuleCommand } from './commandLine.js';
import { Failure } from './failure.js';
import { definitionsIn } from './findDefinitions.js';
import { guarded } from './loadModule.js';
import type { Loaded } from './loadModule.js';
import { didYouMean } from './near.js';
import { watching } from './watch.js';

/** What came of calling a factory. */
export interface Built {
  /** The definitions that it made or returned. */
  readonly definitions: readonly AnyDefinition[];
  /** Whether it built a server, and not only definitions. */
  readonly isServer: boolean;
}

/**
 * Calls the factory that a command names, once; where it names none, nothing is built.
 *
 * @throws {@link Failure} If there is no such function, or it fails.
 */
export async function callFactory(
  { exports }: Loaded,
  { file, factory, timeoutMs }: ModuleCommand,
): Promise<Built> {
  if (factory === undefined) return { definitions: [], isServer: false };
  const exported = Object.hasOwn(exports, factory) ? exports[factory] : undefined;
  if (typeof exported !== 'function') {
    const names = Object.keys(exports).filter((name) => typeof exports[name] === 'function');
    const hint = names.length === 0 ? '(it exports no function)' : didYouMean(factory, names);
    throw new Failure(`${file} exports no function '${factory}' ${hint}.`);
  }
  const { result, made } = await watching(() =>
    guarded(`${factory}() of ${file}`, timeoutMs, async () => {
      return (await Reflect.apply(exported, undefined, [{ era: 'modern' }])) as unknown;
    }),
  );
  const isServer = isObject(result) && typeof result.connect === 'function';
  return { definitions: definitionsIn([...made, result]), isServer };
}
