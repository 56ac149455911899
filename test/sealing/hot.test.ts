/**
 * The platform's functions that decide what is protected, called until the engine has optimized
 * them. On Node 20 and 22 an optimized `URL.canParse` refuses Latin-1 hosts that `new URL` accepts,
 * so every decision gets text in Latin-1, in ASCII and beyond both.
 */
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { defineResource, elicitUrl } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { createAdmission } from '../../src/http/admission.js';
import { messageOf } from '../../src/errors.js';
import { fromBase64url, parseUrl, utf8 } from '../../src/platform.js';
import { isModern } from '../../src/call/clientFacts.js';
import { argumentsDigest } from '../../src/state/canonical.js';
import { readClaims, writeClaims } from '../../src/state/claims.js';
import { ringCodec } from '../../src/state/codec.js';
import { bindsPrincipal, principalClaim } from '../../src/state/principal.js';

const CALLS = 10_000;

/** Calls a function often, and returns its different results. */
function resultsOf(call: () => unknown): unknown[] {
  const results = new Set<unknown>();
  for (let time = 0; time < CALLS; time += 1) results.add(call());
  return [...results];
}

/** Calls an asynchronous function often, and returns its different results. */
async function laterResultsOf(call: () => unknown): Promise<unknown[]> {
  const results = new Set<unknown>();
  for (let time = 0; time < CALLS; time += 1) results.add(await call());
  return [...results];
}

const HOSTS = ['https://h\u00adr.example/pay', 'https://bücher.example/pay', 'https://人.example/'];

describe.each(HOSTS)('after many calls with %s', (uri) => {
  const href = new URL(uri).href;

  test('parseUrl() parses it', () => {
    expect(resultsOf(() => parseUrl(uri)?.href)).toEqual([href]);
  });

  test('a fixed resource matches it', () => {
    const { address } = defineResource('pay', uri, {}, () => '')['~definition'];
    expect(resultsOf(() => address.matches(uri))).toEqual([true]);
    expect(resultsOf(() => address.matches(`${uri}x`))).toEqual([false]);
  });

  test('a template matches it', () => {
    const template = new ResourceTemplate('https://{+rest}', { list: undefined });
    const { address } = defineResource('any', template, {}, () => '')['~definition'];
    expect(resultsOf(() => address.matches(uri))).toEqual([true]);
  });

  test('elicitUrl() accepts it', () => {
    expect(resultsOf(() => elicitUrl('Open', uri).url)).toEqual([href]);
  });

  test('the digest of arguments tells it from another', () => {
    const other = uri.replace('e', 'é');
    const digests = [argumentsDigest({ uri }), argumentsDigest({ uri: other })];
    expect(new Set(digests).size).toBe(2);
    expect(resultsOf(() => argumentsDigest({ uri }))).toEqual([digests[0]]);
    expect(resultsOf(() => argumentsDigest({ uri: other }))).toEqual([digests[1]]);
  });

  test('its bytes are those of UTF-8', () => {
    const hex = Buffer.from(new TextEncoder().encode(uri)).toString('hex');
    expect(resultsOf(() => Buffer.from(utf8(uri)).toString('hex'))).toEqual([hex]);
  });

  test('claims that contain it are read and compared', async () => {
    const context = {
      binding: { method: 'resources/read', target: uri, args: '' },
      audience: uri,
      principal: uri,
      now: 1000,
    };
    const claims = await writeClaims({ state: uri, isRecord: true }, 60, context);
    const other = { ...context, binding: { ...context.binding, target: `${uri}x` } };
    const read = async () => (await readClaims(claims, context)).state;
    expect(await laterResultsOf(read)).toEqual([uri]);
    const refused = () => readClaims(claims, other).catch(messageOf);
    expect(await laterResultsOf(refused)).toEqual(['request binding']);
  });

  test('a principal is told from another', async () => {
    const claim = await principalClaim(uri);
    expect(await laterResultsOf(() => bindsPrincipal(claim, uri))).toEqual([true]);
    expect(await laterResultsOf(() => bindsPrincipal(claim, `${uri}x`))).toEqual([false]);
  });
});

describe('after many calls', () => {
  test('a token is opened, and a changed one is not', async () => {
    const codec = ringCodec([utf8('0123456789abcdef0123456789abcdef')]);
    const token = await codec.seal(utf8('geprüft'));
    const opened = async () => Buffer.from(await codec.unseal(token)).toString();
    expect(await laterResultsOf(opened)).toEqual(['geprüft']);
    const changed = async () => codec.unseal(`${token.slice(0, -1)}é`);
    const refused = () => changed().catch(messageOf);
    expect(await laterResultsOf(refused)).toEqual(['malformed']);
  });

  test.each(['v1.é', 'AA=', 'A', 'AB', 'ÿÿÿÿ'])('%s is not base64url', (text) => {
    expect(resultsOf(() => fromBase64url(text))).toEqual([undefined]);
  });

  test.each([
    ['2026-07-28', true],
    ['2026-07-29', true],
    ['2025-11-25', false],
    ['2026-07-2é', false],
    ['', false],
  ])('the era of version %s is the same', (version, modern) => {
    expect(resultsOf(() => isModern(version))).toEqual([modern]);
  });

  test.each([
    ['a host that is allowed', 'mcp.example.com:3000', undefined],
    ['another host', 'bücher.example', 403],
    ['a host that is not one', 'user@mcp.example.com', 400],
  ])('%s gets the same answer', (_, host, status) => {
    const admission = createAdmission({ allowedHosts: ['mcp.example.com'] }, 'serveHttp');
    const answer = () => admission({ host, origin: undefined })?.status;
    expect(resultsOf(answer)).toEqual([status]);
  });
});
