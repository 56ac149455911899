/**
 * Watches the author's module and the files that it imports by relative paths. Watches folders,
 * because many editors replace a file when they save it.
 */
import { existsSync, readFileSync, statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import path from 'node:path';

const CODE = /\.(?:[cm]?[jt]sx?|json)$/;
const ENDS = ['', '.ts', '.tsx', '.mts', '.js', '.mjs', '/index.ts', '/index.js'];

/** Several events belong to one save. */
const QUIET_MS = 80;

/** Watches a module. */
export class ModuleWatch {
  private readonly watchers = new Map<string, FSWatcher>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly file: string,
    private readonly onChange: () => void,
  ) {
    this.look();
  }

  /** Ends the watch. */
  close(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  /** Watches the folders of all files that the module imports now. */
  private look(): void {
    const folders = new Set([...filesOf(this.file)].map((file) => path.dirname(file)));
    for (const folder of folders) {
      if (this.watchers.has(folder)) continue;
      const watcher = watch(folder, (_, name) => {
        if (name === null || CODE.test(name)) this.note();
      });
      // The folder was removed. The others are still watched.
      watcher.on('error', () => watcher.close());
      this.watchers.set(folder, watcher);
    }
  }

  private note(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.look();
      this.onChange();
    }, QUIET_MS);
  }
}

/** Returns a module and all files that it imports by relative paths. */
export function filesOf(file: string): ReadonlySet<string> {
  const files = new Set([file]);
  for (const one of files) {
    for (const specifier of specifiersIn(one)) {
      const found = findFile(path.resolve(path.dirname(one), specifier));
      if (found !== undefined) files.add(found);
    }
  }
  return files;
}

function specifiersIn(file: string): string[] {
  try {
    const found = readFileSync(file, 'utf8').matchAll(
      /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g,
    );
    return [...found].map(([, specifier = '']) => specifier);
  } catch {
    return [];
  }
}

/** Finds the file of an import. TypeScript writes `./x.js` for `x.ts`. */
function findFile(target: string): string | undefined {
  const stem = target.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [stem, ...ENDS.map((end) => target + end)].find(
    (file) => existsSync(file) && statSync(file).isFile(),
  );
}
