/** The rows of a timeline, one for each resolver: when it ran or waited, and its outcome. */
import { isObject } from '../../values.js';
import { showable } from '../graph/glyphs.js';
import type { StepEvent, TracedRound } from './tracedCalls.js';

/** A period in milliseconds from the beginning of the round. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** `running` if a function ran, `waiting` if the call waited for an answer. */
  readonly is: 'running' | 'waiting';
}

/** The kind of a note, which decides its symbol. */
export type Mark = 'asked' | 'good' | 'bad' | 'kept' | 'instead';

/** The outcome of a resolver in a few words. */
export interface Note {
  readonly mark: Mark;
  readonly text: string;
}

/** One resolver in one round. */
export interface Row {
  readonly name: string;
  readonly stretches: readonly Stretch[];
  readonly notes: readonly Note[];
}

/** A round, laid out in time. */
export interface LaidOut {
  readonly rows: readonly Row[];
  /** The duration in milliseconds, including resolvers that ended after the round. */
  readonly lasts: number;
}

interface GrowingRow {
  readonly name: string;
  readonly stretches: Stretch[];
  readonly notes: Note[];
  readonly since: number;
  askedAt?: number;
}

/** Lays out a round in time, with rows in the order in which they began. */
export function layOutRound({ started, steps, completed }: TracedRound): LaidOut {
  const rows = new Map<string, GrowingRow>();
  for (const step of steps) {
    const at = step.at - started.at;
    const since = step.type === 'ran' ? Math.max(0, at - step.durationMs) : at;
    const row = rows.get(step.resolver) ?? newRow(step.resolver, since);
    rows.set(step.resolver, row);
    fill(row, step, { at, since });
  }
  const ended = completed?.durationMs ?? 0;
  const ordered = [...rows.values()].sort((a, b) => a.since - b.since);
  const lasts = latest(ended, ordered.map(lastMomentOf));
  const ran = completed?.end === 'completed' && !completed.replayed;
  return { rows: ran ? [...ordered, bodyRow(ordered, ended)] : ordered, lasts };
}

function newRow(name: string, since: number): GrowingRow {
  return { name, stretches: [], notes: [], since };
}

/**
 * Returns the row of the body. The body has no event, so its bar starts when the last resolver ends
 * and ends with the round.
 */
function bodyRow(rows: readonly GrowingRow[], ended: number): Row {
  const from = Math.min(ended, latest(0, rows.map(lastMomentOf)));
  return { name: BODY_NAME, stretches: [{ from, to: ended, is: 'running' }], notes: [] };
}

/** The name of the body's row. The parentheses distinguish it from the names of resolvers. */
const BODY_NAME = '(body)';

function lastMomentOf({ stretches, since }: GrowingRow): number {
  return latest(
    since,
    stretches.map(({ to }) => to),
  );
}

function latest(first: number, others: readonly number[]): number {
  return others.reduce((a, b) => Math.max(a, b), first);
}

function fill(
  row: GrowingRow,
  step: StepEvent,
  { at, since }: { readonly at: number; readonly since: number },
): void {
  if (step.type === 'ran')
    row.stretches.push({ from: since, to: since + step.durationMs, is: 'running' });
  // On the legacy era the answer arrives within the round, so the round waited for it. If the
  // question is asked again, the answer before it did not fit.
  const endsWait = ['asked', 'answered', 'declined'].includes(step.type);
  if (endsWait && row.askedAt !== undefined)
    row.stretches.push({ from: row.askedAt, to: at, is: 'waiting' });
  if (step.type === 'asked') row.askedAt = at;
  const note = noteOf(step);
  if (note !== undefined) row.notes.push(note);
}

function noteOf(step: StepEvent): Note | undefined {
  switch (step.type) {
    case 'ran':
      return step.gave === 'error' ? { mark: 'bad', text: 'threw' } : undefined;
    case 'restored':
      return { mark: 'kept', text: 'restored from its pin' };
    case 'asked':
      return { mark: 'asked', text: `asks ${KINDS[step.kind]}${textOf(step.question)}` };
    case 'answered':
      return { mark: 'good', text: `answered by ${WHO[step.by]}${earlier(step)}` };
    case 'declined':
      return { mark: 'bad', text: `${ACTIONS[step.action]}${earlier(step)}` };
    case 'fellBack':
      return { mark: 'instead', text: `falls back: the client cannot ${ABILITIES[step.kind]}` };
  }
}

const KINDS = {
  form: 'with a form',
  url: 'with a link',
  sample: 'the model',
  roots: 'for the roots',
  approval: 'for approval',
} as const;
const ABILITIES = {
  form: 'show a form',
  url: 'open a link',
  sample: 'ask the model',
  roots: 'list its roots',
} as const;
const WHO = {
  person: 'the user',
  model: 'the model',
  client: 'the client',
  approver: 'an approver',
} as const;
const ACTIONS = { decline: 'declined', cancel: 'cancelled' } as const;

function earlier({ fresh }: { readonly fresh: boolean }): string {
  return fresh ? '' : ', in an earlier round';
}

const LONGEST_TEXT = 60;

/** Returns the message of a question, if the events carry it. */
function textOf(question: unknown): string {
  const message = isObject(question) ? question.message : undefined;
  if (typeof message !== 'string') return '';
  const line = showable(message);
  return `: ${line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}...` : line}`;
}
