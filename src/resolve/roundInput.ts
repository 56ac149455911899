/** What a round is given by the call that it is a part of. */
import type { CallContext } from '../define/context.js';
import type { Disposals } from './disposal.js';
import type { Ledger } from './ledger.js';
import type { Watch } from './watch.js';

/** What a round works with, besides its plan. */
export interface RoundInput {
  /** The tool's validated arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: CallContext;
  readonly ledger: Ledger;
  readonly disposals: Disposals;
  /** Told of every step, where somebody listens. */
  readonly watch?: Watch | undefined;
  /** Told when nothing is left that could change a round that had to wait. */
  onQuiet(): void;
}
