/** Runs all suites for the Python SDK in one file, for one report. */
import { afterAll, beforeAll, describe } from 'vitest';

import { writeReport } from '../support/report.js';
import { makeEnvironment, sdkVersion } from './support/python.js';
import { countsOf } from '../support/counts.js';

const EVERYWHERE = '2026-07-28 and 2025-11-25, HTTP and stdio';

const suites = {
  'the Python client with our servers': {
    suite: () => import('./suites/fromPython.js'),
    peer: '`mcp` for Python, its client',
    over: EVERYWHERE,
    saw: 'same questions and results as the TypeScript client: forms, links, sampling, roots, batches, chains; accept, decline, cancel; tools, prompts, resources; a clear error or a fallback where it cannot be asked',
  },
  'our client with a Python server': {
    suite: () => import('./suites/toPython.js'),
    peer: '`mcp` for Python, a server with `Resolve`',
    over: EVERYWHERE,
    saw: 'called with `startCall`, and finished with `resumeCall` in another process: forms, sampling, roots, batches, chains of three; decline, cancel; tampered state refused',
  },
  'request state of both languages': {
    suite: () => import('./suites/tokens.js'),
    peer: '`mcp` for Python, its request state',
    over: '2026-07-28, HTTP and stdio',
    saw: 'same token and claims: hand-written rounds begin in one language and end in the other; the record of resolvers is opened, and its questions are asked again; another key, another audience and other arguments are refused',
  },
  'the stories of the Python SDK': {
    suite: () => import('./suites/theirStories.js'),
    peer: '`mcp` for Python, the stories in its sources',
    over: '2026-07-28 and 2025-11-25, HTTP; mrtr also over stdio',
    saw: 'its clients of the stories refund desk, mrtr, sampling and legacy elicitation pass against our servers, the last two also on the modern era, and our refund desk and mrtr clients pass against its servers',
  },
};

beforeAll(() => makeEnvironment());

for (const [name, { suite }] of Object.entries(suites)) {
  describe(name, async () => {
    await suite();
  });
}

afterAll(({}, file) => {
  const rows = Object.entries(suites).map(([name, { peer, over, saw }]) => {
    return { peer, version: sdkVersion, over, saw, ...countsOf(file, name) };
  });
  const complete = rows.every(({ passed, failed }) => passed > 0 && failed === 0);
  if (complete) writeReport('python', 'npm test -- python', rows);
});
