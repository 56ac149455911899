/** Runs a test on both eras of the protocol and compares the two calls. */
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { isObject } from '../../values.js';
import { CALL_ID_KEY } from '../../call/callable.js';
import { canonicalJson } from '../../state/canonical.js';
import type { AskedQuestion } from './askedQuestion.js';
import { shorten } from './formatQuestion.js';
import type { Era } from './runOptions.js';
import type { Run } from './runResult.js';

/**
 * Calls `fn` for the modern era and then for the legacy era. Compares the ends and the questions of
 * the two calls, and returns the modern run.
 *
 * Does not compare the numbers of rounds and of resolver runs, because the eras differ there by
 * design. If a call fails, the legacy era may have asked fewer questions, because it asks one at a
 * time.
 *
 * @example
 *
 * ```ts
 * const { text } = await bothEras((era) =>
 *   run(payInvoice, { invoice: 'INV-2' }, { era, answers }),
 * );
 * ```
 *
 * @throws {Error} If the eras differ. The message says where. If `fn` throws, its error is rethrown
 *   with the era in front of its message.
 */
export async function bothEras<R extends Run>(fn: (era: Era) => Promise<R>): Promise<R> {
  if (typeof fn !== 'function')
    throw new TypeError(`bothEras(): the argument must be a function, as in ${EXAMPLE}.`);
  const modern = await runOf(fn, 'modern');
  const legacy = await runOf(fn, 'legacy');
  const differences = [...endsDiffer(modern, legacy), ...questionsDiffer(modern.questions, legacy)];
  if (differences.length === 0) return modern;
  const title = `'${modern.definition}' behaves differently on the two eras.`;
  throw new Error([title, '', ...differences].join('\n'));
}

const EXAMPLE = 'bothEras((era) => run(payInvoice, args, { era, answers }))';

async function runOf<R extends Run>(fn: (era: Era) => Promise<R>, era: Era): Promise<R> {
  const run = await inEra(era, fn);
  if (!isRun(run)) {
    throw new TypeError(`bothEras(): the function must return a run, as in ${EXAMPLE}.`);
  }
  if (run.era === era) return run;
  throw new TypeError(
    `bothEras(): the function was called for the ${era} era, but it ran on the ${run.era} era. Pass \`era\` on, as in ${EXAMPLE}.`,
  );
}

/** Returns true for a run. JavaScript tests may forget to return it. */
function isRun(run: unknown): run is Run {
  return isObject(run) && typeof run.era === 'string';
}

/**
 * Adds the era to the message of an error. Rethrows the same object, so that a test runner shows it
 * as its own.
 */
async function inEra<R>(era: Era, fn: (era: Era) => Promise<R>): Promise<R> {
  try {
    return await fn(era);
  } catch (error) {
    if (error instanceof Error && !Object.isFrozen(error)) {
      error.message = `On the ${era} era: ${error.message}`;
    }
    throw error;
  }
}

function endsDiffer(modern: Run, legacy: Run): string[] {
  return Object.entries(COMPARED).flatMap(([field, read]) => {
    const [one, other] = [read(modern), read(legacy)];
    if (one === other) return [];
    // The entry for `text` already shows this difference.
    if (field === 'result' && modern.text !== legacy.text) return [];
    return [...entry(field, 'modern', one), ...entry('', 'legacy', other)];
  });
}

/** The parts of a run that are compared, as strings. Each call has its own id. */
const COMPARED: Readonly<Record<string, (run: Run) => string>> = {
  isError: ({ isError }) => plain(isError),
  text: ({ text }) => text,
  structured: ({ structured }) => plain(structured),
  error: ({ error, cause }) => plain(error && { ...error, ...(cause && { data: undefined }) }),
  cause: ({ cause }) => plain(cause && `${cause.name}: ${cause.message}`),
  result: ({ result }) => comparableResult(result),
};

function questionsDiffer(modern: readonly AskedQuestion[], legacy: Run): string[] {
  const onModern = new Set(modern.map(formatAsked));
  const onLegacy = new Set(legacy.questions.map(formatAsked));
  const onlyModern = legacy.isError ? [] : [...onModern].filter((one) => !onLegacy.has(one));
  const onlyLegacy = [...onLegacy].filter((one) => !onModern.has(one));
  return [
    ...onlyModern.flatMap((one) => entry('asked', 'only modern', one)),
    ...onlyLegacy.flatMap((one) => entry('asked', 'only legacy', one)),
  ];
}

function formatAsked({ key, kind, message }: AskedQuestion): string {
  return `${key} (${kind})${message === '' ? '' : `: ${message}`}`;
}

function entry(field: string, who: string, text: string): string[] {
  return [`  ${field.padEnd(10)}  ${who.padEnd(11)}  ${shorten(text, 400)}`];
}

/** Formats a result without the properties that only one era sends. */
function comparableResult(result: unknown): string {
  if (!isObject(result)) return plain(result);
  const { _meta, resultType: _, ttlMs: __, cacheScope: ___, ...rest } = result;
  const own = Object.entries(isObject(_meta) ? _meta : {}).filter(
    ([name]) => name !== SERVER_INFO_META_KEY && name !== CALL_ID_KEY,
  );
  return plain(own.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(own) });
}

function plain(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : canonicalJson(value);
}
