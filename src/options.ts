/** Refuses unknown options. A misspelt one would silently leave the default in place. */

/**
 * Checks that all options are known. `caller` is the function, such as `install()`.
 *
 * @throws {TypeError} For the first unknown one.
 */
export function rejectUnknownOptions(
  options: object,
  known: readonly string[],
  caller: string,
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${caller} has no option '${unknown}'. Known options: ${known.join(', ')}.`);
}
