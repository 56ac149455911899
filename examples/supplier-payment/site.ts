/**
 * The site of the treasury: a sign-in of the demo at /sign-in, and the page of the desk at
 * /approvals. The sign-ins are in the memory of this process.
 */
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { secureHeaders } from 'hono/secure-headers';
import { type ApprovalDesk, approvalPage } from 'mcp-resolve/approvals';

import { type Person, personWith } from './people.js';

const COOKIE = 'treasury';
const HOUR_S = 3600;

/** Creates the site. */
export function treasurySite(desk: ApprovalDesk): Hono {
  const signedIn = new Map<string, Person>();
  const page = approvalPage(desk, {
    at: '/approvals',
    signedIn: (request) => {
      const cookies = request.headers.get('cookie') ?? '';
      const [, session = ''] = /(?:^|; )treasury=([\w-]+)/.exec(cookies) ?? [];
      const location = `/sign-in?to=${encodeURIComponent(new URL(request.url).pathname)}`;
      return signedIn.get(session) ?? new Response(null, { status: 303, headers: { location } });
    },
  });

  const site = new Hono();
  for (const path of ['/approvals', '/approvals/*']) site.all(path, (c) => page(c.req.raw));

  const policy = { defaultSrc: ["'none'"], formAction: ["'self'"], frameAncestors: ["'none'"] };
  site.use('/sign-in', secureHeaders({ contentSecurityPolicy: policy }), csrf());
  site.get('/sign-in', (c) => c.html(signInForm(placeIn(c))));
  site.post('/sign-in', bodyLimit({ maxSize: 4096 }), async (c) => {
    const form = new URLSearchParams(await c.req.text());
    const person = personWith(form.get('name') ?? '', form.get('password') ?? '');
    if (person === undefined) return c.html(signInForm(placeIn(c), 'That is wrong.'), 403);
    const session = randomUUID();
    signedIn.set(session, person);
    setCookie(c, COOKIE, session, { httpOnly: true, sameSite: 'Lax', maxAge: HOUR_S });
    return c.redirect(placeIn(c), 303);
  });
  return site;
}

/** Returns the page that the visitor wants to see. It is never a page of another site. */
function placeIn(c: Context): string {
  const to = c.req.query('to') ?? '';
  return /^\/approvals(?:\/[\w-]+)?$/.test(to) ? to : '/approvals';
}

function signInForm(to: string, problem = '') {
  return html`<!doctype html>
    <html lang="en">
      <meta name="viewport" content="width=device-width" />
      <title>Sign in</title>
      <h1>The treasury (a demo)</h1>
      <p>bob has the password bob-demo, and carol has carol-demo.</p>
      <p role="alert">${problem}</p>
      <form method="post" action="/sign-in?to=${encodeURIComponent(to)}">
        <p>
          <label>Name <input name="name" autocomplete="username" required /></label>
        </p>
        <p>
          <label>
            Password
            <input name="password" type="password" autocomplete="current-password" required />
          </label>
        </p>
        <button>Sign in</button>
      </form>
    </html>`;
}
