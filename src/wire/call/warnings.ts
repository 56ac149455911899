/** What a server's operator should know about a tool. Goes where warnings go that nobody asked for. */
import { messageOf } from '../../errors.js';
import { STANDARD_ERROR, Warnings } from '../../state/warnings.js';

const warnings = Warnings.of(STANDARD_ERROR);

/** A question that is worded anew each time can never be answered. */
export function warnMovingQuestion(tool: string, key: string): void {
  warnings.once(
    `${tool}: the question '${key}' changed after every answer; pin the value it shows`,
  );
}

/** What cleans up has failed, and the answer is on its way already. */
export function warnFailedDispose(error: unknown): void {
  warnings.warn(`a dispose failed: ${messageOf(error)}`);
}

/** A schema that throws is a mistake of its author, whose words are not for the model. */
export function warnThrowingSchema(tool: string, error: unknown): void {
  warnings.warn(`${tool}: inputSchema threw while checking arguments: ${messageOf(error)}`);
}
