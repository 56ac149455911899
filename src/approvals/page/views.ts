/** The pages: what waits, one request, and a message. */
import { isSamePerson, personOf } from '../parkedCall.js';
import type { ApprovalRequest, Decided, Decision, RequestState } from '../parkedCall.js';
import { Html, html } from './html.js';
import { STYLE } from './pageStyle.js';

/** The person who is signed in. */
export interface Person {
  /** The id of the person, in the form of the `requester` of approvals. */
  readonly who: string;
  /** The groups of the person, such as `acme/treasury`. */
  readonly groups: readonly string[];
}

/** A note at the top of a page. */
export interface Note {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** The policy of the page allows only this very text. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** Creates a whole page. */
export function page(title: string, content: Html, nav?: Html): string {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header>${nav ?? html`<span>Approvals</span>`}</header>
        <main>${content}</main>
      </body>
    </html>`;
  return document.text;
}

/** Creates the page of the requests that wait for a person. */
export function listPage(at: string, person: Person, requests: readonly ApprovalRequest[]): string {
  const items = requests.map((request) => {
    const { id, message, tool, requester, requestedAt } = request;
    const own = isSamePerson(person.who, requester) ? html` · your own request` : undefined;
    return html`<li>
      <a href="${at}/${id}"><bdi>${marked(message)}</bdi></a>
      <p class="soft">
        ${tool} · asked by <bdi>${marked(requester)}</bdi> on ${time(requestedAt)} ·
        ${progress(request)}${own}
      </p>
    </li>`;
  });
  const content =
    items.length === 0
      ? html`<h1>Nothing waits for you</h1>
          <p class="card">
            New requests for your groups appear here. Reload the page to look again.
          </p>`
      : html`<h1>
            ${items.length === 1 ? '1 request waits' : `${items.length} requests wait`} for you
          </h1>
          <ul class="list">
            ${items}
          </ul>`;
  return page('Approvals', content, navigation(at, person));
}

/** The parts of the page of one request. */
export interface RequestView {
  readonly at: string;
  readonly person: Person;
  readonly request: ApprovalRequest;
  /** The token of the form. Without it, the page has no form. */
  readonly token: string | undefined;
  readonly note?: Note | undefined;
}

/** Creates the page of one request. */
export function requestPage({ at, person, request, token, note }: RequestView): string {
  const { message, tool, facts, by, requester, requestedAt, expiresAt, state } = request;
  const shown = facts.map(
    ([label, value]) =>
      html`<div>
        <dt><bdi>${marked(label)}</bdi></dt>
        <dd><bdi>${marked(value)}</bdi></dd>
      </div>`,
  );
  const content = html`${note && noteBox(note)}
    <p><span class="state ${state}">${STATES[state]}</span></p>
    <h1><bdi>${marked(message)}</bdi></h1>
    ${
      shown.length === 0
        ? undefined
        : html`<section class="card" aria-label="Facts">
            <dl class="facts">${shown}</dl>
            <p class="soft">
              The service wrote the labels. The values may come from an AI model: check them.
            </p>
          </section>`
    }
    <section class="card" aria-label="Request">
      <dl>
        <div>
          <dt>Tool</dt>
          <dd>${tool}</dd>
        </div>
        <div>
          <dt>Asked by</dt>
          <dd><bdi>${marked(requester)}</bdi> on ${time(requestedAt)}</dd>
        </div>
        <div>
          <dt>Decided by a member of</dt>
          <dd><bdi>${by.join(', ')}</bdi></dd>
        </div>
        <div>
          <dt>Decisions</dt>
          <dd>${progress(request)}${request.decisions.map(decisionLine)}</dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>${time(expiresAt)}</dd>
        </div>
      </dl>
    </section>
    ${token === undefined ? (note ? undefined : reasonOfNoForm(request, person)) : form({ at, request, person, token })}`;
  return page(message, content, navigation(at, person));
}

/** Creates a page that only says something. */
function messagePage(title: string, text: string, at?: string): string {
  const back = at === undefined ? undefined : html`<p><a href="${at}">What waits for you</a></p>`;
  return page(
    title,
    html`<h1>${title}</h1>
      <p class="card">${text}</p>
      ${back}`,
  );
}

/** Creates the page for a request of nobody. */
export function signInPage(): string {
  return messagePage('Sign in first', 'Nobody is signed in here.');
}

/** Creates the page for a request that does not exist, or not for this person. */
export function notFoundPage(at: string, isReading: boolean): string {
  const decided = isReading ? '' : 'Nothing was decided. ';
  const text = `${decided}There is no such request for you. It may have changed or expired since it was shown.`;
  return messagePage('Not found', text, at);
}

/** Creates the page for a method that the page does not know. */
export function notAllowedPage(at: string): string {
  return messagePage('Not allowed', 'This page is read or decided on.', at);
}

/** Creates the page for a failure of the store or of the sign-in. */
export function unavailablePage(at: string): string {
  const text = 'The approvals cannot be reached at the moment. Look at the request again later.';
  return messagePage('Try again later', text, at);
}

/** Returns true if a person may still decide on a request. One no counts until the body starts. */
export function canDecide({ state, requester, decisions }: ApprovalRequest, who: string): boolean {
  if (isSamePerson(who, requester)) return false;
  if (state === 'approved') return true;
  return state === 'pending' && !decisions.some((one) => isDenialOf(one, who));
}

function isDenialOf({ verdict, who }: Decision, person: string): boolean {
  return verdict === 'deny' && isSamePerson(who, person);
}

/** Returns the note about a decision. */
export function noteOf({ counted, state, why }: Decided, verdict: Decision['verdict']): Note {
  if (!counted)
    return { tone: 'bad', text: `Your decision does not count. ${REASONS[why ?? state]}` };
  if (verdict === 'deny') return { tone: 'good', text: 'You denied the request.' };
  return state === 'pending'
    ? { tone: 'good', text: 'You approved the request. It waits for more approvers.' }
    : {
        tone: 'good',
        text: 'You approved the request. The call runs when its user makes it again.',
      };
}

/** The maximum length of a comment, in characters. */
export const LONGEST_COMMENT = 2000;

/** The note about a comment that is too long. */
export const TOO_LONG: Note = {
  tone: 'bad',
  text: `Nothing was decided, because the comment has more than ${LONGEST_COMMENT} characters.`,
};

/** The note about a form that no longer fits its request. */
export const STALE: Note = {
  tone: 'bad',
  text: 'Nothing was decided, because this form is out of date or was not shown to you. Check the request, and decide again.',
};

const STATES: Readonly<Record<RequestState, string>> = {
  pending: 'Waiting',
  approved: 'Approved, not yet used',
  denied: 'Denied',
  used: 'Approved and used',
  over: 'Over',
};

const REASONS: Readonly<Record<NonNullable<Decided['why']> | RequestState, string>> = {
  unknown: 'The request is not known.',
  over: 'The request has expired, was withdrawn, or was replaced by a newer one.',
  used: 'The call has already run.',
  denied: 'Somebody has denied the request.',
  'own request': 'You made this request, so somebody else decides.',
  'not in the group': 'You are not in a group that decides.',
  'not the requester': 'Only the requester can do that.',
  'counted already':
    'You have approved another part of the same call, and each person counts once.',
  pending: 'The request still waits.',
  approved: 'The request is approved.',
};

function reasonOfNoForm({ state, requester }: ApprovalRequest, { who }: Person): Html {
  const isOwn = state !== 'over' && state !== 'used' && isSamePerson(who, requester);
  const why = isOwn ? 'own request' : state === 'pending' ? 'denied' : state;
  return html`<p class="note">${REASONS[why]}</p>`;
}

interface FormView {
  readonly at: string;
  readonly request: ApprovalRequest;
  readonly person: Person;
  readonly token: string;
}

function form({ at, request, person, token }: FormView): Html {
  const isApproved = request.decisions.some(({ who }) => isSamePerson(who, person.who));
  const approve = html`<button name="verdict" value="approve">Approve</button>`;
  return html`<form class="card" method="post" action="${at}/${request.id}">
    <input type="hidden" name="token" value="${token}" />
    ${isApproved ? html`<p>You have approved this request. You can still deny it until the call runs.</p>` : undefined}
    <label for="comment"
      >Comment <span class="soft">(optional, shown to the requester)</span></label
    >
    <textarea id="comment" name="comment" maxlength="${LONGEST_COMMENT}" dir="auto"></textarea>
    <div class="buttons">
      ${isApproved || request.state === 'approved' ? undefined : approve}
      <button class="deny" name="verdict" value="deny">Deny</button>
    </div>
  </form>`;
}

/**
 * Shows runs of spaces and of blank lines as signs. Otherwise they could push the end of a text,
 * such as the zeros of an amount, out of sight.
 */
function marked(text: string): string {
  return text
    .replace(/[^\S\n]{3,}/gu, (run) => '␣'.repeat(run.length))
    .replace(/\n(?:[^\S\n]*\n){2,}/gu, (run) => `${'↵'.repeat(run.split('\n').length - 1)}\n`);
}

function noteBox({ tone, text }: Note): Html {
  return html`<p class="note ${tone}" role="status">${text}</p>`;
}

function decisionLine({ who, verdict, at, comment }: Decision): Html {
  const said = comment === undefined ? undefined : html`: “<bdi>${marked(comment)}</bdi>”`;
  return html`<br /><bdi>${who}</bdi> ${verdict === 'approve' ? 'approved' : 'denied'} on
    ${time(at)}${said}`;
}

function navigation(at: string, { who }: Person): Html {
  return html`<a href="${at}">Approvals</a><span>Signed in as <bdi>${who}</bdi></span>`;
}

function progress({ decisions, quorum }: ApprovalRequest): Html {
  const people = decisions
    .filter(({ verdict }) => verdict === 'approve')
    .map(({ who }) => personOf(who));
  return html`${new Set(people).size} of ${quorum} approved`;
}

function time(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
