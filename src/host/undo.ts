/** Takes back what an installation has done, if a later step of it fails. */

/** Takes back one step. */
export type Undo = () => void;

/** Runs steps. If one throws, takes back the others, the last one first, and throws its error. */
export function allOrNothing(run: (undo: Undo[]) => void): void {
  const undo: Undo[] = [];
  try {
    run(undo);
  } catch (error) {
    for (const step of undo.reverse()) attempt(step);
    throw error;
  }
}

/** Runs a step that may call a function of a host. If it fails, the others still have to run. */
function attempt(step: Undo): void {
  try {
    step();
  } catch {
    // The first error says what went wrong.
  }
}

/** Returns the function that removes what an McpServer has registered. A host may return nothing. */
export function undoRegistration(registered: unknown): Undo {
  return () => {
    (registered as { readonly remove?: Undo } | undefined)?.remove?.();
  };
}
