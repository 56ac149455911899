/** The official conformance suite passes what it requires of a server, over HTTP and over stdio. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Row, writeReport } from '../support/report.js';
import { gatewayVersion, type Host, overHttp, overStdio } from './hosts.js';
import { BEHIND_THE_GATEWAY, objectionsTo } from './judge.js';
import { type Check, requiredScenarios, REVISIONS, runSuite, suiteVersion } from './suite.js';

/** How many scenarios the pinned version of the suite has frozen. */
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
      // Nothing here can be checked in parts: a list that shrank would pass in silence.
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

describe('a scenario does not pass', () => {
  const fine: Check = { id: 'fine', status: 'SUCCESS' };
  const warning: Check = { id: 'sep-2322-ignore-unexpected-params', status: 'WARNING' };

  it('that did not run, or in which nothing passed', () => {
    expect(objectionsTo(undefined, [])).toEqual(['the scenario did not run']);
    expect(objectionsTo([], [])).toEqual(['no check passed']);
    expect(objectionsTo([{ id: 'x', status: 'SKIPPED' }], [])).toEqual(['no check passed']);
    expect(objectionsTo([fine], ['fine'])).toEqual(['no check passed']);
  });

  it.each(['FAILURE', 'WARNING', 'SKIPPED'] as const)('with a %s', (status) => {
    expect(objectionsTo([fine, { id: 'x', status, errorMessage: 'no' }], [])).toEqual([
      `${status} x: no`,
    ]);
  });

  it('without the one warning that is there on purpose', () => {
    expect(objectionsTo([fine, warning], [])).toEqual([]);
    expect(objectionsTo([fine, { ...warning, status: 'SUCCESS' }], [])).toHaveLength(1);
  });
});

/** The table is of a whole run in which nothing failed. */
afterAll(() => {
  const whole = runs.every(
    ({ over, revision }) => passed.get(`${over} ${revision}`) === REQUIRED[revision],
  );
  if (whole) writeReport('conformance', 'npm run test:conformance', runs.map(rowOf));
});

function rowOf({ over, revision }: (typeof runs)[number]): Row {
  const required = REQUIRED[revision];
  const all = `all ${required} required scenarios`;
  const except =
    over === 'HTTP'
      ? ''
      : `, except for checks that meet supergateway ${gatewayVersion} in front and not the server: headers of HTTP, streams across requests`;
  const warning =
    revision === '2026-07-28' ? '; one warning on purpose: `ignore-extra-params`' : '';
  return {
    peer: '@modelcontextprotocol/conformance',
    version: suiteVersion,
    over: `${revision}, ${over}`,
    saw: `${all}${except}${warning}`,
    passed: required,
    failed: 0,
  };
}
