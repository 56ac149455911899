/**
 * Warnings for the server's operator, each once. On standard error: standard output may be the
 * transport.
 */

const warned = new Set<string>();

function warnOnce(text: string): void {
  if (warned.has(text)) return;
  warned.add(text);
  // eslint-disable-next-line no-console -- a library without a logger has no better place
  console.warn(`mcp-resolve: ${text}`);
}

/** A question that is worded anew each time can never be answered. */
export function warnMovingQuestion(tool: string, key: string): void {
  warnOnce(`${tool}: the question '${key}' changed after every answer; pin the value it shows`);
}
