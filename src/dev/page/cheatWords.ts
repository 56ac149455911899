/** The verdicts on cheats, and the sentences that explain them. */
import type { ApprovalsMeta } from '../../call/parking.js';
import type { CheatName, CheatReport } from './protocol.js';

/** The outcome of a dishonest step. */
export interface CheatOutcome {
  readonly error: unknown;
  /** The questions that the server asked again. */
  readonly asks: readonly string[];
  readonly bodyRuns: number;
  /** The state of the approvals, if the response says it. */
  readonly approvals: ApprovalsMeta['state'] | undefined;
  /** True if the tool is defined with `once`. */
  readonly once: boolean;
}

type Explained = Pick<CheatReport, 'verdict' | 'why' | 'missing'>;

/** Judges the outcome of a cheat, says why, and names the line that is missing. */
export function explainCheat(cheat: CheatName, outcome: CheatOutcome): Explained {
  const verdict = verdictOn(cheat, outcome);
  const { approvals } = outcome;
  const isHeld = approvals !== undefined && verdict === 'refused';
  const why = isHeld ? HELD[approvals] : (WORDS[cheat][verdict] ?? OTHERWISE[verdict]);
  const lacksOnce = verdict === 'through' && !outcome.once && NEEDS_ONCE.has(cheat);
  return { verdict, why, ...(lacksOnce && { missing: ONCE_LINE }) };
}

function verdictOn(cheat: CheatName, outcome: CheatOutcome): CheatReport['verdict'] {
  const { error, asks, bodyRuns, approvals, once } = outcome;
  if (cheat === 'hidden') return error === undefined ? 'ignored' : 'refused';
  if (bodyRuns > (cheat === 'twice' ? 1 : 0)) return 'through';
  if (error !== undefined || approvals !== undefined) return 'refused';
  if (asks.length > 0) return 'ignored';
  return once ? 'recorded' : 'refused';
}

/** The cheats that only `once` stops. */
const NEEDS_ONCE: ReadonlySet<CheatName> = new Set(['replay', 'twice']);

/** The line that a tool without `once` lacks. */
export const ONCE_LINE =
  "once: memoryStore(), // in the config of the tool; import it from 'mcp-resolve'";

const WORDS: Readonly<
  Record<CheatName, Partial<Readonly<Record<CheatReport['verdict'], string>>>>
> = {
  replay: {
    recorded:
      'The tool has `once`, so the server recorded the end of the call under its id. It returned the record. No resolver and no body ran.',
    through:
      'Nothing records that this call has ended, so the server accepted the same round again, and the body ran again.',
  },
  swap: {
    refused:
      'The sealed state contains a digest of the arguments that the user approved. These arguments have another digest.',
  },
  spoil: {
    refused:
      'The state is encrypted and authenticated. A state with one changed letter cannot be opened.',
  },
  otherUser: {
    refused:
      'The sealed state is bound to the user who started the call. This request has the token of another user.',
    through:
      'The body ran, although another user sent the answer. Nothing tells the two users apart.',
  },
  unasked: {
    ignored:
      'An answer counts only for a question that the server asked in the round before. The server dropped this one and asked its question again.',
  },
  hidden: {
    ignored:
      'The schema of the model does not have these parameters, so the server dropped them. The resolvers fill them, and the graph of the honest run shows with which values.',
    refused: 'The schema of the tool allows no other arguments, so the server refused the call.',
  },
  twice: {
    recorded:
      'The tool has `once`. One request claimed the call and ran the body, and the other one received the record or an error.',
    refused: 'The body ran once. The other request received an error.',
    through: 'Nothing claims the call before its body runs, so both requests ran the body.',
  },
};

/** The sentences for calls that the desk of approvals holds back, by the state of the call. */
const HELD: Readonly<Record<ApprovalsMeta['state'], string>> = {
  used: 'An approval counts for one run, and this call has used it.',
  pending:
    'The desk knows a call by its tool, its user and its arguments. This is another call, so it waits for an approval of its own.',
  denied: 'The denial answers every further call of this user with these arguments.',
  refused: 'This call cannot wait for an approval, so the server refused it.',
};

/** The sentences for outcomes that no cheat expects. */
const OTHERWISE: Readonly<Record<CheatReport['verdict'], string>> = {
  refused: 'The body did not run.',
  recorded: 'The server returned the recorded result. The body did not run.',
  ignored: 'The server asked its question again. The body did not run.',
  through: 'The body ran.',
  impossible: 'The step could not be taken.',
};
