/** The pages of the clinic. `html` escapes every value, and the pages have no script. */
import { html } from 'hono/html';

type Html = ReturnType<typeof html>;

/** The values of the page with the form. */
export interface FormPage {
  /** The patient who is asked. */
  patient: string;
  /** The user who is signed in in this browser: the patient, or `undefined`. */
  user: string | undefined;
  nonce: string;
  problem?: string;
}

export function formPage({ patient, user, nonce, problem }: FormPage): Html {
  return layout(
    'Hand over your lab results?',
    html`<p>An assistant that works for <b>${patient}</b> asks the clinic for lab results.</p>
      ${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
      <form method="post" action="/sign-in">
        <input type="hidden" name="nonce" value="${nonce}" />
        ${user === undefined ? fields : html`<p>You are signed in as <b>${user}</b>.</p>`}
        <button>${user === undefined ? 'Sign in and hand over' : 'Hand over'}</button>
      </form>
      <p class="hint">
        Only ${patient} can agree to this. If you are not ${patient}, or did not ask for it, close
        this page. The clinic hands over nothing.
      </p>`,
  );
}

const fields = html`<label
    >Name <input name="name" autocomplete="username" required autofocus
  /></label>
  <label>
    Password
    <input name="password" type="password" autocomplete="current-password" required />
  </label>`;

export function notYoursPage(patient: string, user: string): Html {
  return layout(
    'This link is not for you',
    html`<p>
        You are signed in as <b>${user}</b>, but an assistant of <b>${patient}</b> made this link.
      </p>
      <p class="hint">
        The clinic handed over nothing. If you received this link in a message, its sender may want
        your results. Close this page and inform the clinic.
      </p>`,
  );
}

export const donePage = layout(
  'Thank you',
  html`<p>Your results are on their way to your assistant.</p>
    <p class="hint">You can close this page.</p>`,
);

export const gonePage = layout(
  'This link has ended',
  html`<p>It was used, or it has expired. Ask your assistant for a new one.</p>`,
);

export const stalePage = layout(
  'That form does not count',
  html`<p>It was sent before, or from another page. Open the link again.</p>`,
);

function layout(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Harbour Clinic</title>
        <link rel="stylesheet" href="/sign-in/page.css" />
      </head>
      <body>
        <main>
          <p class="clinic">Harbour Clinic</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;
}
