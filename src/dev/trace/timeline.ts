/** Prints calls as text, round by round. Bars show which resolvers ran at the same time. */
import type { CallEvent, CompletedEvent } from '../../author/event.js';
import { isObject } from '../../values.js';
import { tracedCalls } from './tracedCalls.js';
import type { TracedCall, TracedRound } from './tracedCalls.js';
import { layOutRound } from './timelineRows.js';
import type { LaidOut, Mark, Row, Stretch } from './timelineRows.js';

/** The options of {@link timeline}. */
export interface TimelineOptions {
  /** The width of the bars in columns. Default: 40. */
  readonly width?: number;
  /** Uses ASCII characters only. Default: false. */
  readonly ascii?: boolean;
}

/** Events, or an object with events, such as the run of a test. */
export type Recorded = Iterable<CallEvent> | { readonly events: Iterable<CallEvent> };

/**
 * Prints events as a timeline, with one section for each call and one bar for each resolver that
 * ran. If events have no values, the messages of questions are left out.
 *
 * @example
 *
 * ```ts
 * console.log(timeline(await run(planTrip, { city: 'Oslo' })));
 * ```
 *
 * @throws {TypeError} If there are no events, or `width` is not a positive integer.
 */
export function timeline(recorded: Recorded, options: TimelineOptions = {}): string {
  const { width = 40, ascii = false } = options;
  if (!Number.isInteger(width) || width < 1)
    throw new TypeError('timeline(): `width` must be a positive integer.');
  const pen: Pen = { width, ...(ascii ? ASCII : DRAWN) };
  return tracedCalls(eventsOf(recorded))
    .map((traced) =>
      'rounds' in traced
        ? printCall(traced, pen)
        : `rejected${pen.dot}${traced.method}${pen.dot}${traced.reason}\n`,
    )
    .join('\n');
}

function eventsOf(recorded: Recorded): Iterable<CallEvent> {
  const events = isObject(recorded) && 'events' in recorded ? recorded.events : recorded;
  if (isIterable(events)) return events;
  throw new TypeError(
    'timeline(): the first argument must be events, or a run with events. Await run() before you pass its result.',
  );
}

function isIterable(value: unknown): value is Iterable<CallEvent> {
  return typeof (value as Partial<Iterable<unknown>> | undefined)?.[Symbol.iterator] === 'function';
}

interface Pen {
  readonly width: number;
  /** The symbols of a bar: a run, a run that is too short to show, and a wait for an answer. */
  readonly running: string;
  readonly instant: string;
  readonly waiting: string;
  /** The symbols at the beginning and the end of a round. */
  readonly edges: readonly [string, string];
  readonly marks: Readonly<Record<Mark, string>>;
  readonly dot: string;
  readonly arrow: string;
}

const DRAWN: Omit<Pen, 'width'> = {
  running: '█',
  instant: '▌',
  waiting: '░',
  edges: ['│', '│'],
  marks: { asked: '?', good: '✓', bad: '✗', kept: '↺', instead: '~' },
  dot: ' · ',
  arrow: ' → ',
};

const ASCII: Omit<Pen, 'width'> = {
  running: '#',
  instant: '|',
  waiting: '.',
  edges: ['[', ']'],
  marks: { asked: '?', good: '+', bad: 'x', kept: '=', instead: '~' },
  dot: ' - ',
  arrow: ' -> ',
};

function printCall({ definition, callId, rounds }: TracedCall, pen: Pen): string {
  const count = rounds.length === 1 ? '1 round' : `${rounds.length} rounds`;
  const laidOut = rounds.map(layOutRound);
  const names = laidOut.flatMap(({ rows }) => rows.map(({ name }) => name.length));
  const columns = names.reduce((widest, length) => Math.max(widest, length), 0);
  const printed = rounds.flatMap((round, place) => {
    const pause = pauseBefore(rounds, place);
    return [
      `round ${place + 1}${pen.dot}${headOf(round).join(pen.dot)}${pause}`,
      ...(laidOut[place]?.rows ?? []).map((row) =>
        printRow(row, { pen, columns, lasts: laidOut[place]?.lasts ?? 0 }),
      ),
      '',
    ];
  });
  return [`${definition}${pen.dot}${count}${pen.dot}call ${callId}`, '', ...printed].join('\n');
}

function headOf({ started, completed }: TracedRound): string[] {
  const end =
    completed === undefined
      ? ['still running']
      : [formatTime(completed.durationMs), shownEnd(completed)];
  return [started.method, ...end];
}

function shownEnd({ end, replayed }: CompletedEvent): string {
  return replayed ? `${end} (recorded result)` : end;
}

/** Returns the time between two rounds, during which the user answers. */
function pauseBefore(rounds: readonly TracedRound[], place: number): string {
  const before = rounds[place - 1]?.completed?.at;
  const began = rounds[place]?.started.at;
  if (before === undefined || began === undefined) return '';
  return ` (${formatTime(Math.max(0, began - before))} later)`;
}

interface Page extends Pick<LaidOut, 'lasts'> {
  readonly pen: Pen;
  readonly columns: number;
}

function printRow({ name, stretches, notes }: Row, { pen, columns, lasts }: Page): string {
  const running = stretches.filter(({ is }) => is === 'running');
  const took = running.reduce((sum, { from, to }) => sum + to - from, 0);
  const duration = running.length === 0 ? '' : formatTime(took);
  const bars = barsOf(stretches, lasts, pen);
  const note = notes.map(({ mark, text }) => `${pen.marks[mark]} ${text}`).join(pen.arrow);
  return `  ${name.padEnd(columns)}  ${bars}  ${duration.padStart(9)}  ${note}`.trimEnd();
}

function barsOf(stretches: readonly Stretch[], lasts: number, pen: Pen): string {
  const cells = new Array<string>(pen.width).fill(' ');
  const column = (at: number): number =>
    lasts === 0 ? 0 : Math.min(pen.width - 1, Math.floor((at / lasts) * pen.width));
  for (const { from, to, is } of stretches) {
    const [first, last] = [column(from), column(to)];
    const isSeen = lasts > 0 && (is === 'waiting' || to - from >= lasts / (2 * pen.width));
    const end = to >= lasts ? pen.width : Math.max(first + 1, last);
    cells.fill(isSeen ? pen[is] : pen.instant, first, isSeen ? end : first + 1);
  }
  return pen.edges.join(cells.join(''));
}

/** Formats a duration. */
function formatTime(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(1)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
