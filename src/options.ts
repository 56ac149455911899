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
    throw new TypeError(`${caller}: \`options\` must be an object. ${knownOptions(known)}`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = Object.hasOwn(OTHER_PLACES, unknown) ? OTHER_PLACES[unknown] : undefined;
  throw unknownOption(caller, unknown, hint ?? knownOptions(known));
}

/** The options that authors often pass to the wrong function, with the right place. */
const OTHER_PLACES: Readonly<Record<string, string>> = {
  ...places(['otherwise', 'declined'], 'question: confirm(message, { NAME: … })'),
  ...places(['asks', 'pin', 'dispose'], 'resolver: resolver(needs, fn, { NAME: … })'),
  attempts: "Add it to the options of the resolver: { asks: 'form', attempts: 3 }.",
  ...places(['once', 'guards', 'approvals'], 'tool: defineTool(name, { NAME: … }, body)'),
  ...places(['keys', 'audience', 'principal'], 'seal: requestStateSeal({ keys, audience })'),
};

function places(names: readonly string[], place: string): Record<string, string> {
  const hint = (name: string): string =>
    `Add it to the options of the ${place.replace('NAME', name)}.`;
  return Object.fromEntries(names.map((name) => [name, hint(name)]));
}

/** Creates the error of an option that a function or a definition does not have. */
export function unknownOption(owner: string, option: string, hint: string): TypeError {
  return new TypeError(`${owner} has no option '${option}'. ${hint}`);
}

/** Returns the sentence that lists all options. */
export function knownOptions(known: readonly string[]): string {
  return `Known options: ${known.join(', ')}.`;
}
