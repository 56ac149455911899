/**
 * Adds `globSync` to `fs`, so that the suite loads on Node 20. `fs` has it from Node 22 on. The
 * suite calls it only for reports on specifications, not to test a server.
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
