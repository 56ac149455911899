/** Reaches the desk through the proxy, as the people do. */

const TIMEOUT_MS = 30_000;

/** A client of the desk. */
export class DeskClient {
  constructor(
    private readonly port: number,
    private readonly ending: AbortSignal,
  ) {}

  /** Returns an answer of the desk, or undefined if it was lost or the store failed. */
  async ask<T>(asked: object): Promise<T | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.port}/desk`, {
        method: 'POST',
        body: JSON.stringify(asked),
        signal: AbortSignal.any([this.ending, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const { answer } = (await response.json()) as { readonly answer?: T };
      return answer;
    } catch (error) {
      if (this.ending.aborted) throw error;
      return undefined;
    }
  }
}
