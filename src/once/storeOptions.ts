/** Checks the options of the stores: a misspelt one would leave the default in force, unseen. */

/** @throws {TypeError} If the options of `maker` are no object, or have one that is not known. */
export function assertOptions(options: unknown, known: readonly string[], maker: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`the options of ${maker} are an object`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${maker} has no option '${unknown}' (known: ${known.join(', ')})`);
}
