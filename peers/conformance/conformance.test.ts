/** Runs the required scenarios of the official conformance suite, over HTTP and stdio. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Row, writeReport } from '../support/report.js';
import { gatewayVersion, type Host, overHttp, overStdio } from './hosts.js';
import { BEHIND_THE_GATEWAY, objectionsTo } from './judge.js';
import { type Check, requiredScenarios, REVISIONS, runSuite, suiteVersion } from './suite.js';

/** The number of required scenarios in the pinned version of the suite. */
const REQUIRED = { '2026-07-28': 37, '2025-11-25': 30 };
const TIMEOUT = 280_000;

const hosts = [
  { over: 'HTTP', open: overHttp, unjudged: [] as string[] },
  { over: 'stdio', open: overStdio, unjudged: BEHIND_THE_GATEWAY },
];
const runs = hosts.flatMap((host) => REVISIONS.map((revision) => ({ ...host, revision })));
const passed = new Map<string, number>();

describe.each(hosts)('over $over', ({ over, open, unjudged }) => {
  let host: Host | undefined;

  beforeAll(async () => {
    host = await open();
  });
  afterAll(() => host?.stop());

  describe.each(REVISIONS)('of %s', (revision) => {
    const scenarios = requiredScenarios(revision);
    let seen = new Map<string, Check[]>();

    beforeAll(async () => {
      // Without this check, a shorter list of scenarios would pass unnoticed.
      expect(scenarios).toHaveLength(REQUIRED[revision]);
      seen = await runSuite(host?.url ?? '', revision);
    }, TIMEOUT);

    it.each(scenarios)('%s', (scenario) => {
      expect(objectionsTo(seen.get(scenario), unjudged)).toEqual([]);
      const run = `${over} ${revision}`;
      passed.set(run, (passed.get(run) ?? 0) + 1);
    });
  });
});

describe('a scenario fails', () => {
  const fine: Check = { id: 'fine', status: 'SUCCESS' };
  const warning: Check = { id: 'sep-2322-ignore-unexpected-params', status: 'WARNING' };

  it('if it did not run, or if no check passed', () => {
    expect(objectionsTo(undefined, [])).toEqual(['the scenario did not run']);
    expect(objectionsTo([], [])).toEqual(['no check passed']);
    expect(objectionsTo([{ id: 'x', status: 'SKIPPED' }], [])).toEqual(['no check passed']);
    expect(objectionsTo([fine], ['fine'])).toEqual(['no check passed']);
  });

  it.each(['FAILURE', 'WARNING', 'SKIPPED'] as const)('if a check is a %s', (status) => {
    expect(objectionsTo([fine, { id: 'x', status, errorMessage: 'no' }], [])).toEqual([
      `${status} x: no`,
    ]);
  });

  it('if the expected warning is missing', () => {
    expect(objectionsTo([fine, warning], [])).toEqual([]);
    expect(objectionsTo([fine, { ...warning, status: 'SUCCESS' }], [])).toHaveLength(1);
  });
});

/** Writes the table only after a complete run without failures. */
afterAll(() => {
  const whole = runs.every(
    ({ over, revision }) => passed.get(`${over} ${revision}`) === REQUIRED[revision],
  );
  if (whole) writeReport('conformance', 'npm test -- conformance', runs.map(rowOf));
});

function rowOf({ over, revision }: (typeof runs)[number]): Row {
  const required = REQUIRED[revision];
  const all = `all ${required} required scenarios`;
  const except =
    over === 'HTTP'
      ? ''
      : `, except for checks that test supergateway ${gatewayVersion} in front of the server: HTTP headers, streams across requests`;
  const warning = revision === '2026-07-28' ? '; one intended warning: `ignore-extra-params`' : '';
  return {
    peer: '@modelcontextprotocol/conformance',
    version: suiteVersion,
    over: `${revision}, ${over}`,
    saw: `${all}${except}${warning}`,
    passed: required,
    failed: 0,
  };
}
