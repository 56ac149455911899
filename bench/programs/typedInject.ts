/**
 * As typed-inject documents it: a value lives as long as the injector that provides it, so that a
 * request has a child injector, with its data and with the factories that stand on them, and
 * disposes of it in the end.
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
  dispose(): Promise<void>;
}

export const withTypedInject: TypedInject['withTypedInject'] = (shape, functions, ending) => {
  const root = createInjector() as unknown as Injector;
  const factories = functions.map((fn, index) =>
    Object.assign(fn, { inject: inputsOf(shape[index] ?? []) }),
  );
  const names = shape.map((_, index) => nameOf(index));
  const top = nameOf(shape.length - 1);
  const resolveIn = (scope: Injector, order: number): unknown => {
    let injector = scope.provideValue('order', order);
    for (let index = 0; index < factories.length; index += 1) {
      injector = injector.provideFactory(names[index] ?? '', factories[index]);
    }
    return injector.resolve(top);
  };
  if (ending === 'left') return async (order) => resolveIn(root.createChildInjector(), order);
  return async (order) => {
    const scope = root.createChildInjector();
    try {
      return await resolveIn(scope, order);
    } finally {
      await scope.dispose();
    }
  };
};
