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
}

/**
 * Returns the notes of a release: the section of the changelog.
 *
 * @throws {Error} If the version must not be released.
 */
export function notesOf({ version, changelog, changesets, tag }: Candidate): string {
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`The tag is ${tag}, but package.json has version ${version}. Tag v${version}.`);
  }
  if (tag !== undefined && changesets.length > 0) {
    const count = changesets.length;
    throw new Error(
      `The changelog lacks ${count} changesets. Run \`npx changeset version\` first.`,
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

function candidate(): Candidate {
  const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const names = readdirSync(path.join(ROOT, '.changeset'));
  const changesets = names.filter((name) => name.endsWith('.md') && name !== 'README.md');
  const flag = process.argv.indexOf('--tag');
  const tag = flag === -1 ? undefined : (process.argv[flag + 1] ?? '');
  return { version, changelog: read('CHANGELOG.md'), changesets, tag };
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
  writeFileSync(path.join(OUT, 'sbom.json'), npm('sbom', '--sbom-format=cyclonedx', '--omit=dev'));
  npm('pack', '--pack-destination', OUT);
  if (facts.tag === undefined) npm('publish', '--dry-run', '--ignore-scripts', '--access=public');
  process.stdout.write(`release/ has ${readdirSync(OUT).join(', ')}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) prepare();
