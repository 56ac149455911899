/** The session of the client of the Tasks extension, as far as the tests use it. */
/** The end of a task, as the client reports it. */
export interface TaskOutcome {
  readonly status: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A call that the client made. */
export interface Execution {
  readonly kind: 'immediate' | 'task';
  readonly handle?: { readonly taskId: string } | undefined;
  settle(): Promise<{ readonly outcome: TaskOutcome }>;
  cancel(): Promise<void>;
}

export interface TaskSession {
  callTool(name: string, params: Readonly<Record<string, string | number>>): Promise<Execution>;
  /** Goes on with a task of an earlier session. */
  resume(taskId: string): Promise<Execution>;
  /** Polls a task once. */
  poll(taskId: string): Promise<{ readonly status: string; readonly statusMessage?: string }>;
  close(): Promise<void>;
}

export interface TaskSessionOptions {
  readonly url: URL;
  /** Answers the forms of a task. */
  readonly answer?: (message: string) => { readonly action: 'accept'; readonly content: Confirmed };
}

interface Confirmed {
  readonly confirm: boolean;
}

/**
 * Opens a session on a connected client of the SDK, which may be another copy than the packages
 * have.
 */
export type OpenTaskSession = (client: object, options?: TaskSessionOptions) => TaskSession;
