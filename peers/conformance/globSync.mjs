/**
 * The suite imports `globSync` from `fs`, which has it from Node 22 on. It is called for reports on
 * specifications, never in the test of a server: to load the suite on Node 20, the name is enough.
 */
import { register } from 'node:module';

const script = (source) => `data:text/javascript,${encodeURIComponent(source)}`;

const fs = script(`
  export * from 'node:fs';
  export const globSync = () => { throw new Error('globSync is not there before Node 22'); };
`);

register(
  script(`
    export const resolve = (specifier, context, next) =>
      specifier === 'fs' ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(specifier, context);
  `),
);
