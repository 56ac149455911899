/** Links keep the contract of a question; an accepted one has no data. */
import { describe, expect, test } from 'vitest';

import { type UrlData, confirm, elicitUrl } from '../../src/define/question.js';
import { form } from '../../src/question/form.js';
import type { RecordedAnswer } from '../../src/question/kind.js';
import { url } from '../../src/question/url.js';
import { kindContract } from './kind.case.js';

const LINK = 'https://example.org/sign-in?flow=7';
const signIn = (): UrlData => elicitUrl('Sign in', LINK);

const OTHERS: readonly UrlData[] = [
  elicitUrl('Sign in again', LINK),
  elicitUrl('Sign in', `${LINK}8`),
  elicitUrl('Sign in', 'http://example.org/sign-in?flow=7'),
  elicitUrl('\u00e9\u{1f600}\ud800\u2028\u007f"\\', LINK),
];

kindContract<UrlData>('elicitUrl', {
  kind: url,
  method: 'elicitation/create',
  question: signIn,
  others: OTHERS,
  response: { action: 'accept' },
  value: true,
  misfits: [{}, { action: 'banana' }, { confirm: true }, { roots: [] }],
  withoutData: true,
  refusal: (action) => ({ action }),
});

const received = (response: unknown): RecordedAnswer => {
  const answer = url.receive(response);
  if ('problem' in answer) throw new Error(`expected an answer: ${answer.problem}`);
  return answer;
};

describe('how a link is rendered', () => {
  test('it is an elicitation of mode url, and the same text every time', () => {
    const [one, two] = [url.render(signIn()), url.render(signIn())];

    expect(one.method).toBe('elicitation/create');
    expect(one.params).toEqual({ mode: 'url', message: 'Sign in', url: LINK });
    expect(one.text).toBe(`{"mode":"url","message":"Sign in","url":"${LINK}"}`);
    expect(two.text).toBe(one.text);
  });

  test('the text is the JSON of its params, in ASCII', () => {
    for (const question of [signIn(), ...OTHERS]) {
      const { params, text } = url.render(question);
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      expect(JSON.parse(text)).toEqual(params);
    }
  });

  test('other links have other texts, and so has a form with the same message', () => {
    const texts = [signIn(), ...OTHERS].map((question) => url.render(question).text);
    texts.push(form.render(confirm('Sign in')).text);

    expect(new Set(texts).size).toBe(texts.length);
  });

  test('for a 2025 client it has an id besides: 128 random bits, new each time and in no text', () => {
    const rendered = url.render(signIn());
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

describe('what a client has to declare for a link', () => {
  const { name, required, isDeclaredIn } = url.capability(signIn());

  test('it is called url elicitation', () => {
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
  ])('%j declares it: %j', (declared, expected) => {
    expect(isDeclaredIn(declared)).toBe(expected);
  });
});

describe('what a response to a link comes to', () => {
  test('an accept is true, and asked for', () => {
    expect(url.outcomeFor(signIn(), received({ action: 'accept' }))).toEqual({
      action: 'accept',
      data: true,
      asked: true,
    });
  });

  test.each(['decline', 'cancel'] as const)('a %s is what it is', (action) => {
    expect(url.outcomeFor(signIn(), received({ action }))).toEqual({ action });
    expect(url.outcomeFor(signIn(), received({ action, content: { ok: true } }))).toEqual({
      action,
    });
  });

  test.each([
    [{ action: 'accept', content: {} }],
    [{ action: 'accept', content: null }],
    [{ action: 'accept', content: 'opened' }],
    [{ action: 'accept', content: { confirm: false } }],
    [{ action: 'accept', url: 'https://elsewhere.example/' }],
    [{ action: 'accept', elicitationId: 'x', _meta: { a: 1 } }],
  ])('of %j only the action is taken, and nothing else is kept', (response) => {
    const frozen = Object.freeze({ ...response });

    expect(url.receive(frozen)).toEqual({ action: 'accept' });
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
  ])('%j is no response, and the sentence says so', (given) => {
    expect(url.receive(given)).toEqual({ problem: 'received a non-elicitation response' });
  });

  test('what it says of a misfit ends the sentence "Resolver \'x\' …"', () => {
    expect(url.misfit).toBe('received a non-elicitation response');
  });

  test.each(['accept', 'decline', 'cancel'] as const)(
    'a recorded %s is the same after any number of trips through JSON',
    (action) => {
      const answer = received({ action, content: { junk: 1 } });
      const twice = JSON.parse(
        JSON.stringify(JSON.parse(JSON.stringify(answer))),
      ) as RecordedAnswer;

      expect(twice).toEqual(answer);
      expect(url.outcomeFor(signIn(), twice)).toEqual(url.outcomeFor(signIn(), answer));
    },
  );

  test.each([[undefined], [null], [false], ['no'], [{ ok: false }]])(
    'data %j beside a recorded accept says nothing',
    (data) => {
      expect(url.outcomeFor(signIn(), { action: 'accept', data })).toEqual({
        action: 'accept',
        data: true,
        asked: true,
      });
    },
  );
});

describe('what elicitUrl takes', () => {
  test.each([
    ['https://example.org', 'https://example.org/'],
    ['http://127.0.0.1:8080/a?b=c#d', 'http://127.0.0.1:8080/a?b=c#d'],
    ['HTTPS://Example.ORG/Path', 'https://example.org/Path'],
    ['https://b\u00fccher.example/\u00e9', 'https://xn--bcher-kva.example/%C3%A9'],
    ['https://example.org\\@elsewhere.example', 'https://example.org/@elsewhere.example'],
    [new URL('https://example.org/x'), 'https://example.org/x'],
  ])('%s, in the one form that a browser would open', (given, shown) => {
    expect(elicitUrl('Open', given).url).toBe(shown);
  });

  test('the question is frozen and has its kind', () => {
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
  ])('%j is refused', (given) => {
    expect(() => elicitUrl('Open', given as never)).toThrow(
      new TypeError('elicitUrl(message, url) takes an absolute http or https URL.'),
    );
  });

  test.each([
    ['https://user@example.org/'],
    ['https://user:secret@example.org/'],
    ['https://:secret@example.org/'],
    ['https://example.org@elsewhere.example/'],
    [new URL('https://user:secret@example.org/')],
  ])('%s is refused, because whoever is shown it would read the credentials', (given) => {
    let thrown: unknown;
    try {
      elicitUrl('Open', given);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toEqual(
      new TypeError('The URL of elicitUrl() must not carry a user name or a password.'),
    );
    expect(String(thrown)).not.toContain('secret');
  });

  test.each([[undefined], [null], [''], [7], [{}]])('a message %j is refused', (message) => {
    expect(() => elicitUrl(message as never, LINK)).toThrow(
      new TypeError('elicitUrl() takes the text of the question first.'),
    );
  });

  test.each([
    [{ otherwize: false }, 'otherwize'],
    [{ otherwise: true, timeout: 5 }, 'timeout'],
    [true, 'something else'],
    [null, 'something else'],
    [[], 'something else'],
  ])('options %j are refused', (options, named) => {
    expect(() => elicitUrl('Open', LINK, options as never)).toThrow(
      new TypeError(`elicitUrl() takes { otherwise } as its last argument, not ${named}.`),
    );
  });
});
