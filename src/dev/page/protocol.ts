/**
 * The messages between the page and the command. The page posts an {@link Action}. The command sends
 * {@link News} over one event stream, and a page that connects later receives all news that still
 * count. Values of the author's code travel as text.
 */
import type { ApprovalRequest, Decided } from '../../approvals/parkedCall.js';
import type { CallEvent } from '../../author/event.js';
import { isObject } from '../../values.js';
import type { Explanation } from '../graph/explanation.js';
import type { AskedQuestion } from '../testing/askedQuestion.js';
import type { Era } from '../testing/runOptions.js';

/** A tool, a prompt or a resource, as the page shows it. */
export interface Outline {
  /** The kind and the name, which no other definition of the module has. */
  readonly id: string;
  readonly explanation: Explanation;
  /** The graph as `explain` draws it. */
  readonly svg: string;
  /** The entry of the listing, as a client receives it. Absent if the server hides it. */
  readonly listed?: unknown;
  /** The JSON Schema of the arguments, or of the variables of a resource. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The import of the definition, if the module exports it. */
  readonly exported?: Exported;
}

/** The way from a module to one of its definitions. */
export interface Exported {
  /** The name of the export, such as `payInvoice` or `default`. */
  readonly name: string;
  /** The way from the export to the definition, such as `.refund` or `[0]`, or `''`. */
  readonly path: string;
}

/** The author's module. */
export interface ModuleState {
  /** `stuck` if its process does not respond, because its code never lets go of it. */
  readonly status: 'loading' | 'ready' | 'stuck' | 'failed';
  /** The path as typed. */
  readonly file: string;
  /** The specifier for a test in the same folder, such as `./tools.js`. */
  readonly specifier: string;
  /** The reason, if the module could not be loaded. */
  readonly problem?: string;
  /** The definitions of the latest load that worked. */
  readonly outlines: readonly Outline[];
  /** The callers that the module exports as `identities`, by name. */
  readonly identities: Readonly<Record<string, AuthData>>;
}

/** The validated token of a caller, or a part of it. */
export type AuthData = Readonly<Record<string, unknown>>;

/** The questions that a client can answer. */
export type Abilities = Readonly<Record<'form' | 'url' | 'sampling' | 'roots', boolean>>;

/** A call to make. */
export interface RunSpec {
  /** The `id` of the outline. */
  readonly id: string;
  /** The arguments, or the variables of a resource. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly era: Era;
  readonly abilities: Abilities;
  /** The caller's token. Absent if nobody is signed in. */
  readonly authInfo?: AuthData;
}

/** The names of the cheats. */
export const CHEATS = [
  'replay',
  'swap',
  'spoil',
  'otherUser',
  'unasked',
  'hidden',
  'twice',
] as const;

/** The name of a cheat. */
export type CheatName = (typeof CHEATS)[number];

/** A request for approval, on the desk of the page. */
export interface WaitingRequest extends ApprovalRequest {
  /** The wire key of the resolver that asks. */
  readonly resolver: string;
}

/** The verdicts of the page. The requester withdraws, and everybody else decides. */
export const VERDICTS = ['approve', 'deny', 'withdraw'] as const;

/** A decision of a made-up person on a request for approval. */
export interface PageDecision {
  /** The id of the request. */
  readonly id: string;
  readonly who: string;
  /** True if the person is in a group that may decide. */
  readonly inGroup: boolean;
  readonly verdict: (typeof VERDICTS)[number];
  readonly comment: string;
}

/** Something that the user does on the page. */
export type Action =
  | { readonly type: 'run'; readonly spec: RunSpec }
  | { readonly type: 'answer'; readonly answers: Readonly<Record<string, unknown>> }
  | { readonly type: 'decide'; readonly decision: PageDecision }
  | { readonly type: 'stop' }
  | { readonly type: 'reload' }
  | { readonly type: 'cheat'; readonly cheat: CheatName };

/** Something that happened, from the command. `forget` begins a stream. */
export type News =
  | { readonly type: 'forget' }
  | { readonly type: 'module'; readonly module: ModuleState }
  | { readonly type: 'run'; readonly news: RunNews };

/**
 * Something that happened during a run. `again` says that the page makes the same call again,
 * because somebody has decided. `lost` says that the process of the run has ended.
 */
export type RunNews =
  | { readonly type: 'began'; readonly spec: RunSpec; readonly at: number }
  | { readonly type: 'event'; readonly event: CallEvent }
  | { readonly type: 'running'; readonly resolver: string; readonly at: number }
  | WireNews
  | { readonly type: 'asks'; readonly questions: readonly AskedQuestion[] }
  | { readonly type: 'answers'; readonly answers: Readonly<Record<string, unknown>> }
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'ended'; readonly ending: RunEnding }
  | { readonly type: 'requests'; readonly requests: readonly WaitingRequest[] }
  | { readonly type: 'decided'; readonly decision: PageDecision; readonly decided: Decided }
  | { readonly type: 'again' }
  | { readonly type: 'lost' }
  | { readonly type: 'cheating'; readonly cheat: CheatName }
  | { readonly type: 'cheated'; readonly report: CheatReport };

/** A message on the wire. */
export interface WireNews {
  readonly type: 'wire';
  readonly to: 'server' | 'client';
  readonly at: number;
  readonly message: unknown;
}

/** The end of a run. */
export interface RunEnding {
  /** `waits` is a tool error, too: the call waits for an approval. */
  readonly end: 'result' | 'toolError' | 'waits' | 'protocolError' | 'stopped';
  /** The text that the model reads, or the message of a protocol error. */
  readonly text: string;
  readonly code?: number;
  readonly structured?: unknown;
  /** The error that only the operator sees. */
  readonly cause?: string;
  /** The content that is not text, in words. */
  readonly others?: readonly string[];
  /** The number of times that the body ran. Absent if it is not known. */
  readonly bodyRuns?: number;
}

/** The outcome of a cheat. */
export interface CheatReport {
  readonly cheat: CheatName;
  /** `impossible` if the step could not be taken. */
  readonly verdict: 'refused' | 'recorded' | 'ignored' | 'through' | 'impossible';
  /** The step that the client took, in words. */
  readonly sent: string;
  /** The response that the client received. */
  readonly received: string;
  /** The lines of the server's log. */
  readonly log: readonly string[];
  readonly why: string;
  /** The line of code that is missing, if the cheat went through. */
  readonly missing?: string;
  /** The number of times that the body ran because of the cheat. */
  readonly bodyRuns: number;
  readonly wire: readonly WireNews[];
}

/**
 * Reads an action from parsed JSON.
 *
 * @throws {TypeError} If it is not an action.
 */
export function readAction(value: unknown): Action {
  const { type, ...rest }: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  switch (type) {
    case 'stop':
    case 'reload':
      return { type };
    case 'run':
      return { type, spec: readSpec(rest.spec) };
    case 'answer':
      return { type, answers: objectOf(rest.answers, 'answers') };
    case 'decide':
      return { type, decision: readDecision(rest.decision) };
    case 'cheat': {
      const cheat = CHEATS.find((known) => known === rest.cheat);
      if (cheat === undefined) throw new TypeError('There is no cheat of this name.');
      return { type, cheat };
    }
    default:
      throw new TypeError('There is no action of this type.');
  }
}

function readDecision(value: unknown): PageDecision {
  const { id, who, inGroup, verdict, comment } = objectOf(value, 'decision');
  const known = VERDICTS.find((one) => one === verdict);
  if (known === undefined) throw new TypeError('`verdict` is unknown.');
  if (typeof id !== 'string' || typeof who !== 'string' || typeof comment !== 'string') {
    throw new TypeError('`id`, `who` and `comment` must be strings.');
  }
  return { id, who, inGroup: inGroup === true, verdict: known, comment };
}

function readSpec(value: unknown): RunSpec {
  const { id, args, era, abilities, authInfo } = objectOf(value, 'spec');
  const can = objectOf(abilities, 'abilities');
  if (typeof id !== 'string') throw new TypeError('`id` must be a string.');
  if (era !== 'modern' && era !== 'legacy') throw new TypeError('`era` is unknown.');
  return {
    id,
    args: objectOf(args, 'args'),
    era,
    abilities: {
      form: can.form === true,
      url: can.url === true,
      sampling: can.sampling === true,
      roots: can.roots === true,
    },
    ...(authInfo !== undefined && { authInfo: objectOf(authInfo, 'authInfo') }),
  };
}

function objectOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isObject(value) && !Array.isArray(value)) return value;
  throw new TypeError(`\`${name}\` must be an object.`);
}
