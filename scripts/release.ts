/**
 * Prepares a release in the folder `release/`: the tarball, the notes and the bill of materials.
 *
 * - `npm run release -- --tag v0.2.0` refuses a tag that is not the version of package.json, and
 *   changesets that are not in the changelog yet. The release workflow runs it.
 * - `npm run release` is the dry run of CI. It also asks npm what it would publish.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { type Bundled, LICENCES, packagesIn } from './licences.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = path.join(ROOT, 'release');

/** The facts that decide if a version may be released. */
export interface Candidate {
  readonly version: string;
  readonly changelog: string;
  /** The names of the changesets that no release contains yet. */
  readonly changesets: readonly string[];
  /** The tag of a release. Without it, this is a dry run. */
  readonly tag?: string | undefined;
  /** The `repository` of package.json. */
  readonly repository?: unknown;
}

/**
 * Returns the notes of a release: the section of the changelog.
 *
 * @throws {Error} If the version must not be released.
 */
export function notesOf(candidate: Candidate): string {
  const { version, changelog, changesets, tag, repository } = candidate;
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`The tag is ${tag}, but package.json has version ${version}. Tag v${version}.`);
  }
  if (tag !== undefined && changesets.length > 0) {
    const count = changesets.length;
    throw new Error(
      `The changelog lacks ${count} changesets. Run \`npx changeset version\` first.`,
    );
  }
  if (tag !== undefined && repository === undefined) {
    throw new Error(
      'package.json has no `repository`. Without it, npm refuses the provenance and breaks the links of the README. Run `npm pkg set` as release.yml does.',
    );
  }
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((text) => text.split('\n')[0] === `## ${version}`);
  const notes = section?.split('\n').slice(1).join('\n').trim() ?? '';
  if (notes === '') {
    throw new Error(`CHANGELOG.md has no notes for ${version}. Write them below "## ${version}".`);
  }
  return `${notes}\n`;
}

/** The part of a bill of materials in CycloneDX that {@link billOf} changes. */
interface Bill {
  readonly metadata: { readonly component: { readonly name: string } };
}

/** Returns the bill of npm with the packages in the bundle, and the name of the package. */
export function billOf(bill: string, name: string, bundled: readonly Bundled[]): string {
  const parsed = JSON.parse(bill) as Bill;
  const { metadata } = parsed;
  // npm takes the name of the folder.
  const component = { ...metadata.component, name };
  const components = bundled.map((one) => ({
    'bom-ref': `${one.name}@${one.version}`,
    type: 'library',
    name: one.name,
    version: one.version,
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    licenses: [{ expression: one.license }],
  }));
  const full = { ...parsed, metadata: { ...metadata, component }, components };
  return `${JSON.stringify(full, null, 2)}\n`;
}

const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');

function candidate(): Candidate & { readonly name: string } {
  const { name, version, repository } = JSON.parse(read('package.json')) as {
    readonly name: string;
    readonly version: string;
    readonly repository?: unknown;
  };
  const names = readdirSync(path.join(ROOT, '.changeset'));
  const changesets = names.filter((name) => name.endsWith('.md') && name !== 'README.md');
  const flag = process.argv.indexOf('--tag');
  const tag = flag === -1 ? undefined : (process.argv[flag + 1] ?? '');
  return { name, version, changelog: read('CHANGELOG.md'), changesets, tag, repository };
}

/** Runs npm, and returns its standard output. */
function npm(...args: string[]): string {
  const { status, stdout } = spawnSync('npm', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed.`);
  return stdout;
}

function prepare(): void {
  const facts = candidate();
  const notes = notesOf(facts);
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  writeFileSync(path.join(OUT, 'notes.md'), notes);
  // It builds the package, with the licences. The dry run lists the files, so this does not.
  npm('pack', '--loglevel=error', '--pack-destination', OUT);
  const bill = npm('sbom', '--sbom-format=cyclonedx', '--omit=dev');
  const bundled = packagesIn(read(`dist/page/${LICENCES}`));
  writeFileSync(path.join(OUT, 'sbom.json'), billOf(bill, facts.name, bundled));
  if (facts.tag === undefined) npm('publish', '--dry-run', '--ignore-scripts', '--access=public');
  process.stdout.write(`release/ has ${readdirSync(OUT).join(', ')}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    prepare();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
