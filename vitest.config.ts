import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import type { Reporter } from 'vitest/reporters';

import { sdkHas } from './test/support/sdk.js';

const source = (file: string): string => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

/** Prints the numbers of passed and failed tests at the end of a run. */
const closingLine: Reporter = {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    const unloaded = modules.filter((module) => module.errors().length > 0).length;
    process.stdout.write(`${passed} passed, ${failed + unloaded + errors.length} failed\n`);
  },
};

const REDIS = 'test/**/*.redis.test.ts';
const POSTGRES = 'test/**/*.postgres.test.ts';
const BROWSER = 'test/**/*.browser.test.ts';
const PROCESSES = 'test/**/*.process.test.ts';
const STORIES = 'test/stories/**/*.test.ts';
const DOCS = 'test/docs/**/*.test.ts';
const CLI = 'test/cli/**/*.test.ts';
const PACKAGE = 'test/package/**/*.test.ts';
const SITE = 'test/site/**/*.test.ts';
const PEERS = 'peers/*/*.test.ts';
/** `test/approvals/taskSupport.test.ts` expects the error of an SDK that has no tasks. */
const IMPOSSIBLE = sdkHas('tasks') ? [] : ['test/approvals/tasks/*.test.ts'];

/** Creates a suite of test files. `npm test -- <name>` runs it; see scripts/commands.ts. */
function suite(
  name: string,
  include: string,
  options: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include: [include], ...options } };
}

export default defineConfig({
  resolve: {
    // The same names as "paths" in tsconfig.json. They match exactly, because a prefix would match subpaths.
    alias: [
      { find: /^mcp-resolve$/, replacement: source('index.ts') },
      { find: /^mcp-resolve\/engine$/, replacement: source('engine.ts') },
      { find: /^mcp-resolve\/node$/, replacement: source('node.ts') },
      { find: /^mcp-resolve\/client$/, replacement: source('client.ts') },
      { find: /^mcp-resolve\/store$/, replacement: source('store.ts') },
      { find: /^mcp-resolve\/approvals$/, replacement: source('approvals.ts') },
      { find: /^mcp-resolve\/graph$/, replacement: source('graph.ts') },
      { find: /^mcp-resolve\/testing$/, replacement: source('testing.ts') },
      { find: /^mcp-resolve\/otel$/, replacement: source('otel.ts') },
      { find: /^mcp-resolve\/eslint$/, replacement: source('eslint.ts') },
      { find: /^mcp-resolve\/v1$/, replacement: source('v1.ts') },
    ],
  },
  test: {
    // The name of a file or its folder selects its suite. All other files are unit tests.
    projects: [
      suite('unit', 'test/**/*.test.ts', {
        exclude: [
          ...[REDIS, POSTGRES, BROWSER, PROCESSES, STORIES, DOCS, CLI, PACKAGE, SITE],
          ...IMPOSSIBLE,
        ],
      }),
      suite('processes', PROCESSES),
      suite('stories', STORIES, { exclude: [REDIS, POSTGRES] }),
      suite('docs', DOCS, { exclude: [POSTGRES] }),
      suite('cli', CLI),
      suite('package', PACKAGE),
      // Each file starts a redis-server.
      suite('redis', REDIS),
      // Starts a Postgres server.
      suite('postgres', POSTGRES),
      // Needs Chromium.
      suite('browser', BROWSER, { testTimeout: 60_000 }),
      // Builds the site, and needs Chromium.
      suite('site', SITE, { testTimeout: 60_000, hookTimeout: 300_000 }),
      // One file at a time, because most start servers and browsers, which would slow each other down.
      suite('peers', PEERS, {
        fileParallelism: false,
        testTimeout: 120_000,
        hookTimeout: 300_000,
      }),
    ],
    // Most tests wait for timers, servers or processes, so a reserved core would be idle.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: ['default', closingLine],
    // For `npm run coverage`. Entry points only list exports, and the tests of the command run the build.
    coverage: {
      include: ['src/*/**/*.ts'],
      exclude: ['src/dev/cli/**'],
      reporter: ['text', 'html'],
    },
  },
});
