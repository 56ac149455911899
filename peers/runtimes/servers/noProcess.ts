/** Replaces `node:util` and `examples/support/serve.ts` on runtimes without a process. */
export const debuglog = () => (): void => undefined;
export const serveWhenRun = async (): Promise<void> => undefined;
