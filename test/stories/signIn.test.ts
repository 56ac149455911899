/** Tests the page of the sign-in story: its forms, links, headers and cookies. */
import { accept, startCall, type OpenCall } from 'mcp-resolve/client';
import { afterEach, describe, expect, it } from 'vitest';

import { formPage, notYoursPage } from '../../examples/sign-in/pages.js';
import { alice, bob, type Patient } from '../../examples/sign-in/people.js';
import { openClinic } from '../../examples/sign-in/server.js';
import { Browser } from '../../examples/sign-in/visit.js';
import { connect, type Link } from '../../examples/support/connect.js';
import { textOf } from '../../examples/support/results.js';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Opens a clinic with a call that waits for Alice to sign in. */
async function clinicAsking(patienceMs = 30_000) {
  const clinic = await openClinic({ patienceMs });
  cleanups.push(clinic.close);
  const call = await askFor(clinic.url, alice);
  return { url: clinic.url, call, link: linkOf(call) };
}

async function askFor(url: URL, { token }: Patient): Promise<OpenCall<'tools/call'>> {
  const visitor = { token, onLink: () => ({ action: 'cancel' as const }) };
  const server = new URL('../../examples/sign-in/server.ts', import.meta.url);
  const { client, close } = await connect(
    { server, openHttp: openClinic, ...visitor },
    { via: url, legacy: false },
  );
  cleanups.push(close);
  const call = await startCall(client, { name: 'lab_results', arguments: { test: 'blood' } });
  if (call.done) throw new Error('expected a question');
  return call;
}

function linkOf({ questions }: OpenCall<'tools/call'>): string {
  return (questions.pageOpened!.params as Link).url;
}

async function endOf(call: OpenCall<'tools/call'>): Promise<string> {
  const next = await call.answer({ pageOpened: accept() });
  return next.done ? textOf(next.result) : 'asked again';
}

const HERS = 'blood: all values of alice are fine';

describe('a form of the page', () => {
  it('is accepted once', async () => {
    const { link } = await clinicAsking();
    const browser = new Browser();
    const page = await browser.open(link);
    expect((await browser.signIn(link, page, { ...alice, password: 'wrong' })).status).toBe(403);
    const again = await browser.signIn(link, page, alice);
    expect(again).toMatchObject({ status: 403, title: 'That form does not count' });
  });

  it('is refused from another browser, and without a cookie', async () => {
    const { link } = await clinicAsking();
    const page = await new Browser().open(link);
    const other = new Browser();
    await other.open(link);
    for (const browser of [other, new Browser()]) {
      const sent = await browser.signIn(link, page, alice);
      expect(sent).toMatchObject({ status: 403, title: 'That form does not count' });
    }
  });

  it('can be sent again with the right password', async () => {
    const { call, link } = await clinicAsking();
    const browser = new Browser();
    const refused = await browser.visit(link, { ...alice, password: bob.password });
    expect(refused).toMatchObject({ status: 403, title: 'Hand over your lab results?' });
    expect(await browser.signIn(link, refused, alice)).toMatchObject({ title: 'Thank you' });
    expect(await endOf(call)).toBe(HERS);
  });

  it('expires after five wrong passwords', async () => {
    const { link } = await clinicAsking();
    const titles: string[] = [];
    for (let tries = 1; tries <= 5; tries += 1) {
      const { title } = await new Browser().visit(link, { ...alice, password: `guess ${tries}` });
      titles.push(title);
    }
    expect(titles).toEqual([
      ...Array<string>(4).fill('Hand over your lab results?'),
      'This link has ended',
    ]);
    expect(await new Browser().open(link)).toMatchObject({ status: 404, nonce: undefined });
  });

  it('needs no password from a patient who is signed in', async () => {
    const { url, link } = await clinicAsking();
    const browser = new Browser();
    await browser.visit(link, alice);
    const call = await askFor(url, alice);
    const agreed = await browser.visit(linkOf(call), { ...alice, name: '', password: '' });
    expect(agreed).toMatchObject({ status: 200, title: 'Thank you' });
    expect(await endOf(call)).toBe(HERS);
  });
});

describe('a link to the page', () => {
  it('differs for every call, and stays the same in every round', async () => {
    const { url, call, link } = await clinicAsking(1);
    expect(linkOf(await askFor(url, alice))).not.toBe(link);
    expect(await endOf(call)).toContain('alice has not signed in');
    await new Browser().visit(link, alice);
    expect(await endOf(call)).toBe(HERS);
  });

  it.each(['', '?call=', '?call=unknown', '?call=%3Cscript%3E'])(
    'that the server did not create is not found (%j)',
    async (query) => {
      const { url } = await clinicAsking();
      const page = await new Browser().open(new URL(`/sign-in${query}`, url).href);
      expect(page).toEqual({ status: 404, title: 'This link has ended', nonce: undefined });
    },
  );
});

describe('the page', () => {
  it('has headers that forbid frames, scripts, other form targets and caching', async () => {
    const { link } = await clinicAsking();
    const { headers } = await fetch(link);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has a cookie of its own, and a new one after the sign-in', async () => {
    const { link } = await clinicAsking();
    const opened = await fetch(link);
    const cookie = opened.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^clinic=[\w-]{22}; Path=\/sign-in; HttpOnly; SameSite=Lax$/);
    const [, nonce = ''] = /name="nonce" value="([^"]+)"/.exec(await opened.text())!;
    const { name, password } = alice;
    const done = await fetch(new URL('/sign-in', link), {
      method: 'POST',
      headers: { cookie: cookie.split(';')[0]! },
      body: new URLSearchParams({ nonce, name, password }),
    });
    expect(await done.text()).toContain('Thank you');
    expect(done.headers.get('set-cookie')).toMatch(/^clinic=/);
    expect(done.headers.get('set-cookie')).not.toBe(cookie);
  });

  it('refuses large bodies', async () => {
    const { link } = await clinicAsking();
    const body = new URLSearchParams({ name: 'x'.repeat(5000) });
    expect((await fetch(new URL('/sign-in', link), { method: 'POST', body })).status).toBe(413);
  });

  it('escapes its values', async () => {
    const evil = '"><script>alert(1)</script>';
    const pages = await Promise.all([
      formPage({ patient: evil, user: evil, nonce: evil, problem: evil }),
      notYoursPage(evil, evil),
    ]);
    for (const text of pages) {
      const page = text.toString(); // hono returns an object
      expect(page).not.toContain('<script');
      expect(page).toContain('&quot;&gt;&lt;script&gt;');
    }
  });
});

describe('the MCP endpoint beside the page', () => {
  it.each(['', 'Bearer unknown'])(
    "refuses requests without a patient's token (%j)",
    async (token) => {
      const { url } = await clinicAsking();
      const headers = { authorization: token, 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: '{}' });
      expect(response.status).toBe(401);
    },
  );
});
