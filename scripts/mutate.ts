/**
 * Mutation tests: changes the code of a slice in one place after the other, and counts the changes
 * that no test notices. CONTRIBUTING.md has the scores.
 *
 * `npm run mutate -- state engine` runs two slices. Without a name, all of them run. The report is
 * in `.scratch/mutation/<slice>.html`.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';

interface Slice {
  readonly mutate: string;
  /** The tests that run for each mutant. One that takes seconds would kill few more than the others. */
  readonly tests: readonly string[];
}

const SLICES: Readonly<Record<string, Slice>> = {
  state: { mutate: 'src/state/!(keyMistakes|seal).ts', tests: ['state/!(seal)'] },
  // Regular expressions that act while the module loads, so all tests of the slice run for each.
  keys: { mutate: 'src/state/keyMistakes.ts', tests: ['state/key*'] },
  seal: {
    mutate: 'src/state/seal.ts',
    tests: [
      'state/seal',
      'sealing/{canary,changedArguments,codecs,legacy,limits,posture,principals,processKey}',
      'sealing/{rejection,scope}',
    ],
  },
  engine: {
    mutate: 'src/engine/!(round).ts',
    tests: [
      'engine/{ledger,lostQuestions,records}',
      'pin/{deploys,rounds,trust,upstream,values}',
      'dispose/*',
      'trace/{asked,events}',
      'question/{nextAttempt,userOptions}',
      'behaviours/{answers,declaring,fallbacks,misplacedQuestions,questionDigests}',
      'behaviours/samplingAndRoots',
      'approvals/calls',
    ],
  },
  round: {
    mutate: 'src/engine/round.ts',
    tests: [
      'engine/{lostQuestions,order,records,robustness,warnings}',
      'pin/{deploys,rounds,trust,upstream,values}',
      'dispose/{ends,late}',
      'trace/{asked,events}',
      'question/{nextAttempt,userOptions}',
      'testing/undeclared',
      'behaviours/{answers,capabilityGate,declaring,errors,fallbacks,forgedAnswers,forms}',
      'behaviours/{guardResults,guardsFirst,requestState,resolution,rounds}',
      'approvals/{calls,trust}',
    ],
  },
  plan: {
    mutate: 'src/plan/*.ts',
    tests: ['behaviours/{authorRules,resolution,staticAnalysis}', 'first-errors/*'],
  },
  store: { mutate: 'src/store/*.ts', tests: ['store/*'] },
  once: { mutate: 'src/once/*.ts', tests: ['once/**/*', 'dispose/ends'] },
  approvals: { mutate: 'src/approvals/*.ts', tests: ['approvals/**/*'] },
};

async function mutate(slice: string, { mutate: files, tests }: Slice): Promise<void> {
  const stryker = new Stryker({
    mutate: [files],
    testRunner: 'vitest',
    testFiles: tests.map((name) => `test/${name}.test.ts`),
    vitest: { configFile: 'scripts/mutate.vitest.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    // A test that hangs fails before that. The margin is for a machine that does other things, too.
    timeoutMS: 60_000,
    ignorePatterns: ['.scratch', 'peers', 'bench', 'site', 'dist', 'release', 'api', 'coverage'],
    tempDirName: `.scratch/stryker-${slice}`,
    reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
    clearTextReporter: { reportTests: false, allowColor: false },
    htmlReporter: { fileName: `.scratch/mutation/${slice}.html` },
    jsonReporter: { fileName: `.scratch/mutation/${slice}.json` },
  });
  await stryker.runMutationTest();
}

process.chdir(path.join(fileURLToPath(import.meta.url), '../..'));
const known = Object.keys(SLICES);
const names = process.argv.slice(2);
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined)
  throw new Error(`There is no slice '${unknown}'. Choose from ${known.join(', ')}.`);
for (const [name, slice] of Object.entries(SLICES)) {
  if (names.length === 0 || names.includes(name)) await mutate(name, slice);
}
