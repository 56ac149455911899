/** The page of a desk, as a function of requests. The tests in a browser are beside it. */
import { describe, expect, it, test } from 'vitest';

import { approvalPage } from '../../src/approvals/page/approvalPage.js';
import type { ApprovalPageOptions } from '../../src/approvals/page/approvalPage.js';
import { DAY, no, requested, testDesk, yes } from './callers.js';

const HOME = 'https://pay.test/approvals';
const TREASURY = ['acme/treasury'];

const people: Readonly<Record<string, readonly string[]>> = {
  ann: TREASURY,
  bob: TREASURY,
  carol: TREASURY,
  mallory: ['acme/sales'],
};

/** A browser in which a person is signed in. */
function browserOf(page: (request: Request) => Promise<Response>, who: string) {
  const get = async (path = '') => textOf(await page(as(who, `${HOME}${path}`)));
  const post = async (
    id: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ) => {
    const init = { method: 'POST', body: new URLSearchParams(fields), headers };
    return textOf(await page(as(who, `${HOME}/${id}`, init)));
  };
  const formOf = async (id: string): Promise<string> => {
    const { text } = await get(`/${id}`);
    return /name="token" value="([\w-]+)"/.exec(text)?.[1] ?? '';
  };
  const decide = async (id: string, verdict: string, comment = '') =>
    post(id, { verdict, comment, token: await formOf(id) });
  return { get, post, formOf, decide };
}

function as(who: string, url: string, init: RequestInit = {}): Request {
  const request = new Request(url, init);
  request.headers.set('cookie', `who=${who}`);
  return request;
}

async function textOf(response: Response) {
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

const signedIn: ApprovalPageOptions['signedIn'] = ({ headers }) => {
  const who = /who=(\w+)/.exec(headers.get('cookie') ?? '')?.[1];
  return who === undefined ? undefined : { who, groups: people[who] ?? [] };
};

function open() {
  const { desk, ...rest } = testDesk();
  const page = approvalPage(desk, { at: '/approvals', signedIn });
  return { desk, page, as: (who: string) => browserOf(page, who), ...rest };
}

describe('the list', () => {
  it('shows what waits for the groups of the person, oldest first', async () => {
    const { desk, clock, as } = open();
    await requested(desk, { message: 'Pay Acme', key: 'one' });
    clock.now += 1000;
    await requested(desk, { message: 'Pay Globex', key: 'two' });
    const { status, text } = await as('bob').get();
    expect(status).toBe(200);
    expect(text).toContain('2 requests wait');
    expect(text.indexOf('Pay Acme')).toBeLessThan(text.indexOf('Pay Globex'));
    expect((await as('mallory').get('/')).text).toContain('Nothing waits for you');
  });

  it('no longer shows what was decided', async () => {
    const { desk, as } = open();
    const id = await requested(desk);
    await as('bob').decide(id, 'approve');
    expect((await as('carol').get()).text).toContain('Nothing waits for you');
  });
});

describe('V51: decisions', () => {
  it('are made by POST, with the comment', async () => {
    const { desk, as } = open();
    const id = await requested(desk);
    const { status, text } = await as('bob').decide(id, 'approve', 'fits\r\nthe order');
    expect(status).toBe(200);
    expect(text).toContain('You approved the request.');
    expect(await desk.read(id)).toMatchObject({
      state: 'approved',
      decisions: [{ who: 'bob', verdict: 'approve', comment: 'fits\nthe order' }],
    });
  });

  it('are not made by GET, HEAD or other methods', async () => {
    const { desk, page, as: browser } = open();
    const id = await requested(desk);
    const token = await browser('bob').formOf(id);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const url = `${HOME}/${id}?verdict=approve&token=${token}`;
      const { status } = await page(as('bob', url, { method }));
      expect(status).toBe(method === 'GET' || method === 'HEAD' ? 200 : 405);
    }
    expect((await desk.read(id))?.decisions).toEqual([]);
  });

  it.each([
    ['no token', () => ''],
    ['a made-up token', () => 'a'.repeat(43)],
    ['the token of another person', ({ other }: Tokens) => other],
    ['the token of another request', ({ another }: Tokens) => another],
  ])('are refused with %s', async (_, pick) => {
    const { desk, as } = open();
    const id = await requested(desk, { key: 'one' });
    const second = await requested(desk, { key: 'two' });
    const other = await as('carol').formOf(id);
    const another = await as('bob').formOf(second);
    const { status, text } = await as('bob').post(id, {
      verdict: 'approve',
      token: pick({ other, another }),
    });
    expect(status).toBe(403);
    expect(text).toContain('Nothing was decided');
    expect((await desk.read(id))?.decisions).toEqual([]);
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of the site', { 'sec-fetch-site': 'same-site' }],
    ['an old browser on another origin', { origin: 'https://evil.test' }],
    ['a hidden origin', { origin: 'null' }],
    ['no origin', {}],
    ['a Latin-1 origin', { origin: 'https://b\u00fccher.example' }],
  ])('are refused from %s', async (_, headers) => {
    const { desk, as } = open();
    const id = await requested(desk);
    const token = await as('bob').formOf(id);
    const { status } = await as('bob').post(id, { verdict: 'approve', token }, headers);
    expect(status).toBe(403);
    expect((await desk.read(id))?.decisions).toEqual([]);
  });

  it('are accepted from an old browser on the same origin', async () => {
    const { desk, as } = open();
    const id = await requested(desk);
    const token = await as('bob').formOf(id);
    const fields = { verdict: 'approve', token };
    expect((await as('bob').post(id, fields, { origin: 'https://pay.test' })).status).toBe(200);
  });

  it.each([
    ['JSON', { 'content-type': 'application/json' }, (token: string) => `{"token":"${token}"}`],
    ['a form of files', {}, (token: string) => formData(token)],
    [
      'a huge form',
      FORM,
      (token: string) => `token=${token}&verdict=approve&x=${'x'.repeat(70_000)}`,
    ],
    ['an unknown verdict', FORM, (token: string) => `token=${token}&verdict=maybe`],
    ['an empty body', FORM, () => ''],
  ])('are refused as %s', async (_, headers, bodyOf) => {
    const { desk, page, as: browser } = open();
    const id = await requested(desk);
    const body = bodyOf(await browser('bob').formOf(id));
    const sent = { ...headers, 'sec-fetch-site': 'same-origin' };
    const { status } = await page(
      as('bob', `${HOME}/${id}`, { method: 'POST', body, headers: sent }),
    );
    expect(status).toBe(403);
    expect((await desk.read(id))?.decisions).toEqual([]);
  });

  it('keep a comment that is too long out, and decide nothing', async () => {
    const { desk, as } = open();
    const id = await requested(desk);
    const { status, text } = await as('bob').decide(id, 'deny', 'x'.repeat(2001));
    expect(status).toBe(400);
    expect(text).toContain('more than 2000 characters');
    expect((await desk.read(id))?.decisions).toEqual([]);
  });

  it('are accepted with the form of another process that has the same store', async () => {
    const { desk, as, store, clock } = open();
    const other = testDesk({ store, now: () => clock.now });
    const id = await requested(desk);
    const token = await as('bob').formOf(id);
    const second = approvalPage(other.desk, { at: '/approvals', signedIn });
    const { status } = await browserOf(second, 'bob').post(id, { verdict: 'approve', token });
    expect(status).toBe(200);
  });
});

interface Tokens {
  readonly other: string;
  readonly another: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function formData(token: string): FormData {
  const form = new FormData();
  form.set('token', token);
  form.set('verdict', 'approve');
  return form;
}

test('V52: a person outside the group gets the answer for an unknown id', async () => {
  const { desk, as } = open();
  const id = await requested(desk, { message: 'Secret merger' });
  const unknown = `AP-${'A'.repeat(22)}`;
  const token = await as('bob').formOf(id);
  const shown = await as('mallory').get(`/${id}`);
  expect(shown).toEqual(await as('mallory').get(`/${unknown}`));
  expect(shown.status).toBe(404);
  const sent = { verdict: 'approve', token };
  expect(await as('mallory').post(id, sent)).toEqual(await as('mallory').post(unknown, sent));
  expect((await desk.read(id))?.decisions).toEqual([]);
});

test.each(['/', '/..%2f', '/AP-', '/%00', `/AP-${'A'.repeat(5000)}`, '/__proto__', 'x'])(
  'the path %j shows no request',
  async (path) => {
    const { desk, page } = open();
    await requested(desk, { message: 'Secret merger' });
    const response = await page(as('mallory', `${HOME}${path}`));
    expect(await response.text()).not.toContain('Secret merger');
  },
);

describe('V53: what the page shows', () => {
  const HOSTILE =
    "<script>alert(1)</script>\" onmouseover='x' &amp; \u202Eevil\u2066 zero\u200Bwidth";

  it('are all facts, whole, with markup and invisible characters as text', async () => {
    const { desk, as } = open();
    const long = 'x'.repeat(1999);
    const facts = { amount: HOSTILE, note: `a\n  b`, [HOSTILE]: long };
    const id = await requested(desk, { message: HOSTILE, facts });
    const { text } = await as('bob').get(`/${id}`);
    const escaped = `&lt;script&gt;alert(1)&lt;/script&gt;&quot; onmouseover=&#39;x&#39; &amp;amp; \\u{202E}evil\\u{2066} zero\\u{200B}width`;
    expect(text.split(escaped)).toHaveLength(5); // title, heading, value and label
    expect(text).toContain(long);
    expect(text).toContain('<bdi>a\n  b</bdi>');
    expect(text).not.toContain('<script');
    expect(text).not.toMatch(/[\u202E\u2066\u200B]/);
  });

  it.each([
    ['49.00 EUR' + ' '.repeat(60) + '000', `49.00 EUR${'␣'.repeat(60)}000`],
    ['49.00 EUR' + '\u00A0\u3000\t'.repeat(2) + '000', `49.00 EUR${'␣'.repeat(6)}000`],
    ['to Acme' + '\n'.repeat(60) + 'and to Eve', `to Acme${'↵'.repeat(60)}\nand to Eve`],
    ['to Acme' + '\n '.repeat(3) + 'and to Eve', 'to Acme↵↵↵\n and to Eve'],
    ['a paragraph\n\nand  another', 'a paragraph\n\nand  another'],
  ])('mark what could push %j out of sight', async (value, shown) => {
    const { desk, as } = open();
    const id = await requested(desk, { message: value, facts: { value } });
    const { text } = await as('bob').get(`/${id}`);
    expect(text.split(`<bdi>${shown}</bdi>`)).toHaveLength(3);
    expect((await as('bob').get()).text).toContain(`<bdi>${shown}</bdi>`);
  });

  it('are comments, persons, groups and tools as text, too', async () => {
    const { desk, as } = open();
    const id = await requested(desk, { quorum: 2 });
    await as('carol').decide(id, 'approve', '</dd><b>bold</b>');
    const { text } = await as('bob').get(`/${id}`);
    expect(text).toContain('&lt;/dd&gt;&lt;b&gt;bold');
    expect(text).not.toContain('<b>');
  });

  it('loads nothing and runs nothing', async () => {
    const { desk, as } = open();
    const id = await requested(desk);
    for (const { text, headers } of [await as('bob').get(), await as('bob').get(`/${id}`)]) {
      expect(text).not.toMatch(/<script|<link|<img|src=|url\(|@import|https?:/);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('V54: a decision on a request that is no longer what was shown', () => {
  it('does not count if the text changed, and the page says so', async () => {
    const { desk, as } = open();
    const id = await requested(desk, { facts: { amount: '49 EUR' } });
    const token = await as('bob').formOf(id);
    const next = await requested(desk, { facts: { amount: '4900 EUR' } });
    const { status, text } = await as('bob').post(id, { verdict: 'approve', token });
    expect(status).toBe(404);
    expect(text).toContain('Nothing was decided');
    expect((await desk.read(next))?.decisions).toEqual([]);
  });

  it.each([
    [
      'was denied',
      async ({ desk }: Opened, id: string) => desk.decide(id, no('carol')),
      'Somebody has denied',
    ],
    [
      'was withdrawn',
      async ({ desk }: Opened, id: string) => desk.withdraw(id, { who: 'ann' }),
      'withdrawn',
    ],
    ['has expired', async ({ clock }: Opened) => void (clock.now += 2 * DAY), 'has expired'],
  ])('does not count if it %s, and the page says so', async (_, change, reason) => {
    const opened = open();
    const id = await requested(opened.desk);
    const token = await opened.as('bob').formOf(id);
    await change(opened, id);
    const { status, text } = await opened.as('bob').post(id, { verdict: 'approve', token });
    expect(status).not.toBe(200);
    expect(text).toMatch(/does not count|Nothing was decided/);
    expect(text).toContain(reason);
    expect((await opened.desk.read(id))?.decisions.filter(({ who }) => who === 'bob')).toEqual([]);
  });

  it('counts if only another approver has approved', async () => {
    const { desk, as } = open();
    const id = await requested(desk, { quorum: 2 });
    const token = await as('bob').formOf(id);
    await desk.decide(id, yes('carol'));
    expect((await as('bob').post(id, { verdict: 'approve', token })).status).toBe(200);
    expect((await desk.read(id))?.state).toBe('approved');
  });
});

type Opened = ReturnType<typeof open>;

test('V55: two approvers who decide at the same time both see the true state', async () => {
  const { desk, as } = open();
  const id = await requested(desk, { quorum: 2 });
  const [bob, carol] = await Promise.all([as('bob').formOf(id), as('carol').formOf(id)]);
  const [one, two] = await Promise.all([
    as('bob').post(id, { verdict: 'approve', token: bob }),
    as('carol').post(id, { verdict: 'deny', token: carol }),
  ]);
  const { state } = (await desk.read(id))!;
  expect(state).toBe('denied');
  expect(two.text).toContain('Denied');
  expect(one.status === 200 || one.text.includes('Somebody has denied')).toBe(true);
});

test('the requester sees the request and no form', async () => {
  const { desk, as } = open();
  const id = await requested(desk);
  const { text } = await as('ann').get(`/${id}`);
  expect(text).toContain('You made this request');
  expect(text).not.toContain('<form');
});

test('one who has approved can still deny, until the call runs', async () => {
  const { desk, as } = open();
  const id = await requested(desk, { quorum: 2 });
  const { text } = await as('bob').decide(id, 'approve');
  expect(text).toContain('You can still deny it');
  expect(text).not.toContain('value="approve"');
  expect((await as('bob').decide(id, 'deny', 'wrong account')).text).toContain('You denied');
  expect((await as('bob').get(`/${id}`)).text).not.toContain('<form');
});

describe('somebody who is not signed in', () => {
  it('is asked to sign in', async () => {
    const { page } = open();
    const { status, text } = await textOf(await page(new Request(HOME)));
    expect(status).toBe(401);
    expect(text).toContain('Sign in first');
  });

  it('gets the response of the author, such as a redirect', async () => {
    const { desk } = testDesk();
    const redirect = () => new Response(null, { status: 302, headers: { location: '/login' } });
    const page = approvalPage(desk, { at: '/approvals', signedIn: redirect });
    expect((await page(new Request(HOME))).headers.get('location')).toBe('/login');
  });
});

test.each([
  ['a store that fails', { get: () => Promise.reject(new Error('down: secret')) }],
  [
    'a store that throws',
    {
      get: () => {
        throw new Error('down: secret');
      },
    },
  ],
])('%s is answered with 503, without its message', async (_, broken) => {
  const { desk, store } = testDesk();
  const id = await requested(desk);
  const failing = testDesk({ store: { ...store, ...broken } });
  const page = approvalPage(failing.desk, { at: '/approvals', signedIn });
  const { status, text } = await textOf(await page(as('bob', `${HOME}/${id}`)));
  expect(status).toBe(503);
  expect(text).not.toContain('secret');
});

test.each<[string, unknown, string]>([
  ['no options', undefined, '`options` must be an object'],
  ['no sign-in', { at: '/approvals' }, '`signedIn` must be a function'],
  ['no path', { signedIn }, '`at` must be a path'],
  ['a path with a slash at its end', { at: '/approvals/', signedIn }, '`at` must be a path'],
  ['an unknown option', { at: '/a', signedIn, title: 'x' }, "has no option 'title'"],
])('%s is an error when the page is made', (_, options, message) => {
  const { desk } = testDesk();
  expect(() => approvalPage(desk, options as never)).toThrow(message);
});

test('something else than a desk is an error', () => {
  expect(() => approvalPage({} as never, { at: '/a', signedIn })).toThrow('`desk` must be a desk');
});

test.each([{ who: '' }, { who: 'bob' }, { who: 'bob', groups: 'acme' }, 'bob', null])(
  'a sign-in that returns %j lets nobody decide',
  async (person) => {
    const { desk } = testDesk();
    const id = await requested(desk);
    const page = approvalPage(desk, { at: '/approvals', signedIn: () => person as never });
    const { status, text } = await textOf(await page(new Request(`${HOME}/${id}`)));
    expect([401, 503]).toContain(status);
    expect(text).not.toContain('Pay');
  },
);
