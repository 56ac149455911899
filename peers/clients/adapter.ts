/**
 * What an adapter is: the one shape into which every client is put, so that one table says what all
 * of them have to see. An adapter is a file in `programs/` that exports `connect`.
 */

/** A question, as the client hands it to the person. */
export type Question = { message: string; schema: object } | { message: string; url: string };

export type Reply =
  | { action: 'accept'; content?: Record<string, string | number | boolean> }
  | { action: 'decline' | 'cancel' };

/** Answers what a client is asked. */
export type Person = (question: Question) => Reply;

export type Era = 'modern' | 'legacy';

/** Where the server is, or how to start it. */
export type Server = { url: string } | { command: string; args: string[] };

export interface Visit {
  server: Server;
  era: Era;
  person: Person;
  /** A folder for what the client wants to keep on disk. */
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

/** The form or the link in the parameters of an `elicitation/create`. */
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

/** The end that a tool result is. */
export function endingOf(result: Record<string, unknown>): Ending {
  const [first] = result.content as { text: string }[];
  return { text: first!.text, isError: result.isError === true };
}

/** The end that a thrown protocol error is. */
export function refusalOf(error: unknown): Ending {
  return { text: (error as Error).message, isError: true };
}
