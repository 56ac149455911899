/**
 * Tests which code a bundler keeps. The bundle of a server contains nothing of the test kit, the
 * pictures, the traces or the command.
 *
 * Needs a build in `dist/`. `npm test -- package` creates it first.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = path.join(ROOT, 'dist');

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, { import?: { default: string } }>;
};
/** The entry points as pairs of import name and file. */
const entries = Object.entries(manifest.exports).flatMap(([subpath, conditions]) =>
  conditions.import === undefined
    ? []
    : [[`mcp-resolve${subpath.slice(1)}`, path.join(ROOT, conditions.import.default)] as const],
);

/** Bundles a program that imports the package from its build, and returns the code. */
async function bundle(program: string): Promise<string> {
  const build = await rolldown({
    input: 'program',
    external: [/^node:/, /^@modelcontextprotocol\//, /^@opentelemetry\//],
    tsconfig: false,
    resolve: { alias: Object.fromEntries(entries.map(([name, file]) => [`${name}$`, file])) },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? id : undefined),
        load: (id) => (id === 'program' ? program : undefined),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return output.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n');
}

/** Returns the names that code declares at the top level. */
function namesIn(code: string): string[] {
  const declarations = /^(?:export )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)/gm;
  return [...code.matchAll(declarations)].map(([, name]) => name!);
}

/** Returns the names that the build declares in the source files that match. */
function namesOf(inside: (source: string) => boolean): Set<string> {
  const builds = readdirSync(DIST).filter((file) => file.endsWith('.mjs'));
  const regions = builds.flatMap((file) =>
    readFileSync(path.join(DIST, file), 'utf8').split('//#region ').slice(1),
  );
  return new Set(regions.filter(inside).flatMap(namesIn));
}

const FOR_DEVELOPERS = /^src\/(dev\/|(cli|testing|graph|otel|eslint)\.ts)/;
const elsewhere = namesOf((source) => !FOR_DEVELOPERS.test(source));
const forDevelopers = [...namesOf((source) => FOR_DEVELOPERS.test(source))].filter(
  (name) => !elsewhere.has(name),
);

/** Returns the names of developer code in a bundle. */
async function developerCodeIn(program: string): Promise<string[]> {
  const kept = new Set(namesIn(await bundle(program)));
  return forDevelopers.filter((name) => kept.has(name));
}

describe('a bundle', () => {
  it.each(entries.map(([name]) => name))(
    'contains nothing of %s if nothing is used',
    async (name) => {
      expect(await bundle(`import '${name}';`)).toBe('');
      expect(await bundle(`import * as all from '${name}';`)).toBe('');
    },
  );

  it('of defineTool contains no developer code', async () => {
    const program = `import { defineTool } from 'mcp-resolve'; console.log(defineTool);`;
    expect(namesIn(await bundle(program))).toContain('defineTool');
    expect(await developerCodeIn(program)).toEqual([]);
  });

  it.each(['mcp-resolve', 'mcp-resolve/node', 'mcp-resolve/engine', 'mcp-resolve/store'])(
    'of all of %s contains no developer code',
    async (name) => {
      expect(await developerCodeIn(`export * from '${name}';`)).toEqual([]);
    },
  );

  // Proves that the tests above can fail: they see developer code that is imported.
  it.each([
    ['mcp-resolve/testing', 'bothEras'],
    ['mcp-resolve/graph', 'explain'],
    ['mcp-resolve/otel', 'otelEvents'],
    ['mcp-resolve/eslint', 'recommended'],
  ])('of %s contains %s', async (name, used) => {
    expect(
      // Used twice, because the bundler inlines an object that is used once.
      await developerCodeIn(`import { ${used} } from '${name}'; console.log(${used}, ${used});`),
    ).toContain(used);
  });
});

// esbuild and wrangler refuse every other form of an import that they cannot resolve.
it.each(['node.mjs', 'node.cjs'])(
  '%s awaits the import of its optional package inside of `try`',
  (file) => {
    const code = readFileSync(path.join(DIST, file), 'utf8');
    expect(code.match(/import\("@modelcontextprotocol\/node"\)/g)).toHaveLength(1);
    expect(code).toMatch(/try \{[^{}]*await import\("@modelcontextprotocol\/node"\)/);
  },
);
