/** Links: the contract of a question, their answers without data, and the URLs that are allowed. */
import { describe, expect, test } from 'vitest';

import { type UrlData, confirm, elicitUrl } from '../../src/author/question.js';
import { formKind } from '../../src/question/form.js';
import { urlKind } from '../../src/question/url.js';
import { kindContract, receive } from './kind.case.js';

const LINK = 'https://example.org/sign-in?flow=7';
const signIn = (): UrlData => elicitUrl('Sign in', LINK);

const OTHERS: readonly UrlData[] = [
  elicitUrl('Sign in again', LINK),
  elicitUrl('Sign in', `${LINK}8`),
  elicitUrl('Sign in', 'http://example.org/sign-in?flow=7'),
  elicitUrl('\u00e9\u{1f600}\ud800\u2028\u007f"\\', LINK),
];

kindContract<UrlData>('elicitUrl', {
  kind: urlKind,
  method: 'elicitation/create',
  question: signIn,
  others: OTHERS,
  response: { action: 'accept' },
  value: true,
  misfits: [{}, { action: 'banana' }, { confirm: true }, { roots: [] }],
  withoutData: true,
  refusal: (action) => ({ action }),
});

describe('a rendered link', () => {
  test('is an elicitation of mode url with the message and the URL', () => {
    const { method, params, text } = urlKind.render(signIn());

    expect(method).toBe('elicitation/create');
    expect(params).toEqual({ mode: 'url', message: 'Sign in', url: LINK });
    expect(text).toBe(`{"mode":"url","message":"Sign in","url":"${LINK}"}`);
  });

  test('differs from a form with the same message', () => {
    expect(urlKind.render(signIn()).text).not.toBe(formKind.render(confirm('Sign in')).text);
  });

  test('has a new id of 128 random bits each time it goes to a legacy client', () => {
    const rendered = urlKind.render(signIn());
    const ids = Array.from({ length: 20 }, () => {
      const { elicitationId, ...rest } = rendered.pushedParams!();
      expect(rest).toEqual(rendered.params);
      return String(elicitationId);
    });

    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[\w-]{22}$/);
      expect(rendered.text).not.toContain(id);
    }
  });
});

describe('an elicitationId of the author', () => {
  const withId: UrlData = elicitUrl('Sign in', LINK, { elicitationId: 'id-of-the-page' });

  test('goes to a legacy client only, and is no part of the question', () => {
    const rendered = urlKind.render(withId);

    expect(rendered.pushedParams!()).toEqual({
      mode: 'url',
      message: 'Sign in',
      url: LINK,
      elicitationId: 'id-of-the-page',
    });
    expect({ params: rendered.params, text: rendered.text }).toEqual({
      params: urlKind.render(signIn()).params,
      text: urlKind.render(signIn()).text,
    });
  });

  test.each(['', 7, null])('must be a non-empty string, not %j', (id) => {
    expect(() => elicitUrl('Sign in', LINK, { elicitationId: id as string })).toThrow(
      new TypeError('elicitUrl(): `elicitationId` must be a non-empty string.'),
    );
  });
});

describe('the capability for links', () => {
  const { name, required, isDeclaredIn } = urlKind.capability(signIn());

  test('is url elicitation', () => {
    expect(name).toBe('url elicitation');
    expect(required).toEqual({ elicitation: { url: {} } });
  });

  test.each([
    [{ elicitation: { url: {} } }, true],
    [{ elicitation: { form: {}, url: {} } }, true],
    [{ elicitation: {} }, false],
    [{ elicitation: { form: {} } }, false],
    [{ sampling: {} }, false],
    [{ sampling: { tools: {} } }, false],
    [{ roots: {} }, false],
    [{}, false],
  ])('for a client with %j, is declared: %j', (declared, expected) => {
    expect(isDeclaredIn(declared)).toBe(expected);
  });
});

describe('a response to a link', () => {
  test.each(['decline', 'cancel'] as const)(
    'keeps the outcome %s without its content',
    (action) => {
      expect(urlKind.outcomeFor(signIn(), receive(urlKind, signIn(), { action }))).toEqual({
        action,
      });
      expect(
        urlKind.outcomeFor(signIn(), receive(urlKind, signIn(), { action, content: { ok: true } })),
      ).toEqual({
        action,
      });
    },
  );

  test.each([
    [{ action: 'accept', content: {} }],
    [{ action: 'accept', content: null }],
    [{ action: 'accept', content: 'opened' }],
    [{ action: 'accept', content: { confirm: false } }],
    [{ action: 'accept', url: 'https://elsewhere.example/' }],
    [{ action: 'accept', elicitationId: 'x', _meta: { a: 1 } }],
    [{ action: 'decline', content: { junk: 1 } }],
    [{ action: 'cancel', content: { junk: 1 } }],
  ])('is recorded as its action alone: %j', (response) => {
    const frozen = Object.freeze({ ...response });

    expect(urlKind.receive(signIn(), frozen)).toEqual({ action: response.action });
    expect(frozen).toEqual(response);
  });

  test.each([
    [undefined],
    [null],
    [true],
    [7],
    ['accept'],
    [[]],
    [[{ action: 'accept' }]],
    [{}],
    [{ action: 'banana' }],
    [{ action: 'ACCEPT' }],
    [{ action: true }],
    [{ action: ['accept'] }],
    [{ action: null }],
    [{ confirm: true }],
    [{ roots: [] }],
    [{ role: 'assistant', model: 'm', content: { type: 'text', text: 'accept' } }],
  ])('is refused if it is %j', (given) => {
    expect(urlKind.receive(signIn(), given)).toEqual({
      problem: 'received a non-elicitation response',
    });
  });

  test.each([[false], ['no'], [{ ok: false }]])(
    'is an acceptance even if it was recorded with the data %j',
    (data) => {
      expect(urlKind.outcomeFor(signIn(), { action: 'accept', data })).toEqual({
        action: 'accept',
        data: true,
        asked: true,
      });
    },
  );
});

describe('elicitUrl', () => {
  test.each([
    ['https://example.org', 'https://example.org/'],
    ['http://127.0.0.1:8080/a?b=c#d', 'http://127.0.0.1:8080/a?b=c#d'],
    ['HTTPS://Example.ORG/Path', 'https://example.org/Path'],
    ['https://b\u00fccher.example/\u00e9', 'https://xn--bcher-kva.example/%C3%A9'],
    ['https://example.org\\@elsewhere.example', 'https://example.org/@elsewhere.example'],
    [new URL('https://example.org/x'), 'https://example.org/x'],
  ])('normalizes %s as a browser does', (given, shown) => {
    expect(elicitUrl('Open', given).url).toBe(shown);
  });

  test('returns a frozen question of kind url', () => {
    const question = elicitUrl('Open', LINK);

    expect(Object.isFrozen(question)).toBe(true);
    expect(question.kind).toBe('url');
  });

  test.each([
    [''],
    ['/sign-in'],
    ['sign-in'],
    ['//example.org/sign-in'],
    ['example.org'],
    ['?flow=7'],
    ['https://'],
    ['javascript:alert(1)'],
    ['JavaScript:alert(1)'],
    [' javascript:alert(1)'],
    ['java\nscript:alert(1)'],
    ['data:text/html,<h1>Sign in</h1>'],
    ['file:///etc/passwd'],
    ['ftp://example.org/'],
    ['blob:https://example.org/7'],
    ['view-source:https://example.org/'],
    ['mailto:a@example.org'],
    ['ws://example.org/'],
    [new URL('javascript:alert(1)')],
    [undefined],
    [null],
    [7],
    [{}],
    [[]],
  ])('refuses the URL %j', (given) => {
    expect(() => elicitUrl('Open', given as never)).toThrow(
      new TypeError('elicitUrl(): `url` must be an absolute http or https URL.'),
    );
  });

  test.each([
    ['https://user@example.org/'],
    ['https://user:secret@example.org/'],
    ['https://:secret@example.org/'],
    ['https://example.org@elsewhere.example/'],
    [new URL('https://user:secret@example.org/')],
  ])('refuses %s, because the user would see the credentials', (given) => {
    let thrown: unknown;
    try {
      elicitUrl('Open', given);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toEqual(
      new TypeError('elicitUrl(): `url` must not contain a user name or a password.'),
    );
    expect(String(thrown)).not.toContain('secret');
  });

  test.each([[undefined], [null], [''], [7], [{}]])('refuses the message %j', (message) => {
    expect(() => elicitUrl(message as never, LINK)).toThrow(
      new TypeError(
        "elicitUrl(): `message` must be a non-empty string. Write elicitUrl('Please sign in.', url).",
      ),
    );
  });

  test.each([
    [
      { otherwize: false },
      "elicitUrl() has no option 'otherwize'. Known options: otherwise, declined, elicitationId.",
    ],
    [
      { otherwise: true, timeout: 5 },
      "elicitUrl() has no option 'timeout'. Known options: otherwise, declined, elicitationId.",
    ],
    [
      true,
      'elicitUrl(): `options` must be an object. Known options: otherwise, declined, elicitationId.',
    ],
    [
      null,
      'elicitUrl(): `options` must be an object. Known options: otherwise, declined, elicitationId.',
    ],
    [
      [],
      'elicitUrl(): `options` must be an object. Known options: otherwise, declined, elicitationId.',
    ],
  ])('refuses the options %j', (options, message) => {
    expect(() => elicitUrl('Open', LINK, options as never)).toThrow(new TypeError(message));
  });
});
