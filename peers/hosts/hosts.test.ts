/**
 * Tests the packed library in the apps of real hosts. Every app has the same tool, and the same
 * client calls it on both eras: it approves, declines, cannot be asked, sends forged and wrong
 * arguments, goes on in a second process, and takes over the call of another user.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { pack } from '../package/projects.js';
import { countsOf } from '../support/counts.js';
import { versionOf, writeReport } from '../support/report.js';
import { type Answer, begin, ERAS, finish, no, pay, post, VERSION, yes } from './callers.js';
import { type Ends, type Host, hosts } from './hosts.js';
import { makeProject, type Running, start } from './project.js';

const QUESTION = 'Pay 900 euros for INV-2?';
const PAID = { text: 'Paid 900 euros for INV-2.' };
const DECLINED = {
  failure:
    "Error executing tool pay_invoice: Resolver for parameter 'approved' could not resolve: elicitation was decline",
};
/** The ends of calls in hosts that use `install`. */
const ENDS: Ends = {
  refused: { error: [-32602, 'Invalid or expired requestState'] },
  noForms: {
    error: [
      -32021,
      "Client did not declare the form elicitation capability required by resolver 'approved'",
    ],
  },
  noSession: {
    error: [
      -32600,
      "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
    ],
  },
};

/** The app that runs, and the origins of its two processes. They share their keys. */
interface RunningApp {
  readonly app: string;
  readonly origins: readonly [string, string];
}

let current: RunningApp | undefined;
const started: Running[] = [];
let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-hosts-'));
  tarball = await pack(folder);
});

afterAll(async ({}, file) => {
  await stopAll();
  const counted = hosts.map((host) => ({ host, counts: countsOf(file, host.name) }));
  if (counted.every(({ counts }) => counts.failed === 0)) {
    const rows = counted.map(({ host, counts }) => ({ ...rowOf(host), ...counts }));
    writeReport('hosts', 'npm test -- hosts', rows);
  }
  await rm(folder, { recursive: true, force: true });
});

function rowOf(host: Host) {
  const { name, app, packages, shows, onlyLegacy = false } = host;
  const versions = packages.map((installed) =>
    versionOf(pathToFileURL(path.join(folder, app, 'node_modules', installed, '/'))),
  );
  return {
    peer: name,
    version: versions.join(', '),
    over: `${onlyLegacy ? '' : `${VERSION.modern} and `}${VERSION.legacy}, HTTP`,
    saw: `${shows}; ${whoIsAsked(host)}; ${whoCanFinish(host)}`,
  };
}

function whoCanFinish({ onlyLegacy = false, sharesSessions = false }: Host): string {
  if (sharesSessions) return 'another user who knows the session can answer';
  if (onlyLegacy) return 'another user cannot answer';
  return 'a second process can finish a call, another user cannot';
}

function whoIsAsked({ asksNoLegacyClient: why, onlyLegacy = false }: Host): string {
  if (onlyLegacy) return `every client speaks ${VERSION.legacy}, and is asked`;
  if (why === undefined) return 'clients of both protocols are asked';
  return `${VERSION.legacy} clients cannot be asked, because ${why}`;
}

/** Returns the URLs of a host in both processes of its app. Only one app runs at a time. */
async function urlsOf({ app, path }: Host): Promise<readonly [URL, URL]> {
  if (current?.app !== app) {
    await stopAll();
    current = await run(app);
  }
  const [first, second] = current.origins;
  return [new URL(path, first), new URL(path, second)];
}

/** Installs and builds an app, and starts it twice. */
async function run(app: string): Promise<RunningApp> {
  const project = await makeProject(app, folder, tarball);
  const [first, second] = [start(project), start(project)] as const;
  started.push(first, second);
  return { app, origins: [await first.origin, await second.origin] };
}

async function stopAll(): Promise<void> {
  for (const { stop } of started.splice(0)) await stop();
}

describe.each(hosts.map((host) => [host.name, host] as const))('%s', (_, host) => {
  const { onlyLegacy = false } = host;
  const isAsked = { modern: true, legacy: host.asksNoLegacyClient === undefined };
  const ends = { ...ENDS, ...host.ends };
  let url: URL;
  let secondProcess: URL;

  beforeAll(async () => {
    [url, secondProcess] = await urlsOf(host);
  });

  describe.each(ERAS)('%s', (era) => {
    const call = { version: VERSION[onlyLegacy ? 'legacy' : era], asked: [] };
    const asked = isAsked[era] ? [QUESTION] : [];

    it('pays at once if there is nothing to ask', async () => {
      const ended = await pay(url, { era, answer: yes }, { invoice: 'INV-1' });
      expect(ended).toEqual({ ...call, text: 'Paid 40 euros for INV-1.' });
    });

    it('pays what the user approved, or says that the client cannot be asked', async () => {
      const ended = await pay(url, { era, answer: yes }, { invoice: 'INV-2' });
      expect(ended).toEqual({ ...call, asked, ...(isAsked[era] ? PAID : ends.noSession) });
    });

    it('pays nothing if the user declines', async () => {
      const ended = await pay(url, { era, answer: no }, { invoice: 'INV-2' });
      expect(ended).toEqual({ ...call, asked, ...(isAsked[era] ? DECLINED : ends.noSession) });
    });

    it('tells a client without forms that it cannot be asked', async () => {
      const ended = await pay(url, { era }, { invoice: 'INV-2' });
      expect(ended).toEqual({ ...call, ...(isAsked[era] ? ends.noForms : ends.noSession) });
    });

    it('drops an amount and an approval that the client sends', async () => {
      const forged = { invoice: 'INV-2', euros: 1, approved: true };
      const ended = await pay(url, { era, answer: yes }, forged);
      expect(ended).toEqual({ ...call, asked, ...(isAsked[era] ? PAID : ends.noSession) });
    });

    it('refuses arguments that do not match the schema', async () => {
      const ended = await pay(url, { era, answer: yes }, { invoice: 'INV-3' });
      expect(ended).toMatchObject(call);
      expect(ended).not.toHaveProperty('text');
      expect(JSON.stringify(ended)).toContain('invoice');
    });
  });

  it('serves no unknown user', async () => {
    const message = { id: 1, method: 'tools/list' };
    expect(await post(url, { user: 'eve', message })).toBe(401);
  });

  if (!onlyLegacy) {
    it('goes on in a second process', async () => {
      const call = await begin(url, { invoice: 'INV-2' });
      expect(await finish(secondProcess, call, 'alice')).toEqual(PAID);
    });

    it('refuses to finish the call of another user', async () => {
      const call = await begin(url, { invoice: 'INV-2' });
      expect(await finish(url, call, 'bob')).toEqual(ends.refused);
      expect(await finish(url, call, 'alice')).toEqual(PAID);
    });
  }

  if (isAsked.legacy && host.sharesSessions !== true) {
    it('refuses to answer in the session of another user', async () => {
      const statuses: number[] = [];
      const interrupted: Answer = async ({ id, sessionId = '' }) => {
        const result = { action: 'accept', content: { confirm: true } };
        statuses.push(await post(url, { sessionId, user: 'bob', message: { id, result } }));
        return { action: 'decline' };
      };
      const ended = await pay(url, { era: 'legacy', answer: interrupted }, { invoice: 'INV-2' });
      expect(statuses).toEqual([404]);
      expect(ended).toMatchObject(DECLINED);
    });
  }
});
