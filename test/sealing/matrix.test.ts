/**
 * Every kind of tampering on every kind of server: protected before and after its handlers are set,
 * with both server classes of the SDK, over HTTP and stdio, for tools, prompts and resources. The
 * response is always the frozen error, the handler does not run, and the original token stays
 * valid.
 */
import { describe, expect, test, vi } from 'vitest';

import { checkAll } from '../support/checkAll.js';
import {
  ACCEPT,
  caller,
  createSeal,
  desk,
  endOf,
  expectFrozen,
  flipped,
  layers,
  moments,
  overHttp,
  overStdio,
  type Seen,
  tokenOf,
  useFixedDate,
} from './desk.js';

interface Request {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

interface Subject extends Request {
  readonly what: string;
  readonly otherTarget: Record<string, unknown>;
  readonly otherArguments?: Record<string, unknown>;
  readonly otherMethod: Request;
}

const args = (env: string) => ({ arguments: { env } });

const subjects: Subject[] = [
  {
    what: 'staging',
    method: 'tools/call',
    params: { name: 'deploy', ...args('staging') },
    otherTarget: { name: 'other', ...args('staging') },
    otherArguments: { name: 'deploy', ...args('production') },
    otherMethod: { method: 'prompts/get', params: { name: 'deploy', ...args('staging') } },
  },
  {
    what: 'staging',
    method: 'prompts/get',
    params: { name: 'deploy', ...args('staging') },
    otherTarget: { name: 'other', ...args('staging') },
    otherArguments: { name: 'deploy', ...args('production') },
    otherMethod: { method: 'tools/call', params: { name: 'deploy', ...args('staging') } },
  },
  {
    what: 'desk://deploy',
    method: 'resources/read',
    params: { uri: 'desk://deploy' },
    otherTarget: { uri: 'desk://other' },
    otherMethod: { method: 'tools/call', params: { name: 'deploy' } },
  },
  {
    what: 'desk://rooms/7',
    method: 'resources/read',
    params: { uri: 'desk://rooms/7' },
    otherTarget: { uri: 'desk://rooms/8' },
    otherMethod: { method: 'prompts/get', params: { name: 'deploy' } },
  },
];

interface Tampering {
  readonly kind: string;
  /** The reason in the log. */
  readonly reason: string;
  readonly token?: (token: string) => unknown;
  readonly request?: (subject: Subject) => Request | undefined;
  readonly secondsLater?: number;
  readonly by?: string;
}

const tamperings: Tampering[] = [
  { kind: 'a changed token', reason: 'seal', token: flipped },
  { kind: 'a truncated token', reason: 'malformed', token: (token) => token.slice(0, 20) },
  { kind: 'an empty string', reason: 'malformed', token: () => '' },
  { kind: 'plaintext', reason: 'malformed', token: () => 'awaiting-confirm' },
  { kind: 'a number', reason: 'non-string requestState', token: () => 123 },
  { kind: 'null', reason: 'non-string requestState', token: () => null },
  {
    kind: 'an object that cannot be converted to a string',
    reason: 'non-string requestState',
    token: (token) => ({ toString: token }),
  },
  {
    kind: 'the token of another target',
    reason: 'request binding',
    request: ({ method, otherTarget }) => ({ method, params: otherTarget }),
  },
  {
    kind: 'the token of other arguments',
    reason: 'request binding',
    request: ({ method, otherArguments }) => otherArguments && { method, params: otherArguments },
  },
  {
    kind: 'the token of another method',
    reason: 'request binding',
    request: ({ otherMethod }) => otherMethod,
  },
  { kind: 'an expired token', reason: 'expired', secondsLater: 601 },
  { kind: 'a token from the future', reason: 'minted in the future', secondsLater: -120 },
  { kind: 'the token of another principal', reason: 'principal', by: 'bob' },
];

const NOW = 1_767_225_600_000;

useFixedDate(NOW);

const transports = ['HTTP', 'stdio'] as const;

interface Case extends Tampering {
  readonly subject: Subject;
}

const cases: Case[] = subjects.flatMap((subject) =>
  tamperings
    .filter(({ request }) => request === undefined || request(subject) !== undefined)
    .map((tampering) => ({ ...tampering, subject })),
);

describe.each(layers)('I7, I10 on %s', (layer) => {
  describe.each(moments)('protected %s its handlers are set', (when) => {
    test.each(transports)(
      'refuses every tampering with every request over %s',
      async (transport) => {
        const overTransport = transport === 'HTTP' ? overHttp : overStdio;
        const authorized = (sub: string) => (transport === 'HTTP' ? { authInfo: caller(sub) } : {});
        const sent = cases.filter(({ by }) => by === undefined || transport === 'HTTP');
        const nameOf = ({ kind, subject }: Case) => `${kind}, ${subject.method} of ${subject.what}`;

        await checkAll(sent, nameOf, async ({ subject, reason, ...tampering }) => {
          vi.setSystemTime(NOW);
          const seen: Seen = [];
          const { seal, logged } = createSeal();
          const send = overTransport(desk({ layer, when, seal, seen }));
          const token = tokenOf(await send(subject.method, subject.params, authorized('alice')));
          expect(seen).toEqual([[subject.what, undefined]]);

          const {
            token: change,
            request = () => subject,
            secondsLater = 0,
            by = 'alice',
          } = tampering;
          const { method, params } = request(subject)!;
          const requestState = change === undefined ? token : change(token);
          vi.setSystemTime(NOW + secondsLater * 1000);
          const tampered = { ...params, inputResponses: ACCEPT, requestState };
          expectFrozen(await send(method, tampered, authorized(by)));
          expect(seen).toHaveLength(1);
          expect(logged).toEqual([`requestState rejected on ${method}: ${reason}`]);

          vi.setSystemTime(NOW);
          const completing = { ...subject.params, inputResponses: ACCEPT, requestState: token };
          const end = await send(subject.method, completing, authorized('alice'));
          expect(endOf(end)).toBe(`deployed to ${subject.what}`);
          expect(seen).toEqual([
            [subject.what, undefined],
            [subject.what, 'awaiting-confirm'],
          ]);
        });
      },
    );
  });
});
