/**
 * Attacks a server over both transports, and regularly proves that the genuine tokens still work.
 * {@link Findings.problems} describes everything that should not have happened.
 */
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { type Call, FROZEN, type Reply } from '../jsonRpc.js';
import { type RandomAnswers, randomAnswers } from './answers.js';
import { createDesk, type Desk } from './desk.js';
import { type Door, openHttp, openStdio } from './doors.js';
import { complete, nextRound, type OpenRound, openRounds } from './genuine.js';
import { mutations, pickMutation } from './mutations.js';
import { Random } from './random.js';

/** The options of a run. */
export interface SoakOptions {
  readonly attempts: number;
  readonly seed: number;
  /** Called after every thousand attempts. */
  readonly onProgress?: (findings: Findings) => void;
}

/** The results of a run. */
export interface Findings {
  attempts: number;
  /** Calls completed with their genuine token. */
  controls: number;
  /** The attempts by kind. */
  readonly kinds: Map<string, number>;
  /** The replies of the server by kind. */
  readonly replies: Map<string, number>;
  /** The attempts by transport. */
  readonly doors: Map<string, number>;
  /** The reasons in the log of the server. */
  readonly rejections: ReadonlyMap<string, number>;
  /** Descriptions of the first twenty problems. */
  readonly problems: string[];
  problemCount: number;
}

const PER_CONTROL = 1000;
const BATCH = 25;
const HTTP_PERCENT = 10;
const ANSWERS_PERCENT = 20;

/** Runs the soak. */
export async function soakTokens({ attempts, seed, onProgress }: SoakOptions): Promise<Findings> {
  const desk = createDesk();
  const findings: Findings = {
    attempts: 0,
    controls: 0,
    kinds: new Map(),
    replies: new Map(),
    doors: new Map(),
    rejections: desk.rejections,
    problems: [],
    problemCount: 0,
  };
  const soak: Soak = { desk, findings, random: new Random(seed), doors: openDoors(desk) };
  const onRejection = (reason: unknown) =>
    report(findings, `unhandled rejection: ${String(reason)}`);
  process.on('unhandledRejection', onRejection);
  try {
    while (findings.attempts < attempts) {
      await attackFor(soak, Math.min(PER_CONTROL, attempts - findings.attempts));
      onProgress?.(findings);
    }
  } finally {
    process.off('unhandledRejection', onRejection);
    await Promise.all(Object.values(soak.doors).map((door) => door.close()));
  }
  const expected = findings.replies.get(REFUSED) ?? 0;
  const logged = [...desk.rejections.values()].reduce((sum, count) => sum + count, 0);
  if (logged !== expected)
    report(findings, `the server refused ${expected} states and logged ${logged}`);
  return findings;
}

interface Soak {
  readonly desk: Desk;
  readonly findings: Findings;
  readonly random: Random;
  readonly doors: { readonly http: Door; readonly stdio: Door };
}

function openDoors({ factory }: Desk): Soak['doors'] {
  return { http: openHttp(factory), stdio: openStdio(factory) };
}

/** Opens calls, attacks them this many times, and completes them. */
async function attackFor(soak: Soak, attempts: number): Promise<void> {
  const { desk, findings, random, doors } = soak;
  const trip = `T-${findings.attempts}`;
  const control = random.percent(50) ? doors.http : doors.stdio;
  const rounds = await openRounds(control, trip);
  const others = await openRounds(control, `${trip} too`);
  for (let left = attempts; left > 0; left -= BATCH) {
    const door = random.percent(HTTP_PERCENT) ? 'http' : 'stdio';
    const attack = random.percent(ANSWERS_PERCENT) ? attackAnswers : attackState;
    const size = Math.min(BATCH, left);
    await attack({ ...soak, door, rounds, others, size });
    // Without sockets, everything runs in one turn of the event loop. Objects that the platform
    // frees between turns, such as the signals of requests, would accumulate.
    await setImmediate();
    findings.attempts += size;
    count(findings.doors, door, size);
  }
  const { bodies } = desk.ran;
  findings.controls += await complete(control, rounds, trip);
  if (desk.ran.bodies !== bodies + CALLS_TO_COMPLETE) {
    report(
      findings,
      `${desk.ran.bodies - bodies} bodies ran for ${CALLS_TO_COMPLETE} genuine calls`,
    );
  }
}

const CALLS_TO_COMPLETE = 4;
const REFUSED = 'the error for refused states';

interface Batch extends Soak {
  readonly door: keyof Soak['doors'];
  readonly rounds: readonly [OpenRound, ...OpenRound[]];
  readonly others: readonly [OpenRound, ...OpenRound[]];
  readonly size: number;
}

/** Sends invalid states. The server must refuse each with the same error and run nothing. */
async function attackState(batch: Batch): Promise<void> {
  const { desk, findings, random, doors, door, rounds, others, size } = batch;
  const before = { ...desk.ran };
  const attempts = Array.from({ length: size }, async () => {
    const kind = pickMutation(random);
    const round = random.pick(rounds);
    const call = mutations[kind]?.({ random, round, others }) ?? round.call;
    const reply = await doors[door].send(call);
    count(findings.kinds, kind);
    const refused = reply.result === undefined && isDeepStrictEqual(reply.error, FROZEN);
    count(findings.replies, refused ? REFUSED : 'another reply to an invalid state');
    if (!refused) report(findings, describe(kind, call, reply));
  });
  await Promise.all(attempts);
  if (isDeepStrictEqual(desk.ran, before)) return;
  report(
    findings,
    `refused states ran functions: ${JSON.stringify(desk.ran)}, before ${JSON.stringify(before)}`,
  );
}

/** Sends random answers. The server must reply with a known error or ask, and run no body. */
async function attackAnswers(batch: Batch): Promise<void> {
  const { desk, findings, random, doors, door, rounds, size } = batch;
  const { bodies } = desk.ran;
  const attempts = Array.from({ length: size }, async () => {
    const round = random.pick(rounds);
    const answers = randomAnswers(random, round);
    const call = nextRound(round, answers.inputResponses);
    const reply = await doors[door].send(call);
    count(findings.kinds, answers.kind);
    const verdict = verdictOf(reply, answers);
    count(findings.replies, verdict ?? 'an unexpected reply');
    if (verdict === undefined) report(findings, describe(answers.kind, call, reply));
  });
  await Promise.all(attempts);
  if (desk.ran.bodies !== bodies) {
    report(findings, `${desk.ran.bodies - bodies} bodies ran for random answers`);
  }
}

/** Returns the kind of an expected reply, or undefined for any other. */
function verdictOf({ result, error }: Reply, { next }: RandomAnswers): string | undefined {
  if (error !== undefined) return KNOWN_ERRORS.find((text) => error.message === text);
  if (result?.isError === true) return knownToolError(JSON.stringify(result.content));
  const asked = Object.keys(result?.inputRequests ?? {}).join();
  return asked === next ? 'a question' : undefined;
}

const KNOWN_ERRORS: readonly string[] = [
  'Arguments and answers may be nested at most 256 levels deep',
];

const KNOWN_TOOL_ERRORS: readonly string[] = [
  'received a non-elicitation response',
  'received an accepted elicitation with no content',
  'received an accepted elicitation whose content does not match the requested schema',
  'elicitation was decline',
  'elicitation was cancel',
];

function knownToolError(content: string): string | undefined {
  return KNOWN_TOOL_ERRORS.find((text) => content.includes(text));
}

function count(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

const MOST_PROBLEMS = 20;

function report(findings: Findings, problem: string): void {
  findings.problemCount += 1;
  if (findings.problems.length < MOST_PROBLEMS) findings.problems.push(problem);
}

/** Describes an attempt with an unexpected reply. Shortens very long values. */
function describe(kind: string, call: Call, reply: Reply): string {
  const shown = (value: unknown) => JSON.stringify(value).slice(0, 2000);
  return `${kind}: ${shown(call)} was answered with ${shown(reply)}`;
}
