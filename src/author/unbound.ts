/** The `this` of functions that are called without an object, such as a detached method. */

/** Properties that debuggers, test runners and `await` read from any object. */
const HARMLESS: readonly (string | symbol)[] = ['then', 'constructor', 'toJSON', '$$typeof'];

/**
 * Throws an explanation as soon as a property is read from it, instead of "undefined (reading
 * 'pool')".
 */
export const UNBOUND: object = new Proxy(Object.freeze({}), {
  get: (_, name) => {
    if (typeof name === 'symbol' || HARMLESS.includes(name)) return undefined;
    throw new TypeError(
      `\`this.${name}\` was read in a function that was called without its object. Pass a method as (values, ctx) => desk.load(values, ctx).`,
    );
  },
});
