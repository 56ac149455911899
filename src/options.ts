/** Refuses unknown options. A misspelt one would silently leave the default in place. */

/**
 * Checks that the options are an object, and that all of them are known. `caller` is the function,
 * such as `install()`.
 *
 * @throws {TypeError} If they are no object, or for the first unknown one.
 */
export function rejectUnknownOptions(
  options: object,
  known: readonly string[],
  caller: string,
): void {
  if (typeof options !== 'object' || (options as unknown) === null)
    throw new TypeError(`${caller}: \`options\` must be an object.`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownOption(caller, unknown, knownOptions(known));
}

/** Creates the error of an option that a function or a definition does not have. */
export function unknownOption(owner: string, option: string, hint: string): TypeError {
  return new TypeError(`${owner} has no option '${option}'. ${hint}`);
}

/** Returns the sentence that lists all options. */
export function knownOptions(known: readonly string[]): string {
  return `Known options: ${known.join(', ')}.`;
}
