/**
 * Tests the packed package on several runtimes: the stories as programs, the documented token
 * format, and calls that start on one runtime and end on another.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Ended, run } from '../../test/stories/program.js';
import { countsOf } from '../support/counts.js';
import { writeReport } from '../support/report.js';
import {
  begin,
  finish,
  goOn,
  REFUSED,
  refusalWithoutSession,
  restock,
  scope,
  type Waiting,
  yes,
} from './calls.js';
import { compiled, makeProject } from './consumer.js';
import { type Claims, openByHand, principalByHand, sealByHand } from './documentedFormat.js';
import { type Running, type Runtime, runtimes, versionOf } from './runtimes.js';

/** The stories that run over both transports. The sign-in has a web page, so it runs over HTTP only. */
const STORIES = [
  'bookshop',
  'delete-folder',
  'legacy-elicitation',
  'mrtr',
  'refund-desk',
  'sampling',
  'travel-desk',
  'wire-transfer',
];
/** The stories that every runtime also serves to a client on Node.js. */
const SERVED = [
  { story: 'refund-desk', service: 'refundDesk' },
  { story: 'travel-desk', service: 'travelDesk' },
] as const;

const running = new Map<string, Running>();

beforeAll(async () => {
  runtimes.forEach(versionOf);
  await makeProject();
  for (const runtime of runtimes) running.set(runtime.name, await runtime.start());
});

afterAll(async ({}, file) => {
  for (const { stop } of running.values()) await stop();
  const rows = runtimes.map((runtime) => ({
    peer: runtime.name,
    version: versionOf(runtime),
    ...summaryOf(runtime),
    ...countsOf(file, runtime.name),
  }));
  if (rows.every(({ failed }) => failed === 0)) {
    writeReport('runtimes', 'npm test -- runtimes', rows);
  }
});

function summaryOf({ command, eras }: Runtime): { over: string; saw: string } {
  const versions = eras.includes('legacy') ? '2026-07-28 and 2025-11-25' : '2026-07-28';
  const stories = command ? `${STORIES.length + 1} stories` : 'two stories';
  const tokens = 'the documented token format, calls that began on every other runtime';
  const refused = '; a 2025-11-25 client receives the error that there is no session';
  return {
    over: `${versions}, ${command ? 'HTTP and stdio' : 'HTTP'}`,
    saw: `${stories}, ${tokens}${eras.includes('legacy') ? '' : refused}`,
  };
}

describe.each(runtimes.map((runtime) => [runtime.name, runtime] as const))(
  '%s',
  (name, { command, eras }) => {
    const here = (): Running => running.get(name)!;

    if (command) {
      const [binary, ...flags] = command;
      const tell = (story: string, ...more: string[]): Promise<Ended> =>
        run(binary, [...flags, clientOf(story), ...more], compiled('.'));

      it('loads the packed package, and not its sources', () => {
        const entry = compiled('node_modules/mcp-resolve/dist/index.mjs');
        expect(here().loaded).toBe(`file://${entry}`);
      });

      it.concurrent.for([
        ...STORIES.flatMap((story) => eras.map((era) => ({ story, era, over: 'stdio' }))),
        ...[...STORIES, 'sign-in'].flatMap((story) =>
          eras.map((era) => ({ story, era, over: 'http' })),
        ),
      ])('runs the story $story over $over, $era', async ({ story, over, era }) => {
        const flag = over === 'http' ? ['--http'] : [];
        expectToHold(await tell(story, ...flagsFor(era), ...flag));
      });
    }

    it.for(SERVED.flatMap((cell) => eras.map((era) => ({ ...cell, era }))))(
      'serves the story $story to a client on another runtime, $era',
      async ({ story, service, era }) => {
        const args = [clientOf(story), '--url', here().urls[service], ...flagsFor(era)];
        expectToHold(await run(process.execPath, args, compiled('.')));
      },
    );

    if (!eras.includes('legacy')) {
      it('has neither `process` nor `Buffer`', async () => {
        const has = await fetch(here().root!);
        expect(await has.json()).toEqual(['undefined', 'undefined']);
      });

      it('refuses to ask a legacy client, because there is no session', async () => {
        expect(await refusalWithoutSession(here().urls.deployment)).toEqual(-32600);
      });
    }

    it('serves twenty concurrent calls', async () => {
      const calls = await Promise.all(Array.from({ length: 20 }, () => beginDeployment(here())));
      const ends = calls.map((call) => finish(here().urls.deployment, call, yes));
      expect(await Promise.all(ends)).toEqual(calls.map(() => 'deployed to prod'));
    });

    it.for([
      [{}, 'RBNvo1WzZ4oRRq0W9-hkng'],
      [{ env: 'prod' }, '_fZbwPys4tn6ogEHRin4tQ'],
      [{ env: 'é' }, 'rPEL2yQH4VbE3cfmKoFlnA'],
    ] as const)('binds a call with %j as documented', async ([args, digest]) => {
      const call = await beginDeployment(here(), args);
      expect(openByHand(call.requestState!)).toMatchObject({
        v: 1,
        m: 'tools/call',
        t: 'deploy',
        a: digest,
        aud: 'runtimes',
      });
    });

    it('binds a call to its user as documented', async () => {
      const { p = '' } = openByHand((await beginDeployment(here(), {}, 'alice')).requestState!);
      expect(p).toBe(principalByHand('alice', Buffer.from(p, 'base64url').subarray(0, 8)));
    });

    it('accepts a token that was sealed by hand', async () => {
      const call = await beginDeployment(here());
      const { urls } = here();
      const byHand = resealed(call, {});
      expect(await finish(urls.deployment, byHand, yes)).toBe('deployed to prod');

      const ofAlice = resealed(call, { p: 'AAAAAAAAAACt4TExT2c1Y6i6rpA-02TF' });
      expect(await finish(urls.deployment, ofAlice, yes, 'alice')).toBe('deployed to prod');
      expect(await finish(urls.deployment, ofAlice, yes, 'bob')).toEqual(REFUSED);
    });

    it.for([
      ['is for another tool', { t: 'destroy' }],
      ['is for other arguments', { a: 'RBNvo1WzZ4oRRq0W9-hkng' }],
      ['is for another audience', { aud: 'elsewhere' }],
      ['has expired', { iat: 1_767_225_600, exp: 1_767_226_200 }],
    ] as const)('refuses a token that %s', async ([, change]) => {
      const call = resealed(await beginDeployment(here()), change);
      expect(await finish(here().urls.deployment, call, yes)).toEqual(REFUSED);
    });

    it.for([
      ['key id', 0],
      ['nonce', 4],
      ['ciphertext', 16],
      ['tag', -1],
    ] as const)('refuses a token with another bit in its %s', async ([, at]) => {
      const call = await beginDeployment(here());
      const bytes = Buffer.from(call.requestState!.slice(3), 'base64url');
      bytes.set([bytes.at(at)! ^ 1], (at + bytes.length) % bytes.length);
      const forged = { ...call, requestState: `v1.${bytes.toString('base64url')}` };
      expect(await finish(here().urls.deployment, forged, yes)).toEqual(REFUSED);
    });

    it.for(runtimes)('finishes a call that started on $name', async (first) => {
      const there = running.get(first.name)!.urls;
      const { refundDesk, otherRefundDesk } = here().urls;
      const order = { order_id: 'ORD-7002', reason: 'arrived broken' };
      const begun = await begin(there.refundDesk, { name: 'refund_order', arguments: order });
      expect(await finish(otherRefundDesk, begun, scope)).toEqual(REFUSED);

      const half = await goOn(refundDesk, begun, scope);
      const receipt = { ...order, refunded_cents: 4800, restocked: true };
      expect(await finish(refundDesk, half, restock)).toEqual(receipt);
      expect(await finish(there.refundDesk, half, restock)).toEqual(receipt);
    });
  },
);

describe('the documented format', () => {
  it('seals by hand to the documented token', () => {
    expect(sealByHand('hello')).toBe('v1.oBT0CwABAgMEBQYHCAkKCzBsQZTvX9f63IvLQIFZsd3KtHavCQ');
  });
});

function clientOf(story: string): string {
  return compiled(`examples/${story}/client.ts`);
}

function flagsFor(era: string): string[] {
  return era === 'legacy' ? ['--legacy'] : [];
}

function expectToHold({ code, stdout, stderr }: Ended): void {
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/\n\d+ facts hold\n$/);
}

function beginDeployment(
  { urls }: Running,
  args: Record<string, unknown> = { env: 'prod' },
  user?: string,
): Promise<Waiting> {
  return begin(urls.deployment, { name: 'deploy', arguments: args }, user);
}

/** Returns the same call with other claims in its token. */
function resealed(call: Waiting, change: Partial<Claims>): Waiting {
  const claims = { ...openByHand(call.requestState!), ...change };
  return { ...call, requestState: sealByHand(JSON.stringify(claims)) };
}
