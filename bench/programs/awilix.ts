/** As awilix documents requests: scoped factories, and a scope with the data of the request. */
import { asFunction, asValue, createContainer, InjectionMode } from 'awilix';

import type { Awilix } from '../cases/containers.js';
import { nameOf } from '../cases/graph.js';

export const withAwilix: Awilix['withAwilix'] = (shape, functions, mode) => {
  const container = createContainer({ injectionMode: InjectionMode[mode] });
  functions.forEach((fn, index) => {
    container.register(nameOf(index), asFunction(fn).scoped());
  });
  const top = nameOf(shape.length - 1);
  return (order) => {
    const scope = container.createScope();
    scope.register({ order: asValue(order) });
    return scope.resolve<Promise<unknown>>(top);
  };
};
