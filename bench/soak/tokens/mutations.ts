/**
 * The mutations of an attacker, by name. Each turns an open round into a request: the right answer
 * with an invalid state, or a genuine state with another request.
 */
import { AUDIENCE, KEYS, PRINCIPAL, STRANGE_KEY } from './desk.js';
import type { Call } from '../jsonRpc.js';
import { boundsOf, bytesOf, forgeWith, type Region, tokenOf } from './forgery.js';
import { ANSWERS, nextRound, type OpenRound } from './genuine.js';
import { principalClaim } from '../../../src/state/principal.js';
import type { Random } from './random.js';

/** The material of an attacker. */
export interface Hand {
  readonly random: Random;
  readonly round: OpenRound;
  /** The open rounds of other calls, sealed under the same key. */
  readonly others: readonly [OpenRound, ...OpenRound[]];
}

const [first, second, strange] = [KEYS[0], KEYS[1], STRANGE_KEY].map(forgeWith) as [
  ReturnType<typeof forgeWith>,
  ReturnType<typeof forgeWith>,
  ReturnType<typeof forgeWith>,
];

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The longest token of a server with the default limit of 65,536 bytes. */
const LONGEST = 87_428;

type StateMutation = (token: string, hand: Hand) => unknown;
type Mutation = (hand: Hand) => Call;

/** Mutations of the state in an otherwise honest request. */
const states: Readonly<Record<string, StateMutation>> = {
  'a bit of the key id flipped': flipIn('key id'),
  'a bit of the nonce flipped': flipIn('nonce'),
  'a bit of the ciphertext flipped': flipIn('ciphertext'),
  'a bit of the tag flipped': flipIn('tag'),
  'a character changed': (token, { random }) => {
    const at = random.below(token.length);
    return `${token.slice(0, at)}${random.text(1, `${BASE64URL}.=+/ `)}${token.slice(at + 1)}`;
  },
  truncated: (token, { random }) => {
    const at = random.below(token.length);
    const dropped = random.between(1, token.length - at);
    return random.pick([
      token.slice(0, at),
      token.slice(at + 1),
      token.slice(0, at) + token.slice(at + dropped),
      tokenOf(bytesOf(token).subarray(0, random.below(bytesOf(token).length))),
    ]);
  },
  extended: (token, { random }) => {
    const at = random.below(token.length + 1);
    const more = random.text(random.length(64), BASE64URL);
    const bytes = bytesOf(token);
    return random.pick([
      token + more,
      more + token,
      token.slice(0, at) + more + token.slice(at),
      tokenOf(Buffer.concat([bytes, random.bytes(random.length(32))])),
      token + token,
    ]);
  },
  're-encoded': reencoded,
  'bytes moved': (token, { random }) => {
    const bytes = bytesOf(token);
    const at = random.below(bytes.length);
    return tokenOf(
      random.pick([
        Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)]),
        bytes.toReversed(),
        bytes.with(at, bytes[random.below(bytes.length)] ?? 0),
      ]),
    );
  },
  'spliced with a token of the same key': (token, { random, others }) =>
    spliced(random, token, random.pick(others).token),
  'spliced with a token of another key': (token, { random }) =>
    spliced(random, token, random.pick([second, strange]).sealClaims(first.open(token))),
  're-prefixed': (token, { random }) =>
    random.pick(['', 'v2.', 'v0.', 'v1', 'V1.', 'v1..', '.v1.', 'v1.v1.', ' v1.', 'v1,', 'v１.']) +
    token.slice('v1.'.length),
  'key id transplanted': (token, { random }) => {
    const ids = [second, strange].map((forge) => bytesOf(forge.sealClaims({})).subarray(0, 4));
    const bytes = bytesOf(token);
    bytes.set(random.pick([ids[0], ids[1], random.bytes(4)]) ?? []);
    return tokenOf(bytes);
  },
  'sealed under a wrong key': (token, { random }) => {
    const forged = strange.sealClaims(first.open(token));
    if (random.percent(50)) return forged;
    const bytes = bytesOf(forged);
    bytes.set(bytesOf(token).subarray(0, 4));
    return tokenOf(bytes);
  },
  expired: claiming(({ iat }, random) => ({
    iat: Number(iat) - 1000,
    exp: Number(iat) - random.length(1000) - 1,
  })),
  'minted in the future': claiming(({ iat }, random) => ({
    iat: Number(iat) + 100 + random.length(1e6),
    exp: Number(iat) + 1e7,
  })),
  'for another audience': claiming((_, random) => ({
    aud: random.pick([undefined, null, '', `${AUDIENCE} `, AUDIENCE.toUpperCase(), [AUDIENCE], 7]),
  })),
  'for another principal': claiming((_, random) => ({
    p: random.pick<unknown>([
      principalClaim('bob'),
      principalClaim(`${PRINCIPAL}\0`),
      principalClaim(''),
      PRINCIPAL,
      undefined,
      null,
      'A',
      7,
      { x: 1 },
      random.text(32, BASE64URL),
    ]),
  })),
  'for another method': claiming(({ m }, random) => ({
    m: random.pick(['tools/list', 'prompts/get', 'resources/read', 'tools/call ', '', [m], null]),
  })),
  'for another target': claiming(({ t }, random) => ({
    t: random.pick<unknown>(['plan_trips', 'sign_on', '', null, undefined, [t], { name: t }, 0]),
  })),
  'for other arguments': claiming(({ a }, random) => ({
    a: random.pick<unknown>([
      random.text(22, BASE64URL),
      `${String(a)}=`,
      '',
      null,
      undefined,
      [a],
    ]),
  })),
  'with invalid claims': (token, { random }) => {
    const claims = first.open(token);
    return random.pick([
      () => first.sealBytes(random.bytes(random.length(500))),
      () => first.sealBytes(Buffer.from(JSON.stringify(claims).slice(0, -1))),
      () => first.sealBytes(Buffer.from(`[${JSON.stringify(claims)}]`)),
      () =>
        first.sealBytes(Buffer.from(JSON.stringify({ ...claims, exp: 0 }).replace(':0', ':1e999'))),
      () =>
        first.sealClaims({
          ...claims,
          v: random.pick<unknown>([0, 2, '1', null, true, undefined]),
        }),
      () =>
        first.sealClaims({
          ...claims,
          s: random.pick<unknown>([0, null, undefined, {}, [claims.s]]),
        }),
      () =>
        first.sealClaims({
          ...claims,
          exp: random.pick<unknown>(['9e9', null, undefined, [], {}]),
        }),
      () =>
        first.sealClaims({
          ...claims,
          iat: random.pick<unknown>(['0', null, undefined, [], false]),
        }),
    ])();
  },
  'a random string': (_, { random }) => randomText(random, random.length(65_536)),
  'a random body after the prefix': (_, { random }) =>
    random.percent(50)
      ? `v1.${random.text(random.length(4096), BASE64URL)}`
      : tokenOf(random.bytes(random.length(4096))),
  'not a string': (token, { random }) =>
    random.pick<unknown>([
      null,
      true,
      false,
      0,
      -1,
      random.uint32(),
      [],
      {},
      [token],
      { requestState: token },
      { toString: token },
      { length: token.length, 0: 'v' },
      [[[[token]]]],
      Array.from(token),
    ]),
};

/** Mutations of the request around a genuine token. */
const requests: Readonly<Record<string, Mutation>> = {
  'with other arguments': ({ random, round }) => {
    const { arguments: args = {} } = round.call.params as { arguments?: object };
    // A resource is bound only by its URI and has no arguments.
    if (round.call.method === 'resources/read') return changed(round, { uri: 'trips://sign-on' });
    return changed(round, {
      arguments: random.pick<unknown>([
        { trip: randomText(random, random.between(1, 40)) },
        { ...args, more: random.uint32() },
        { Trip: 'T' },
        {},
        null,
        undefined,
        { ...args, trip: [Object.values(args)] },
      ]),
    });
  },
  'with another target': ({ random, round }) => {
    if (round.call.method === 'resources/read') return changed(round, { uri: 'trips://other' });
    const { name } = round.call.params;
    const names = ['plan_trip', 'sign_off', 'no_such_tool', `${String(name)}s`, ''] as const;
    return changed(round, { name: random.pick(names.filter((n) => n !== name) as [string]) });
  },
  'with another method': ({ random, round }) => {
    const methods = ['tools/call', 'prompts/get', 'resources/read'] as const;
    const method = random.pick(methods.filter((m) => m !== round.call.method) as [string]);
    const params = { name: 'sign_off', uri: 'trips://sign-off', ...round.call.params };
    return { ...nextRound(round, answerTo(round)), method, params: withRound(round, params) };
  },
};

/** Mutations that take much longer than the others, and are therefore rare. */
const heavy: Readonly<Record<string, StateMutation>> = {
  'longer than the limit': (token, { random }) => {
    const length = LONGEST + random.pick([0, 1, 2, random.length(100_000)]);
    const filling = random.text(64, BASE64URL).repeat(Math.ceil(length / 64));
    return random.pick([token + filling, `v1.${filling}`, filling]);
  },
  'long strings': (_, { random }) => randomText(random, 65_536),
};

const HEAVY_PERCENT = 1;

/** Every mutation by name. */
export const mutations: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    Object.entries({ ...states, ...heavy }).map(([name, mutate]) => [name, withState(mutate)]),
  ),
  ...requests,
};

const LIGHT_NAMES = [...Object.keys(states), ...Object.keys(requests)] as [string, ...string[]];
const HEAVY_NAMES = Object.keys(heavy) as [string, ...string[]];

/** Picks a mutation. */
export function pickMutation(random: Random): string {
  return random.pick(random.percent(HEAVY_PERCENT) ? HEAVY_NAMES : LIGHT_NAMES);
}

/** Changes the state of a round. Repeats the mutation until the state differs. */
function withState(mutate: StateMutation): Mutation {
  return (hand) => {
    const { round } = hand;
    for (;;) {
      const changedToken = mutate(round.token, hand);
      if (changedToken !== round.token && changedToken !== undefined) {
        return nextRound(round, answerTo(round), changedToken);
      }
    }
  };
}

function answerTo({ asked }: OpenRound): object {
  return { [asked]: ANSWERS[asked] };
}

function changed(round: OpenRound, change: object): Call {
  const { method, params } = nextRound(round, answerTo(round));
  return { method, params: { ...params, ...change } };
}

function withRound(round: OpenRound, params: object): Call['params'] {
  return { ...nextRound(round, answerTo(round)).params, ...params };
}

function flipIn(region: Region): StateMutation {
  return (token, { random }) => {
    const bytes = bytesOf(token);
    const [from, to] = boundsOf(region, bytes);
    const at = random.between(from, to - 1);
    return tokenOf(bytes.with(at, (bytes[at] ?? 0) ^ (1 << random.below(8))));
  };
}

/** Seals other claims under the right key, like a state of the server for another request. */
function claiming(
  change: (claims: Record<string, unknown>, random: Random) => object,
): StateMutation {
  return (token, { random }) => {
    const claims = first.open(token);
    const changes = change(claims, random);
    const same = Object.entries(changes).every(([name, value]) => claims[name] === value);
    return same ? token : first.sealClaims({ ...claims, ...changes });
  };
}

function reencoded(token: string, { random }: Hand): string {
  const body = token.slice('v1.'.length);
  const at = random.between(1, token.length - 1);
  const inserted = (text: string): string => token.slice(0, at) + text + token.slice(at);
  return random.pick([
    () => `${token}${'='.repeat(random.between(1, 4))}`,
    () => `v1.${Buffer.from(bytesOf(token)).toString('base64')}`,
    () => token.replaceAll('-', '+').replaceAll('_', '/'),
    () => `v1.${Buffer.from(bytesOf(token)).toString('hex')}`,
    () => `v1.${Buffer.from(token).toString('base64url')}`,
    () => `v1.${body.replace(/.$/, (last) => aliasOf(last, random))}`,
    () => inserted(random.pick([' ', '\n', '\r\n', '\t', '\0', '\u00a0', '\u200b', '\ufeff', '='])),
    () => random.pick([`${token}\n`, ` ${token}`, `"${token}"`, `${token}\u2028`]),
    () => token.slice(0, at) + lookalikeOf(token.charAt(at)) + token.slice(at + 1),
    () => token.toUpperCase(),
    () => token.toLowerCase(),
    () => encodeURIComponent(token).replace('.', '%2E'),
    () => `v1.${Array.from(body, fullWidth).join('')}`,
  ])();
}

/** Returns another final character. A lenient decoder reads some of them as the same bytes. */
function aliasOf(last: string, random: Random): string {
  const index = BASE64URL.indexOf(last);
  return BASE64URL.charAt(random.percent(50) ? index ^ 1 : index ^ random.between(1, 63));
}

/** Returns a character that looks like the given one, or becomes it in Unicode normalization. */
function lookalikeOf(char: string): string {
  const cyrillic = 'АВСЕНІКМОРЅТХаесорхѕіј'.charAt('ABCEHIKMOPSTXaecopxsij'.indexOf(char));
  if (cyrillic !== '') return cyrillic;
  return char === '.' ? '\u2024' : fullWidth(char);
}

function fullWidth(char: string): string {
  return String.fromCharCode(char.charCodeAt(0) + 0xfee0);
}

/** Joins the start of one token with the end of another, cut as a string or as bytes. */
function spliced(random: Random, one: string, other: string): string {
  const [left, right] = random.percent(50) ? [one, other] : [other, one];
  const [head, tail] = [bytesOf(left), bytesOf(right)];
  const cut = random.pick([4, 16, head.length - 16, random.between(1, head.length - 1)]);
  const at = random.between('v1.'.length + 1, left.length - 1);
  const result = random.pick([
    () => tokenOf(Buffer.concat([head.subarray(0, cut), tail.subarray(cut)])),
    () => tokenOf(Buffer.concat([head.subarray(0, cut), tail.subarray(cut - head.length)])),
    () => left.slice(0, at) + right.slice(at),
    () => left + right.slice('v1.'.length),
  ])();
  // A cut after equal bytes returns one of the two tokens, which is not a splice.
  return result === left || result === right ? one : result;
}

/** Returns a string of any characters, including lone surrogates and control characters. */
function randomText(random: Random, length: number): string {
  const style = random.below(4);
  if (style === 0) return random.text(length, BASE64URL);
  const highest = style === 1 ? 0x7f : 0xffff;
  const units = Uint16Array.from({ length }, () => random.below(highest + 1));
  return Buffer.from(units.buffer).toString('utf16le');
}
