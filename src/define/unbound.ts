/** What stands for `this` in functions that have none: a method that was passed without its object. */

/** What anybody may look for, who only looks: a debugger, a test runner, an `await`. */
const HARMLESS: readonly (string | symbol)[] = ['then', 'constructor', 'toJSON', '$$typeof'];

/** Says so as soon as anything is read from it, instead of "undefined (reading 'pool')". */
export const UNBOUND: object = new Proxy(Object.freeze({}), {
  get: (_, name) => {
    if (typeof name === 'symbol' || HARMLESS.includes(name)) return undefined;
    throw new TypeError(
      `'this.${name}' was read in a function without an object: pass a method as (values, ctx) => desk.load(values, ctx)`,
    );
  },
});
