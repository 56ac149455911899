/** What a server's operator should know about a tool. Goes where warnings go that nobody asked for. */
import { messageOf } from '../errors.js';
import { STANDARD_ERROR, Warnings } from '../state/warnings.js';

const warnings = Warnings.of(STANDARD_ERROR);

/** A question that is worded anew each time can never be answered. */
export function warnMovingQuestion(tool: string, key: string): void {
  warnings.once(
    `${tool}: the question '${key}' changed after every answer; pin the value it shows`,
  );
}

/** Definitions belong outside of what makes a server for each request. */
export function warnManyDefinitions(name: string, times: number): void {
  warnings.once(
    `'${name}' was defined ${times} times: define it once, outside of the function that builds a server, and only install() it there`,
  );
}

/** What is defined and not installed is served to nobody. */
export function warnNothingInstalled(): void {
  warnings.once(
    'definitions were made, but the server has none of them: call install(server, [definition]) where it is built',
  );
}

/** Warns of a `dispose` that failed after the answer was decided. */
export function warnFailedDispose(error: unknown): void {
  warnings.warn(`a dispose failed: ${messageOf(error)}`);
}

/** A schema that throws is a mistake of its author, whose words are not for the model. */
export function warnThrowingSchema(tool: string, error: unknown): void {
  warnings.warn(`${tool}: its schema threw while checking arguments: ${messageOf(error)}`);
}
