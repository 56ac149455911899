/** Tests which versions may be released, and the workflows that release and test them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { packagesIn } from '../../scripts/licences.js';
import { billOf, notesOf } from '../../scripts/release.js';

const changelog =
  '# Changelog\n\n## 0.2.0\n\nNew.\n\n### Moving\n\nRename it.\n\n## 0.1.0\n\nOld.\n';
const repository = { type: 'git', url: 'git+https://git.example/mcp-resolve.git' };
const fits = { version: '0.2.0', changelog, changesets: [], tag: 'v0.2.0', repository };

describe('a release', () => {
  it('has the section of its version as notes', () => {
    expect(notesOf(fits)).toBe('New.\n\n### Moving\n\nRename it.\n');
    expect(notesOf({ ...fits, version: '0.1.0', tag: 'v0.1.0' })).toBe('Old.\n');
  });

  it('is refused if the tag is not the version', () => {
    expect(() => notesOf({ ...fits, tag: 'v0.3.0' })).toThrow(
      'The tag is v0.3.0, but package.json has version 0.2.0. Tag v0.2.0.',
    );
    expect(() => notesOf({ ...fits, tag: '' })).toThrow('but package.json has version 0.2.0');
  });

  it('is refused while changesets are not in the changelog, but not as a dry run', () => {
    expect(() => notesOf({ ...fits, changesets: ['a.md'] })).toThrow('Run `npx changeset version`');
    expect(notesOf({ ...fits, changesets: ['a.md'], tag: undefined })).toMatch(/^New/);
  });

  it('is refused without a repository, but not as a dry run', () => {
    expect(() => notesOf({ ...fits, repository: undefined })).toThrow('has no `repository`');
    expect(notesOf({ ...fits, repository: undefined, tag: undefined })).toMatch(/^New/);
  });

  it('has a bill of materials with its name and the packages in its bundle', () => {
    const npms = JSON.stringify({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'checkout', version: '0.2.0' } },
      components: [],
    });
    const licences = '=== @some/signals 2.1.0 (MIT)\n\nMIT\n\n=== tree 1.0.0 (MIT OR ISC)\n\nISC\n';

    expect(JSON.parse(billOf(npms, 'mcp-resolve', packagesIn(licences)))).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'mcp-resolve', version: '0.2.0' } },
      components: [
        { name: '@some/signals', version: '2.1.0', purl: 'pkg:npm/%40some/signals@2.1.0' },
        { name: 'tree', licenses: [{ expression: 'MIT OR ISC' }] },
      ],
    });
  });

  it.each([`# Changelog\n`, `## 0.2.0\n\n## 0.1.0\n\nOld.\n`, `## 0.2.01\n\nOther.\n`])(
    'is refused without notes',
    (text) => {
      expect(() => notesOf({ ...fits, changelog: text })).toThrow('CHANGELOG.md has no notes');
    },
  );
});

const FOLDER = fileURLToPath(new URL('../../.github/workflows', import.meta.url));
const workflows = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(path.join(FOLDER, name), 'utf8'),
}));

describe.each(workflows)('the workflow $name', ({ name, text }) => {
  it('pins every action by its hash, with the version as a comment', () => {
    const uses = Array.from(text.matchAll(/uses: (.*)/g), ([, action = '']) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('has no permission by default but to read the repository', () => {
    expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)\n\n/m);
  });

  it('has at most one right to write in a job, and only to release', () => {
    const jobs = text.split(/^ {2}(?=[\w-]+:\n)/m).slice(1);
    const rights = jobs.flatMap((job) => (job.match(/: write$/gm) ?? []).length);
    expect(Math.max(...rights)).toBeLessThanOrEqual(name === 'release.yml' ? 1 : 0);
  });

  it('uses no secret', () => {
    expect(text).not.toContain('secrets.');
  });
});
