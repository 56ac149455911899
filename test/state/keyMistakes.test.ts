/** Keys that are a variable, a command, a placeholder or in quotes, and keys that only look so. */
import { randomBytes, randomInt } from 'node:crypto';
import { requestStateSeal } from 'mcp-resolve';
import type { RequestStateKey } from 'mcp-resolve';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { keysOfEnvironment, readKeys } from '../../src/state/keyRing.js';

const ADVICE = 'Create one with: npx mcp-resolve key';
const VARIABLE = `contains a variable that was not replaced, such as \${NAME}, {{NAME}}, $NAME or %NAME%. Check how the key is passed to the process. ${ADVICE}`;
const COMMAND = `contains a command that was not run, such as $(cat key). Check how the key is passed to the process. ${ADVICE}`;
const REFERENCE = `is a reference to a secret that was not resolved, such as op://vault/item. Check how the key is passed to the process. ${ADVICE}`;
const PLACEHOLDER = `is a placeholder, such as <your-secret-key>. Replace it with a key. ${ADVICE}`;
const CHANGE_ME = `is a placeholder, such as change-me. Replace it with a key. ${ADVICE}`;
const QUOTES = `is in quotes, which would be part of the key. Remove them. ${ADVICE}`;

const GOOD = 'M3rzZcEoCnwHqgyvVZCpQ9sKDkX0vK1Fh2bXbBqv7yE';
const OTHER = 'vZ3o0cq0rTg4m7rE8bQyqZ5hQnJ6m1oXJX2mHk9pA-w';

afterEach(() => {
  vi.unstubAllEnvs();
});

const WRONG: readonly (readonly [string, string])[] = [
  ['${REQUEST_STATE_KEY_OF_PRODUCTION}', VARIABLE],
  ['${{ secrets.REQUEST_STATE_KEY }}-and-more', VARIABLE],
  ['${ REQUEST_STATE_KEY }', VARIABLE],
  ['${KEY}', VARIABLE],
  ['{{KEY}}', VARIABLE],
  ['{{REQUEST_STATE_KEY}}-and-more', VARIABLE],
  ['$NAME', VARIABLE],
  ['$REQUEST_STATE_KEY_OF_PRODUCTION', VARIABLE],
  ['$requestStateKeyOfTheProductionServer', VARIABLE],
  ['$env:REQUEST_STATE_KEY_OF_PRODUCTION', VARIABLE],
  ['$REQUEST_STATE_KEY_OF_PRODUCTION\n', VARIABLE],
  [`production-$SECRET-${GOOD}`, VARIABLE],
  ['$HOME/keys/request-state-key-of-production', VARIABLE],
  ['$KEYA$KEYB and some more text behind it', VARIABLE],
  ['prefix_$REQUEST_STATE_KEY!and-more-text-behind-it', VARIABLE],
  ['%NAME%', VARIABLE],
  ['%REQUEST_STATE_KEY_OF_PRODUCTION%', VARIABLE],
  ['%requestStateKeyOfTheProductionServer%', VARIABLE],
  ['%USERPROFILE%\\keys\\request-state-key.txt', VARIABLE],
  ['prefix_%REQUEST_STATE_KEY%!and-more-text-behind-it', VARIABLE],
  ['the production key is in $HOME of the account', VARIABLE],
  ['the production key is in %HOME% of the account', VARIABLE],
  ['$(cat key)', COMMAND],
  ['$(cat /run/secrets/request-state-key)', COMMAND],
  ['$(</run/secrets/request-state-key.txt)', COMMAND],
  ["$(node -e 'console.log(1)' | tr -d x)", COMMAND],
  ['production-$(cat /run/secrets/key)-2026', COMMAND],
  ['production-$( cat /run/secrets/key )-2026', COMMAND],
  ['`key`', COMMAND],
  ['`cat /run/secrets/request-state-key`', COMMAND],
  ['production-` cat /run/secrets/key `-2026', COMMAND],
  ['production-`cat /run/secrets/key`-2026', COMMAND],
  ['op://production/mcp-resolve/request-state-key', REFERENCE],
  ['vault://secret/data/mcp-resolve#request-state-key', REFERENCE],
  ['@Microsoft.KeyVault(SecretUri=https://keys.vault.azure.net/secrets/state/)', REFERENCE],
  ['arn:aws:secretsmanager:eu-west-1:123456789012:secret:state-AbCdEf', REFERENCE],
  ['arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:state', REFERENCE],
  ['<your-secret-key>', PLACEHOLDER],
  ['<your-secret-key-with-at-least-32-bytes>', PLACEHOLDER],
  ['<a base64url key: see "Create a key">', PLACEHOLDER],
  ['production-<your-secret-key>-of-the-service', PLACEHOLDER],
  ['change-me-change-me-change-me-change-me', CHANGE_ME],
  ['changeme-and-32-bytes-or-more-of-it', CHANGE_ME],
  ['please_REPLACE_THIS_with_a_long_random_key', CHANGE_ME],
  [`"${GOOD}"`, QUOTES],
  [`'${GOOD}'`, QUOTES],
  [`"${GOOD}"\n`, QUOTES],
  ['"pa$$phrase & more with 32 bytes or more"', QUOTES],
];

describe.each(WRONG)('the key %j', (key, sentence) => {
  test('is refused in the options of a seal', () => {
    expect(() => requestStateSeal({ keys: [GOOD, key], audience: 'desk' })).toThrow(
      new TypeError(`requestStateSeal(): \`keys[1]\` ${sentence}`),
    );
  });

  test('is refused in the environment', () => {
    vi.stubEnv('MCP_RESOLVE_KEYS', ` ${GOOD} , ${key} `);
    expect(keysOfEnvironment).toThrow(new TypeError(`MCP_RESOLVE_KEYS: key 2 ${sentence}`));
  });
});

test.each([
  ['${REQUEST_STATE_KEY_OF_PRODUCTION}', VARIABLE],
  ['${{ secrets.REQUEST_STATE_KEY_OF_PRODUCTION }}', VARIABLE],
  ['{{ .Values.requestState.keyOfProduction }}', VARIABLE],
  ['$REQUEST_STATE_KEY_OF_PRODUCTION', VARIABLE],
  ['%REQUEST_STATE_KEY_OF_PRODUCTION%', VARIABLE],
  ['$(cat /run/secrets/request-state-key)\n', COMMAND],
  ['`cat /run/secrets/request-state-key`', COMMAND],
  ['$(cat ~/.secrets/request-state-key)', COMMAND],
  ['$(aws secretsmanager get-secret-value | jq -r .key)', COMMAND],
  ['<your-secret-key-with-at-least-32-bytes>', PLACEHOLDER],
  ['<your secret key, 32 bytes or more>', PLACEHOLDER],
  [`"${GOOD}"`, QUOTES],
  [`'${GOOD}'\n`, QUOTES],
])('the bytes of %j are refused', (key, sentence) => {
  expect(() => readKeys([Buffer.from(key)])).toThrow(
    new TypeError(`requestStateSeal(): \`keys[0]\` ${sentence}`),
  );
});

describe('several keys that are one text', () => {
  const TEXTS: readonly (readonly [string, string])[] = [
    [`"${GOOD},${OTHER}"`, QUOTES],
    [`'${GOOD}, ${OTHER}'`, QUOTES],
    ['$(vault read --fields request-state-key,the-older-key-of-the-request-state)', COMMAND],
    ['<your-new-key-of-32-bytes-or-more,your-old-key-of-32-bytes-or-more>', PLACEHOLDER],
  ];

  test.each(TEXTS)('are refused in the options of a seal: %j', (text, sentence) => {
    expect(() => requestStateSeal({ keys: text.split(','), audience: 'desk' })).toThrow(
      new TypeError(`requestStateSeal(): \`keys\` as a whole ${sentence}`),
    );
  });

  test.each(TEXTS)('are refused in the environment: %j', (text, sentence) => {
    vi.stubEnv('MCP_RESOLVE_KEYS', text);
    expect(keysOfEnvironment).toThrow(new TypeError(`MCP_RESOLVE_KEYS as a whole ${sentence}`));
  });

  test('are refused if each one is in quotes', () => {
    vi.stubEnv('MCP_RESOLVE_KEYS', `"${GOOD}", "${OTHER}"`);
    expect(keysOfEnvironment).toThrow(new TypeError(`MCP_RESOLVE_KEYS: key 1 ${QUOTES}`));
  });
});

describe('a key is accepted', () => {
  test.each([
    'correct$horse$battery$staple$and$more',
    'correct$HORSE$BATTERY$STAPLE$and$more',
    'correct-horse-battery-$taple-and-more',
    'it costs $400, or $1,200 with all extras',
    '100% sure, 50%off, and 20% of 4 words more',
    'ca$(h)-money-`tick`-and-some-more-words',
    'a < b, c > d, <3 and a few more characters',
    `it's "quoted" inside, but not around it`,
    `"only the first character is a quote mark`,
    '"two different quote marks are around it\'',
    '"quoted" is the first word of these words',
    'the last of these words is in marks: "quoted"',
    'a${ab}c-and-d{{ef}}g-and-some-more-characters',
    'a long passphrase with 5 or more %percent%',
    'blue$RED_CARs-and-$BLUE_SKYs-at-noon',
    '#1 key: (old) $KEYS of the desk in 2026',
    '#1 key: (old) %KEYS% of the desk in 2026',
    'old $KEYS of the desk (from 2026) & more',
    'old %KEYS% of the desk (from 2026) & more',
    '$(h) begins this passphrase of words',
    'this passphrase of words ends in $(h)',
    '`h` begins this passphrase of words',
    'this passphrase of words ends in `h`',
    'ca$(hello)-money-and-some-more-words',
    'the key from https://keys.example/of-state',
    'https://keys.example is not my key, but this',
    'not @Microsoft.KeyVault(SecretUri=x) but a key',
    'not arn:aws:secretsmanager: but a passphrase',
    '<brackets> begin this passphrase of words',
    'this passphrase of words ends in <brackets>',
    '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub',
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '%C3%A9%20%2B%2F%3D-a-key-that-was-encoded-for-a-url',
    '{"k":"M3rzZcEoCnwHqgyvVZCpQ9sKDkX0vK1Fh2bXbBqv7yE"}',
  ])('if it only contains special characters: %j', (key) => {
    expect(readKeys([key, Buffer.from(`${key} `)])).toHaveLength(2);
  });

  test.each([
    'x${KEY}! #random& (bytes) *that+ ;are~ |text',
    '"Jt;?9!~x(R}&0[q^>|w#*:1_)]{4@l<+s\\/5gZ"',
    '\u0001$(cat /run/secrets/request-state-key)',
    '$(cat /run/secrets/request-state-key)\u0001',
  ])('if it is bytes that happen to be the text %j', (text) => {
    expect(readKeys([Buffer.from(text)])).toHaveLength(1);
  });

  test('if it is random bytes in any encoding, or random text as bytes', () => {
    const printable = (): Uint8Array =>
      Uint8Array.from({ length: 32 }, () => randomInt(0x20, 0x7f));
    for (let time = 0; time < 2000; time += 1) {
      const bytes = randomBytes(32);
      const encoded = (['hex', 'base64', 'base64url'] as const).map((as) => bytes.toString(as));
      const keys: RequestStateKey[] = [bytes, ...encoded, printable()];
      expect(readKeys(keys)).toHaveLength(5);
      expect(readKeys(encoded)).toHaveLength(3);
      vi.stubEnv('MCP_RESOLVE_KEYS', encoded.join(','));
      expect(keysOfEnvironment()).toHaveLength(3);
    }
  });
});
