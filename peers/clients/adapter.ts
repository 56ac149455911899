/**
 * The interface that every client is adapted to, so that one table of scenes covers all of them. An
 * adapter is a file in `programs/` that exports `connect`.
 */

/** A question, as the client shows it to the user. */
export type Question = { message: string; schema: object } | { message: string; url: string };

export type Reply =
  | { action: 'accept'; content?: Record<string, string | number | boolean> }
  | { action: 'decline' | 'cancel' };

/** Answers the questions of a client. */
export type Person = (question: Question) => Reply;

export type Era = 'modern' | 'legacy';

/** The address of the server, or the command that starts it. */
export type Server = { url: string } | { command: string; args: string[] };

export interface Visit {
  server: Server;
  era: Era;
  person: Person;
  /** A folder for the files of the client. */
  home: string;
}

/** The end of a call. A protocol error counts as an error with its message as the text. */
export interface Ending {
  text: string;
  isError: boolean;
}

export interface Connected {
  call: (tool: string, args: Record<string, unknown>) => Promise<Ending>;
  close: () => Promise<void>;
}

export type Connect = (visit: Visit) => Promise<Connected>;

/** Returns the form or the link of an `elicitation/create`. */
export function questionOf(params: {
  message: string;
  url?: unknown;
  requestedSchema?: unknown;
}): Question {
  const { message, url, requestedSchema } = params;
  return typeof url === 'string'
    ? { message, url }
    : { message, schema: requestedSchema as object };
}

/** Converts a tool result. */
export function endingOf(result: Record<string, unknown>): Ending {
  const [first] = result.content as { text: string }[];
  return { text: first!.text, isError: result.isError === true };
}

/** Converts a thrown protocol error. */
export function refusalOf(error: unknown): Ending {
  return { text: (error as Error).message, isError: true };
}
