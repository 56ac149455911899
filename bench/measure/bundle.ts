/** Measures the bundled size of an entry point, and lists what it loads. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly import?: { readonly default: string } }>>;
};

/** The file in the build of every entry point, by its import name. */
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

/** Peer dependencies, which users install. */
const PEERS = [/^node:/, /^@modelcontextprotocol\//, /^@opentelemetry\//];

/** Bundles all exports of a package or file, minified, with or without its peer dependencies. */
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
  // One file, so that dynamic imports count as well.
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  const code = output.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n');
  return { min: Buffer.byteLength(code), gzip: gzipSync(code, { level: 9 }).length };
}

/** The files of the build that loading one of them loads, and the packages that they import. */
export interface Loaded {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** Follows the imports of a file of the ESM or CJS build, including dynamic ones. */
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
