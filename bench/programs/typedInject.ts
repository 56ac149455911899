/**
 * As typed-inject documents it: a value lives as long as the injector that provides it, so that a
 * request has a child injector, with its data and with the factories that stand on them.
 */
import { createInjector } from 'typed-inject';

import type { TypedInject } from '../cases/containers.js';
import { inputsOf, nameOf } from '../cases/graph.js';

/** An injector whose tokens are not known to the compiler. */
interface Injector {
  provideValue(token: string, value: unknown): Injector;
  provideFactory(token: string, factory: unknown): Injector;
  createChildInjector(): Injector;
  resolve(token: string): unknown;
}

export const withTypedInject: TypedInject['withTypedInject'] = (shape, functions) => {
  const root = createInjector() as unknown as Injector;
  const factories = functions.map((fn, index) =>
    Object.assign(fn, { inject: inputsOf(shape[index] ?? []) }),
  );
  const names = shape.map((_, index) => nameOf(index));
  const top = nameOf(shape.length - 1);
  return async (order) => {
    let injector = root.createChildInjector().provideValue('order', order);
    for (let index = 0; index < factories.length; index += 1) {
      injector = injector.provideFactory(names[index] ?? '', factories[index]);
    }
    return injector.resolve(top);
  };
};
