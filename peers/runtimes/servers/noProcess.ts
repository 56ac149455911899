/** What stands in for `node:util` and `examples/support/serve.ts` where there is no process. */
export const debuglog = () => (): void => undefined;
export const serveWhenRun = async (): Promise<void> => undefined;
