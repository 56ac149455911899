/** The attacks behind `probe`. Each prepares a call honestly and returns one dishonest step. */
import type { Answer } from '../../client/answers.js';
import type { OpenQuestion, OpenQuestions } from '../../client/openQuestions.js';
import { resumeCall } from '../../client/startCall.js';
import type { CallRequest } from '../../client/target.js';
import { isObject } from '../../values.js';
import { utf8 } from '../../platform.js';
import { canonicalJson } from '../../state/canonical.js';
import type { RequestStateSeal } from '../../host/requestStateSeal.js';
import type { Caller } from './connection.js';
import type { Attack } from './misuse.js';
import { MAX_ROUNDS } from './runOptions.js';

/** Sends the honest answers with one character of the token changed. */
export const tamper: Attack = async ({ client, call, answersTo }) => {
  const answers = await answersTo(call);
  const { requestState = '', ...saved } = call.toJSON();
  const changed = withOtherLetter(requestState);
  return () => resumeCall(client, { ...saved, requestState: changed }).answer(answers);
};

/** Changes a letter in the middle of a token, because the last one may hold unused bits. */
function withOtherLetter(token: string): string {
  const middle = Math.floor(token.length / 2);
  const letter = token[middle] === 'A' ? 'B' : 'A';
  return `${token.slice(0, middle)}${letter}${token.slice(middle + 1)}`;
}

/** Finishes the call with the arguments of another request. */
export function swapArguments(otherRequest: () => CallRequest): Attack {
  return async ({ client, call, answersTo }) => {
    const answers = await answersTo(call);
    const saved = call.toJSON();
    const { params } = otherRequest();
    if (canonicalJson(params) === canonicalJson(saved.params)) {
      throw new TypeError(
        'probe.swappedArguments(): `otherArgs` must differ from the arguments of the call.',
      );
    }
    return () => resumeCall(client, { ...saved, params }).answer(answers);
  };
}

/** Finishes the call as another caller. */
export function handOver(other: Caller): Attack {
  return async ({ call, answersTo, connectAs }) => {
    const answers = await answersTo(call);
    const client = await connectAs(other);
    return () => resumeCall(client, call.toJSON()).answer(answers);
  };
}

/** Sends the honest answers. The attack is in the token, as with {@link agedSeal}. */
export const answerHonestly: Attack = async ({ call, answersTo }) => {
  const answers = await answersTo(call);
  return () => call.answer(answers);
};

/** Returns a copy of a seal whose `nth` token has already expired. */
export function agedSeal(seal: RequestStateSeal, nth: number): RequestStateSeal {
  const policy = seal['~policy'];
  const { codec, ttlSeconds } = policy;
  let made = 0;
  const aged = {
    seal: (claims: Uint8Array) => {
      made += 1;
      return codec.seal(made === nth ? olderBy(ttlSeconds + 1, claims) : claims);
    },
    unseal: (token: string) => codec.unseal(token),
  };
  return { ...seal, '~policy': { ...policy, codec: aged } };
}

/** Moves the times in the claims back. See `docs/state-format.md`. */
function olderBy(seconds: number, bytes: Uint8Array): Uint8Array {
  const claims = JSON.parse(new TextDecoder().decode(bytes)) as { iat: number; exp: number };
  return utf8(JSON.stringify({ ...claims, iat: claims.iat - seconds, exp: claims.exp - seconds }));
}

/** Runs the call to its end, then sends the last round again. */
export const replay: Attack = async ({ call, answersTo }) => {
  let last = call;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const sent = last;
    const answers = await answersTo(sent);
    const next = await sent.answer(answers);
    if (next.done) return () => sent.answer(answers);
    last = next;
  }
  throw new Error(
    `probe.replayed(): the call still asks after ${MAX_ROUNDS} rounds, so it has no end to replay. Script answers that let it finish.`,
  );
};

/** Continues the call without answers. */
export const leaveUnanswered: Attack = ({ call }) => Promise.resolve(() => call.answer({}));

/** Sends the given answers, and values of a wrong type for all other questions. */
export function answerWrongly(wrong: Readonly<Record<string, unknown>> = {}): Attack {
  return ({ call }) => {
    const answers = { ...wrongAnswers(call.questions), ...wrong } as Record<string, Answer>;
    return Promise.resolve(() => call.answer(answers));
  };
}

/** Returns an answer to each question that has the right kind but does not fit. */
function wrongAnswers(questions: OpenQuestions): Record<string, unknown> {
  const wrong = Object.entries(questions).map(([key, question]) => [key, wrongAnswer(question)]);
  return Object.fromEntries(wrong) as Record<string, unknown>;
}

function wrongAnswer({ method, params }: OpenQuestion): unknown {
  if (method === 'roots/list') return { roots: 'none' };
  if (method === 'sampling/createMessage') return { role: 'assistant', model: 'scripted' };
  const { requestedSchema }: Readonly<Record<string, unknown>> = { ...params };
  const properties = isObject(requestedSchema) ? requestedSchema.properties : undefined;
  const fields = Object.entries(isObject(properties) ? properties : {});
  // A link or a form without fields has no content that could be wrong.
  if (fields.length === 0) return { action: 'neither yes nor no' };
  const content = fields.map(([name, field]) => [name, misfitFor(field)] as const);
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** Returns a string for an array field, and an array for any other field. */
function misfitFor(field: unknown): unknown {
  return isObject(field) && field.type === 'array' ? 'not an array' : ['an array'];
}
