/** Why the command cannot go on, in words for whoever typed it. */

/** How the command ends: all is well, what it looked at is not, or it could not look. */
export const EXIT = { fine: 0, found: 1, failed: 2 } as const;

/** One of them. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An end with a message and no stack. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
    /** A stable word for what is wrong, where there is one. */
    readonly code?: string,
  ) {
    super(message);
  }
}
