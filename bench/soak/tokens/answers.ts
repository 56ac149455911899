/**
 * Random `inputResponses` for a genuine token. They do not answer the open question, so they must
 * not advance the call. One kind answers it and adds answers to questions that are not open, which
 * must not count.
 */
import { nestedText } from '../jsonRpc.js';
import { ANSWERS, type Asked, type OpenRound } from './genuine.js';
import type { Random } from './random.js';

/** The answers of a client, and the question that must be open afterwards, if one is. */
export interface RandomAnswers {
  readonly kind: string;
  readonly inputResponses: unknown;
  readonly next: Asked;
}

const NEXT: Partial<Readonly<Record<Asked, Asked>>> = { city: 'nights', nights: 'approval' };
const QUESTIONS = ['city', 'nights', 'approval', 'signature'] as const;

const KEYS = [
  ...QUESTIONS,
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '0',
  'City',
  'city ',
  'trip',
  'plan_trip.city',
  '\ud800',
  '\0',
  'k'.repeat(10_000),
] as const;

/** Creates answers to a round. */
export function randomAnswers(random: Random, { asked }: OpenRound): RandomAnswers {
  const next = NEXT[asked];
  if (next !== undefined && random.percent(10)) {
    return { kind: 'answers to questions that are not open', inputResponses: ANSWERS, next };
  }
  const [kind, inputResponses] = random.pick<() => [string, unknown]>([
    () => ['answers that are not an object', notAMap(random)],
    () => ['almost valid answers', { [asked]: almostRight(random, asked) }],
    () => ['answers to another question', othersOnly(asked)],
    () => ['answers of random shape', randomMap(random, asked)],
    () => ['answers of random shape', { [asked]: randomValue(random, 5) }],
    () => ['hostile keys', hostileMap(random, asked)],
    () => (random.percent(10) ? ['huge answers', huge(random, asked)] : ['no answers', {}]),
    () => ['deep answers', { [random.pick([asked, 'other'])]: deep(random) }],
  ])();
  return { kind, inputResponses, next: asked };
}

function notAMap(random: Random): unknown {
  return random.pick<unknown>([null, [], 0, '', true, 'accept', [ANSWERS], randomValue(random, 3)]);
}

/** Returns an answer that differs from a valid one in one respect. */
function almostRight(random: Random, asked: Asked): unknown {
  const good = ANSWERS[asked] as { content: Record<string, unknown> };
  const [field = ''] = Object.keys(good.content);
  const wrong = random.pick<unknown>([null, '', 'yes', -1, 0, 1.5, 1e9, false, [], {}, ['Rome']]);
  return random.pick<unknown>([
    { method: 'elicitation/create', result: good },
    { result: good },
    { ...good, action: random.pick(['Accept', 'ACCEPT', 'accepted', 'ok', '', null, true, 1]) },
    { ...good, action: random.pick(['decline', 'cancel']) },
    { action: 'accept' },
    { action: 'accept', content: null },
    { action: 'accept', content: [good.content] },
    { action: 'accept', content: JSON.stringify(good.content) },
    { action: 'accept', content: { [field]: wrong } },
    { action: 'accept', content: { [field.toUpperCase()]: good.content[field] } },
    { action: 'accept', content: { value: good.content } },
    { action: 'accept', data: good.content },
    good.content,
    [good],
    null,
    JSON.stringify(good),
  ]);
}

function othersOnly(asked: Asked): object {
  const { [asked]: _, ...others } = ANSWERS;
  return others;
}

function randomMap(random: Random, asked: Asked): object {
  const entries = Array.from({ length: random.length(20) }, () => {
    const key = random.percent(50) ? random.pick(KEYS) : random.text(random.length(30), 'abc._$ é');
    return [key, randomValue(random, 4)] as const;
  });
  return without(asked, Object.fromEntries(entries));
}

/** Returns valid answers under keys with a meaning in JavaScript, such as `__proto__`. */
function hostileMap(random: Random, asked: Asked): object {
  const good = ANSWERS[asked];
  const inner = JSON.stringify(random.pick<unknown>([good, { [asked]: good }]));
  const inside = [
    `{"${asked}":{"__proto__":${JSON.stringify(good)}}}`,
    `{"${asked}":{"action":"accept","__proto__":${JSON.stringify(good)}}}`,
    `{"${asked}":{"action":"accept","content":{"__proto__":${JSON.stringify(contentOf(good))}}}}`,
    `{"toString":${inner},"valueOf":1,"hasOwnProperty":null}`,
  ] as const;
  // The SDK builds the object by assignment, so this becomes its prototype. A handwritten handler
  // that reads the object finds the answer there. The library must not.
  const asPrototype = [`{"__proto__":${inner}}`, `{"__proto__":${inner},"constructor":${inner}}`];
  const texts = asked === 'signature' ? inside : ([...inside, ...asPrototype] as const);
  return JSON.parse(random.pick(texts)) as object;
}

function contentOf(answer: object): unknown {
  return (answer as { content: unknown }).content;
}

function huge(random: Random, asked: Asked): object {
  const long = 'x'.repeat(random.length(1_000_000));
  return random.pick<object>([
    { [asked]: { action: 'accept', content: { [long]: 1, long } } },
    { [long]: ANSWERS[asked] },
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key ${at}`, { at }])),
    { [asked]: { action: 'accept', content: { list: Array.from({ length: 50_000 }, () => 0) } } },
  ]);
}

/** Returns values nested from just below the limit to far above it. */
function deep(random: Random): unknown {
  const levels = random.percent(50) ? random.between(240, 260) : random.length(200_000);
  const value = nestedText(levels);
  return random.pick<unknown>([value, { action: 'accept', content: { city: value } }]);
}

/** Returns random JSON. It is never a valid answer, whose fields have other names. */
function randomValue(random: Random, depth: number): unknown {
  const scalars = () =>
    random.pick<unknown>([
      null,
      true,
      false,
      0,
      -0.5,
      1e308,
      random.uint32(),
      'accept',
      'é\ud800',
      '',
    ]);
  if (depth === 0 || random.percent(30)) return scalars();
  const members = Array.from({ length: random.below(5) }, () => randomValue(random, depth - 1));
  if (random.percent(30)) return members;
  const names = [
    'action',
    'content',
    'data',
    'method',
    'result',
    'length',
    'then',
    'toJSON',
  ] as const;
  return Object.fromEntries(members.map((member) => [random.pick(names), member]));
}

function without(key: string, map: object): object {
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));
}
