/**
 * The clinic's page at /sign-in. A password or the cookie identifies the user, the link identifies
 * the call, and the sign-in knows which patient must complete it. The page has no script and no
 * redirect, and its headers forbid frames.
 */
import { readFileSync } from 'node:fs';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';

import { type Browser, Browsers, giveForm, takeForm } from './browsers.js';
import { donePage, formPage, gonePage, notYoursPage, stalePage } from './pages.js';
import { isPatient } from './people.js';
import type { SignIn, SignIns } from './signIns.js';

const css = readFileSync(new URL('page.css', import.meta.url), 'utf8');
const COOKIE = 'clinic';

const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
});

export function signInSite(signIns: SignIns): Hono {
  const browsers = new Browsers();
  const site = new Hono();
  site.use(headers);
  site.use(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    await next();
  });

  site.get('/page.css', (c) => c.body(css, 200, { 'Content-Type': 'text/css; charset=utf-8' }));

  site.get('/', (c) => {
    const callId = c.req.query('call') ?? '';
    const signIn = signIns.find(callId);
    if (!signIn?.isOpen) return c.html(gonePage, 404);
    const browser = browsers.find(getCookie(c, COOKIE)) ?? browsers.add();
    remember(c, browser);
    return showForm(c, { browser, signIn, callId });
  });

  site.post('/', bodyLimit({ maxSize: 4096 }), async (c) => {
    const form = new URLSearchParams(await c.req.text());
    const field = (name: string): string => form.get(name) ?? '';
    const browser = browsers.find(getCookie(c, COOKIE));
    const callId = browser && takeForm(browser, field('nonce'));
    const signIn = signIns.find(callId ?? '');
    if (!browser || !callId || !signIn?.isOpen) return c.html(stalePage, 403);

    if (browser.user === undefined && !isPatient(field('name'), field('password'))) {
      if (!signIn.survivesWrongPassword()) return c.html(gonePage, 403);
      return showForm(c, { browser, signIn, callId, problem: 'Name and password do not match.' });
    }
    const user = browser.user ?? field('name');
    if (browser.user === undefined) remember(c, browsers.signIn(browser, user));
    return signIn.finishAs(user)
      ? c.html(donePage)
      : c.html(notYoursPage(signIn.patient, user), 403);
  });
  return site;
}

interface Shown {
  browser: Browser;
  signIn: SignIn;
  callId: string;
  problem?: string;
}

function showForm(c: Context, { browser, signIn, callId, problem }: Shown) {
  const { patient } = signIn;
  const { user } = browser;
  if (user !== undefined && user !== patient) return c.html(notYoursPage(patient, user), 403);
  const nonce = giveForm(browser, callId);
  const page = formPage({ patient, user, nonce, ...(problem !== undefined && { problem }) });
  return c.html(page, problem === undefined ? 200 : 403);
}

/** Sets the cookie. With `Lax`, links from other sites send it and forms from other sites do not. */
function remember(c: Context, { id }: Browser): void {
  const secure = new URL(c.req.url).protocol === 'https:';
  setCookie(c, COOKIE, id, { httpOnly: true, sameSite: 'Lax', path: '/sign-in', secure });
}
