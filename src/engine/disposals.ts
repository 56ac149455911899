/**
 * Cleanup after a round. Each computed or fallback value of a resolver with `dispose` is disposed
 * of once, in reverse order, and `dispose` receives how the round ended. Values that arrive after
 * the end are disposed of on arrival.
 */
import { UNBOUND } from '../author/unbound.js';
import type { Dispose, End } from '../author/model.js';
import { isQuestion } from '../author/question.js';
import type { PlanNode } from '../plan/plan.js';

interface ValueToDispose {
  readonly dispose: Dispose<unknown>;
  readonly value: unknown;
}

/** The values of one round that must be disposed of. */
export class Disposals {
  private readonly values: ValueToDispose[] = [];
  private end: End | undefined;

  /** `onError` receives errors that can no longer change the result. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /**
   * Adds a value.
   *
   * @throws {Error} If the value has no dispose method and its resolver says `'auto'`.
   */
  add({ key, resolver }: PlanNode, value: unknown): void {
    const { dispose } = resolver.options;
    if (dispose === undefined) return;
    const computed = {
      value,
      dispose: dispose === 'auto' ? ownDispose(key, value) : (dispose as Dispose<unknown>),
    };
    if (this.end === undefined) this.values.push(computed);
    else void this.disposeOf(computed, this.end);
  }

  /** Adds a value that arrives after the round stopped waiting. A question needs no cleanup. */
  addLate(node: PlanNode, value: unknown): void {
    try {
      if (!isQuestion(value)) this.add(node, value);
    } catch (error) {
      this.report(error);
    }
  }

  /**
   * Disposes of all values. Only the first call counts.
   *
   * @throws The first error that a `dispose` throws for `completed`, because a failed commit must
   *   not look like success. The remaining values are then disposed of with `failed`.
   */
  async close(end: End): Promise<void> {
    if (this.end !== undefined) return;
    this.end = end;
    let failure: { readonly error: unknown } | undefined;
    const { values } = this;
    for (let next = values.pop(); next !== undefined; next = values.pop()) {
      const failed = await this.disposeOf(next, this.end);
      if (failed === undefined) continue;
      failure ??= failed;
      this.end = 'failed';
    }
    if (failure !== undefined) throw failure.error;
  }

  /** Returns an error thrown for `completed`. Any other error is reported. */
  private async disposeOf(
    { dispose, value }: ValueToDispose,
    end: End,
  ): Promise<{ readonly error: unknown } | undefined> {
    try {
      await Reflect.apply(dispose, UNBOUND, [value, end]);
      return undefined;
    } catch (error) {
      if (end === 'completed') return { error };
      this.report(error);
      return undefined;
    }
  }

  /** Reports an error. If `onError` throws, it must not cause an unhandled rejection. */
  private report(error: unknown): void {
    try {
      this.onError(error);
    } catch {
      // There is nowhere left to report this.
    }
  }
}

/**
 * Returns the value's own dispose method, for `dispose: 'auto'`. A missing value needs no cleanup.
 */
function ownDispose(key: string, value: unknown): Dispose<unknown> {
  if (value === undefined || value === null) return () => undefined;
  const methods = value as Readonly<Record<symbol, unknown>>;
  const own = [Symbol.asyncDispose, Symbol.dispose]
    .map((symbol) => methods[symbol])
    .find((method) => typeof method === 'function');
  if (own !== undefined) return () => Reflect.apply(own as () => unknown, value, []);
  throw new Error(
    `Resolver '${key}' has dispose: 'auto', but its value has neither Symbol.asyncDispose nor Symbol.dispose. Pass a function as \`dispose\`.`,
  );
}
