/**
 * The commands behind `npm test`, `npm run bench`, `npm run soak` and `npm run docs`.
 *
 * The first arguments name entries of the table: `npm test -- redis docs`. `all` names every entry.
 * Without a name, the first entry runs. All other arguments go to the program of the entry, such as
 * vitest: `npm test -- redis --reporter=verbose`, `npm test -- test/pin`.
 */

const BUILD = 'npm run --silent build -- --logLevel warn';
const install = (folder: string): string => `npm ci --prefix ${folder}`;
const suite = (project: string): string => `vitest run --project ${project}`;
const bench = (file: string): string => `tsx --tsconfig bench/tsconfig.run.json bench/${file}`;

/** For each script and name the command lines to run. The arguments go to the last of them. */
const SCRIPTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  test: {
    unit: [suite('unit')],
    processes: [suite('processes')],
    stories: [suite('stories')],
    docs: [suite('docs')],
    cli: [BUILD, suite('cli')],
    package: [BUILD, suite('package')],
    redis: [suite('redis')],
    postgres: [suite('postgres')],
    browser: [BUILD, suite('browser')],
    site: [install('site'), suite('site')],
    conformance: [install('peers/conformance'), suite('peers peers/conformance')],
    frameworks: [suite('peers peers/frameworks')],
    hosts: [BUILD, suite('peers peers/hosts')],
    install: [BUILD, suite('peers peers/package')],
    peers: [install('peers/clients'), suite('peers peers/clients')],
    codex: [install('peers/codex'), suite('peers peers/codex')],
    probes: [install('peers/probes'), suite('peers peers/probes')],
    inspector: [install('peers/clients'), suite('peers peers/browser')],
    python: [suite('peers peers/python')],
    runtimes: [BUILD, install('peers/runtimes'), suite('peers peers/runtimes')],
    'sdk-range': ['tsx peers/sdk-range/run.ts'],
  },
  bench: {
    goals: [BUILD, bench('run.ts')],
    profile: [BUILD, bench('profile.ts')],
    size: [BUILD, bench('size.ts')],
    docs: ['tsx bench/docs.ts'],
  },
  soak: {
    fleet: ['tsx bench/soak/fleet/run.ts'],
    tokens: ['node --expose-gc --import tsx bench/soak/tokens/run.ts'],
    once: ['tsx bench/soak/once/run.ts'],
    approvals: ['tsx bench/soak/approvals/run.ts'],
  },
  docs: {
    api: ['typedoc'],
    site: [install('site'), 'tsx site/build.ts'],
    llms: ['tsx site/llms.ts'],
    theme: ['tsx scripts/theme.ts'],
    skill: ['tsx scripts/skill.ts'],
    watch: [BUILD, 'tsx scripts/watch.ts'],
    compatibility: ['tsx peers/compatibility.ts'],
  },
};

/**
 * Returns the command lines of a script, each as a list of words.
 *
 * @throws Error If the first argument looks like a name and is none. `npm run bench` leaves that to
 *   the benchmark, whose goals have names too.
 */
export function commandsOf(script: string, args: readonly string[]): string[][] {
  const entries = SCRIPTS[script] ?? {};
  const known = Object.keys(entries);
  const end = args.findIndex((arg) => arg !== 'all' && !known.includes(arg));
  const named = end === -1 ? args : args.slice(0, end);
  const [next = '', ...others] = args.slice(named.length);
  if (/^[a-z][\w-]*$/.test(next) && script !== 'bench') {
    const path = script === 'test' ? ' Or write a path, such as test/pin.' : '';
    const choice = [...known, 'all'].join(', ');
    throw new Error(`The script '${script}' has no '${next}'. Choose from ${choice}.${path}`);
  }
  const names = named.length === 0 ? known.slice(0, 1) : named.includes('all') ? known : named;
  const rest = next === '' ? [] : [next, ...others];
  return names.flatMap((name) => {
    const lines = (entries[name] ?? []).map((line) => line.split(' '));
    return lines.map((words, index) => (index === lines.length - 1 ? [...words, ...rest] : words));
  });
}
