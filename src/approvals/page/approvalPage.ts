/**
 * The page on which people decide, as a function from a request to a response. It has no script and
 * loads nothing. Only a POST decides, because the previews of links in chats send GET requests.
 *
 * ```
 * GET  {at}         what waits for this person
 * GET  {at}/AP-…    one request, with a form
 * POST {at}/AP-…    a decision: same origin, and a token of this person and these terms
 * ```
 */
import { isKind } from '../../author/brand.js';
import { base64, lazily, parseUrl, sha256, utf8 } from '../../platform.js';
import { logThrown, STANDARD_ERROR } from '../../log.js';
import { rejectUnknownOptions } from '../../options.js';
import { isObject } from '../../values.js';
import type { ApprovalDesk } from '../desk.js';
import type { ApprovalRequest } from '../parkedCall.js';
import { Records } from '../records.js';
import { createToken, isTokenOf } from './formToken.js';
import { STYLE } from './pageStyle.js';
import {
  canDecide,
  listPage,
  LONGEST_COMMENT,
  notAllowedPage,
  noteOf,
  notFoundPage,
  requestPage,
  signInPage,
  STALE,
  TOO_LONG,
  unavailablePage,
} from './views.js';
import type { Note, Person } from './views.js';

/** The options of {@link approvalPage}. */
export interface ApprovalPageOptions {
  /** The path of the page, such as `/approvals`. */
  readonly at: string;
  /**
   * Returns the person who is signed in, with the groups of your own directory. If nobody is, it
   * returns undefined, or a response such as a redirect to the sign-in.
   */
  readonly signedIn: (request: Request) => SignedIn | Promise<SignedIn>;
}

/** The person who is signed in, or the response to a request of nobody. */
export type SignedIn = Person | Response | undefined;

/**
 * Creates the page of a desk.
 *
 * @example
 *
 * ```ts
 * const page = approvalPage(desk, {
 *   at: '/approvals',
 *   signedIn: (request) => session(request),
 * });
 * app.all('/approvals/*', (c) => page(c.req.raw));
 * ```
 *
 * @throws {TypeError} If the desk or an option is missing or malformed.
 */
export function approvalPage(
  desk: ApprovalDesk,
  options: ApprovalPageOptions,
): (request: Request) => Promise<Response> {
  if (!isKind(desk, 'desk'))
    throw invalid('`desk` must be a desk. Create one with approvalDesk({ store }).');
  const { at, signedIn } = checkOptions(options);
  const { store, now } = desk['~settings'];
  const place = { desk, at, records: new Records(store, now) };
  return async (request) => {
    try {
      const person = await signedIn(request);
      if (person instanceof Response) return person;
      if (person === undefined) return await respond(401, signInPage());
      assertPerson(person);
      return await answer(place, request, person);
    } catch (error) {
      logThrown('approvalPage() failed', error, STANDARD_ERROR);
      return respond(503, unavailablePage(at));
    }
  };
}

interface Place {
  readonly desk: ApprovalDesk;
  readonly at: string;
  readonly records: Records;
}

async function answer(place: Place, request: Request, person: Person): Promise<Response> {
  const { desk, at } = place;
  const { method } = request;
  const path = new URL(request.url).pathname.replace(/\/$/, '');
  if (path === at && isReading(method))
    return respond(200, listPage(at, person, await desk.pending({ by: person.groups })));
  const id = path.startsWith(`${at}/`) ? path.slice(at.length + 1) : '';
  const found = await desk.read(id);
  // Somebody outside the groups must not learn that the request exists.
  if (found === undefined || !isFor(found, person))
    return respond(404, notFoundPage(at, isReading(method)));
  if (isReading(method)) return show(place, found, { person });
  if (method === 'POST') return decide(place, request, { found, person });
  return respond(405, notAllowedPage(at), { allow: 'GET, HEAD, POST' });
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isFor({ by }: ApprovalRequest, { groups }: Person): boolean {
  return by.some((group) => groups.includes(group));
}

/** The person who looks at a request, and what the page has to say. */
interface Shown {
  readonly person: Person;
  readonly note?: Note;
  readonly status?: number;
}

async function show(
  { at, records }: Place,
  request: ApprovalRequest,
  { person, note, status = 200 }: Shown,
): Promise<Response> {
  const token = canDecide(request, person.who)
    ? await createToken(records, request, person.who)
    : undefined;
  return respond(status, requestPage({ at, person, request, token, note }));
}

async function decide(
  place: Place,
  request: Request,
  { found, person }: { readonly found: ApprovalRequest; readonly person: Person },
): Promise<Response> {
  const { desk, records } = place;
  const { who, groups } = person;
  const form = isSameOrigin(request) ? await readForm(request) : undefined;
  const verdict = form?.get('verdict');
  const token = form?.get('token') ?? '';
  if (
    (verdict !== 'approve' && verdict !== 'deny') ||
    !(await isTokenOf(records, found, { who, token }))
  )
    return show(place, found, { person, note: STALE, status: 403 });
  const comment = form?.get('comment')?.trim().replaceAll('\r\n', '\n') ?? '';
  if (comment.length > LONGEST_COMMENT)
    return show(place, found, { person, note: TOO_LONG, status: 400 });
  const decided = await desk.decide(found.id, { who, groups, verdict, comment });
  const after = (await desk.read(found.id)) ?? { ...found, state: decided.state };
  const status = decided.counted ? 200 : 409;
  return show(place, after, { person, note: noteOf(decided, verdict), status });
}

/** Returns true if a page of this origin sent the request. Only old browsers omit the first header. */
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = parseUrl(headers.get('origin') ?? '');
  return origin?.host === (headers.get('host') ?? new URL(url).host);
}

const MOST_BYTES = 65_536;

/** Reads a form, unless it is too large or of another type. */
async function readForm({ headers, body }: Request): Promise<URLSearchParams | undefined> {
  const type = headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) || body === null)
    return undefined;
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return new URLSearchParams(text);
}

const POLICY = lazily(async () => {
  const style = base64(await sha256(utf8(STYLE)));
  return `default-src 'none'; style-src 'sha256-${style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
});

async function respond(
  status: number,
  body: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': await POLICY(),
    // With `no-referrer`, browsers would hide the origin of a form.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...more,
  };
  return new Response(body, { status, headers });
}

function checkOptions(options: ApprovalPageOptions): ApprovalPageOptions {
  if (!isObject(options)) throw invalid('`options` must be an object { at, signedIn }.');
  rejectUnknownOptions(options, ['at', 'signedIn'], 'approvalPage()');
  const { at, signedIn } = options as Partial<ApprovalPageOptions>;
  if (typeof at !== 'string' || !/^(?:\/[\w.~-]+)+$/.test(at))
    throw invalid("`at` must be a path such as '/approvals'.");
  if (typeof signedIn !== 'function')
    throw invalid(
      '`signedIn` must be a function that returns the person who is signed in, as { who, groups }. Without it, anybody could decide.',
    );
  return { at, signedIn };
}

/** @throws {TypeError} If the sign-in of the author returns something else than a person. */
function assertPerson(person: unknown): asserts person is Person {
  if (!isObject(person)) throw invalid('`signedIn` must return { who, groups } or undefined.');
  const { who, groups } = person;
  if (typeof who !== 'string' || who.trim() === '')
    throw invalid('`signedIn` must return `who`, a non-empty string.');
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string'))
    throw invalid('`signedIn` must return `groups`, an array of strings.');
}

function invalid(problem: string): TypeError {
  return new TypeError(`approvalPage(): ${problem}`);
}
