/** What an entry point weighs when a bundler has done its work, and what it loads. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly import?: { readonly default: string } }>>;
};

/** Every entry point by the name under which it is imported, with its file in the build. */
export const ENTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries(manifest.exports).flatMap(([subpath, { import: module }]) =>
    module === undefined
      ? []
      : [[`mcp-resolve${subpath.slice(1)}`, path.join(ROOT, module.default)] as const],
  ),
);

export interface Weight {
  readonly min: number;
  readonly gzip: number;
}

/** Peers come from the one who installs the package. */
const PEERS = [/^node:/, /^@modelcontextprotocol\//, /^@opentelemetry\//];

/** Weighs all of a package or file, minified, with or without its peers. */
export async function weigh(name: string, { peers }: { readonly peers: boolean }): Promise<Weight> {
  const build = await rolldown({
    input: 'program',
    platform: 'node',
    external: peers ? [/^node:/] : PEERS,
    tsconfig: false,
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? path.join(ROOT, 'program.js') : undefined),
        load: (id) =>
          id.endsWith('program.js') ? `export * from ${JSON.stringify(name)};` : undefined,
      },
    ],
  });
  // Into one file: what is loaded later is carried along, too.
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  const code = output.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n');
  return { min: Buffer.byteLength(code), gzip: gzipSync(code, { level: 9 }).length };
}

/** What loading a file of the build loads: its files, and the packages that they import. */
export interface Loaded {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** Follows the imports of a file of either build, those that wait for a call included. */
export async function loadedBy(file: string): Promise<Loaded> {
  const files = new Set<string>();
  const packages = new Set<string>();
  const build = await rolldown({
    input: file,
    tsconfig: false,
    treeshake: false,
    plugins: [
      {
        name: 'notes',
        resolveId: (id, importer) => {
          if (importer === undefined || id.startsWith('.')) return undefined;
          packages.add(id);
          return { id, external: true };
        },
        moduleParsed: ({ id }) => void files.add(id),
      },
    ],
  });
  await build.generate();
  await build.close();
  return { files, packages };
}
