/**
 * Keeps the licences of the packages that the page of `dev` contains. The build writes them beside
 * the page, and the bill of materials of a release lists the packages.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'rolldown';

/** A package that a bundle contains. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The file with the licences, relative to its bundle. */
export const LICENCES = 'LICENSES.txt';

/** Creates a plugin that writes the licences of all packages in a bundle. */
export function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, files) {
      const modules = Object.values(files).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : [],
      );
      const folders = new Set(modules.map(folderOf).filter((folder) => folder !== undefined));
      const source = [...folders].toSorted().map(licenceIn).join('\n');
      this.emitFile({ type: 'asset', fileName: LICENCES, source });
    },
  };
}

/** Returns the packages in a file of licences. */
export function packagesIn(licences: string): Bundled[] {
  const heads = licences.matchAll(/^=== (\S+) (\S+) \((.+)\)$/gm);
  return Array.from(heads, ([, name = '', version = '', license = '']) => ({
    name,
    version,
    license,
  }));
}

/** Returns the folder of the package of a module, or `undefined` for a module of our own. */
function folderOf(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll('\\', '/'))?.[0];
}

function licenceIn(folder: string): string {
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const { name, version, license } = JSON.parse(read('package.json')) as Bundled;
  return `=== ${name} ${version} (${license})\n\n${read('LICENSE').trim()}\n`;
}
