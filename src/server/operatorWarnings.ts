/** Warnings for the operator of a server, on standard error. */
import { messageOf } from '../errors.js';
import { STANDARD_ERROR, Warnings } from '../state/warnings.js';

const warnings = Warnings.of(STANDARD_ERROR);

/** Warns of a question that changes after every answer, so that it can never be answered. */
export function warnMovingQuestion(tool: string, key: string): void {
  warnings.once(
    `'${tool}': the question '${key}' changed after every answer. Pin the value that it shows.`,
  );
}

/** Warns of a definition that is made again for every request. */
export function warnManyDefinitions(name: string, times: number): void {
  warnings.once(
    `'${name}' was defined ${times} times. Define it once, outside the function that builds a server, and only install() it there.`,
  );
}

/** Warns of definitions that were made but not installed. */
export function warnNothingInstalled(): void {
  warnings.once(
    'Definitions were created, but the server has none of them. Call install(server, [definition]) where the server is built.',
  );
}

/** Warns of a `dispose` that failed after the answer was decided. */
export function warnFailedDispose(error: unknown): void {
  warnings.warn(`A \`dispose\` failed: ${messageOf(error)}`);
}

/** Warns of a schema that throws. The model must not read the message of its error. */
export function warnThrowingSchema(tool: string, error: unknown): void {
  warnings.warn(`'${tool}': the schema threw while it checked arguments: ${messageOf(error)}`);
}
