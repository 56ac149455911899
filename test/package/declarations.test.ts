/**
 * Tests the declarations that the compiler emits for a library of resolvers, and a project that
 * uses them. Declarations stay short, whatever the resolvers depend on, and keep their types.
 *
 * Needs a build in `dist/`. `npm test -- package` creates it first.
 */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPILER_TIMEOUT, ROOT, tsc } from '../support/compilers.js';

const LENGTH = 30;
const LAST = LENGTH - 1;

/** A chain of resolvers. Each needs the previous one and returns an object with its own property. */
const CHAIN = Array.from({ length: LAST }, (_, index) => {
  const [before, name] = [`r${index}`, `r${index + 1}`];
  return `export const ${name} = resolver({ ${before}, id: args.order_id }, ({ ${before}, id }) => ({ id, ${name}: typeof ${before} }));`;
});

const LIBRARY = `
import { type Arg, arg, argsOf, confirm, defineTool, elicit, memoryStore, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

export const Input = z.object({ order_id: z.string(), region: z.string() });
export const args = argsOf(Input);
export const r0 = resolver({ region: args.region }, ({ region }) => ({ region }));
${CHAIN.join('\n')}
export const scope = resolver({ r${LAST} }, ({ r${LAST}: last }) =>
  last.id === '' ? { full: true } : elicit('All of it?', z.object({ full: z.boolean() })),
  { asks: 'form' },
);
export const sure = resolver({ scope: outcome(scope) }, async ({ scope }) => confirm(scope.action), { asks: 'form' });
export const priceOf = <N extends string>(id: Arg<string, N>) => resolver({ id }, ({ id }) => id.length);
export const near = resolver({ region: arg.optional(args.region) }, ({ region }) => region ?? 'eu');
export const wanted = outcome(sure);
export const records = memoryStore();
export const refund = defineTool(
  'refund',
  { inputSchema: Input, guards: [sure], resolve: { scope, wanted } },
  ({ order_id }) => order_id,
);
`;

const CONSUMER = `
import { defineTool, type Outcome, type Resolver, resolver, type Req } from 'mcp-resolve';
import * as z from 'zod';
import { args, Input, near, priceOf, r${LAST}, refund, scope, sure, wanted } from '../library/out/index.js';

export const known: Resolver<number, Req<'order_id', string>> = priceOf(args.order_id);
export const more = resolver({ scope, last: r${LAST} }, ({ scope, last }) => {
  const full: boolean = scope.full;
  const id: string = last.id;
  return { full, id };
});
export const tool = defineTool(
  'more',
  { inputSchema: Input, guards: [sure], resolve: { more, wanted } },
  ({ region, more, wanted }) => {
    const outcome: Outcome<true> = wanted;
    return region + more.id + outcome.action;
  },
);
export const result = refund.call({ order_id: 'A-1', region: 'eu' });

export const lacks = defineTool('lacks', { resolve: { near } }, ({ near }) => near);

// @ts-expect-error the argument 'region', which the first resolver of the chain needs, is missing
defineTool('less', { inputSchema: z.object({ order_id: z.string() }), resolve: { more } }, () => '');
`;

/** Servers of one build of the SDK, and the library as the other build declares it. */
const SERVERS = `
import type * as esm from '@modelcontextprotocol/server';
import type * as cjs from '@modelcontextprotocol/server' with { 'resolution-mode': 'require' };
import type * as library from 'mcp-resolve';
import type * as cjsLibrary from 'mcp-resolve' with { 'resolution-mode': 'require' };
import type * as node from 'mcp-resolve/node';
import type * as cjsNode from 'mcp-resolve/node' with { 'resolution-mode': 'require' };

export function esmTakes(server: cjs.McpServer | cjs.Server, tool: library.Tool, own: typeof library & typeof node) {
  own.install(server, [tool]);
  own.requestStateSeal.ephemeral().protect(server);
  own.createDualEraHandler(() => server);
  own.serveStdio(async (request: cjs.McpRequestContext) => (request.era === 'modern' ? server : server));
  return own.serveHttp(() => server);
}

export function cjsTakes(server: esm.McpServer | esm.Server, tool: cjsLibrary.Tool, own: typeof cjsLibrary & typeof cjsNode) {
  own.install(server, [tool]);
  own.requestStateSeal.ephemeral().protect(server);
  own.createDualEraHandler(() => server);
  own.serveStdio(async (request: esm.McpRequestContext) => (request.era === 'modern' ? server : server));
  return own.serveHttp(() => server);
}
`;

/** Checking libraries takes seconds, so the slow compilers run with one module resolution each. */
const RUNS = [
  ['typescript-5.9', 'node16'],
  ['typescript', 'bundler'],
  ['typescript-7', 'node16'],
  ['typescript-7', 'bundler'],
] as const;

const PEERS = ['@modelcontextprotocol/server', 'zod'];

interface Emitted {
  /** The output of the compiler for the library. */
  readonly library: string;
  /** The output of the compiler for the project that uses the library. */
  readonly consumer: string;
  /** The output of the compiler for the project with servers of both builds of the SDK. */
  readonly servers: string;
  readonly declarations: string;
}

let project: string;
let emitted: Emitted[];

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-declarations-'));
  await install();
  emitted = await Promise.all(RUNS.map(emit));
}, COMPILER_TIMEOUT);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

/** Copies the build and links its peers, as an installation would. */
async function install(): Promise<void> {
  const installed = path.join(project, 'node_modules', 'mcp-resolve');
  await cp(path.join(ROOT, 'dist'), path.join(installed, 'dist'), { recursive: true });
  await cp(path.join(ROOT, 'package.json'), path.join(installed, 'package.json'));
  for (const peer of PEERS) {
    const link = path.join(project, 'node_modules', peer);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', peer), link, 'junction');
  }
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
}

/** Compiles the library, and then the consumer with the emitted declarations. */
async function emit(run: (typeof RUNS)[number]): Promise<Emitted> {
  const directory = path.join(project, run.join('-'));
  const library = await compileProject(run, path.join(directory, 'library'), {
    text: LIBRARY,
    options: {
      declaration: true,
      emitDeclarationOnly: true,
      skipLibCheck: true,
      rootDir: '.',
      outDir: 'out',
    },
  });
  const consumer = await compileProject(run, path.join(directory, 'consumer'), {
    text: CONSUMER,
    options: { noEmit: true },
  });
  const servers = await compileProject(run, path.join(directory, 'servers'), {
    text: SERVERS,
    options: { noEmit: true, skipLibCheck: true },
  });
  const declarations = await readFile(path.join(directory, 'library/out/index.d.ts'), 'utf8');
  return { library, consumer, servers, declarations };
}

/** Writes a project of one file, compiles it, and returns the output of the compiler. */
async function compileProject(
  [compiler, moduleResolution]: (typeof RUNS)[number],
  directory: string,
  { text, options }: { text: string; options: object },
): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023'],
    module: moduleResolution === 'bundler' ? 'esnext' : 'node16',
    moduleResolution,
    strict: true,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
    ...options,
  };
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'index.ts'), text);
  await writeFile(
    path.join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['index.ts'] }),
  );
  return tsc(compiler, ['-p', directory]);
}

describe.each(RUNS.map(([compiler, resolution], run) => [compiler, resolution, run] as const))(
  '%s, %s',
  (_compiler, _resolution, run) => {
    it('accepts the library', () => {
      expect(emitted[run]!.library).toBe('');
    });

    it('declares a resolver with its value and its requirements', () => {
      expect(declarationOf('sure')).toBe(
        'export declare const sure: Resolver<true, Req<"order_id", string> | Req<"region", string>>;',
      );
      expect(declarationOf('wanted')).toBe(
        'export declare const wanted: OutcomeOf<true, Req<"order_id", string> | Req<"region", string>>;',
      );
      expect(declarationOf('near')).toBe(
        'export declare const near: Resolver<string, OptionalReq<"region", string | undefined>>;',
      );
      expect(declarationOf('refund')).toBe(
        'export declare const refund: Tool<{ order_id: string; region: string; }>;',
      );
      expect(declarationOf('records')).toBe('export declare const records: RecordStore;');
    });

    it('declares a factory with a parameter for the name of the argument', () => {
      expect(declarationOf('priceOf')).toBe(
        'export declare const priceOf: <N extends string>(id: Arg<string, N>) => Resolver<number, Req<N, string>>;',
      );
    });

    it('does not repeat the dependencies of a resolver', () => {
      const last = declarationOf(`r${LAST}`);
      expect(last).toMatch(/^export declare const r29: Resolver<\{ id: string; r29: .*; \}, Req</);
      expect(last).not.toMatch(/r28|ReqsOf|ValueOf/);
      expect(last.length).toBeLessThanOrEqual(declarationOf('r2').length + 4);
    });

    it('accepts a project that uses the declarations', () => {
      expect(emitted[run]!.consumer).toBe('');
    });

    it('accepts servers of both builds of the SDK', () => {
      expect(emitted[run]!.servers).toBe('');
    });

    /**
     * Returns the declaration of a name on one line, without the modules of its types and with
     * sorted unions.
     */
    function declarationOf(name: string): string {
      const { declarations } = emitted[run]!;
      const start = declarations.indexOf(`export declare const ${name}:`);
      const end = declarations.indexOf('\nexport declare', start + 1);
      const text = declarations.slice(start, end < 0 ? undefined : end);
      return text
        .replace(/import\("[^"]+"\)\./g, '')
        .replace(/Req<[^|;]+(?: \| Req<[^|;]+)*(?=>[;,])/g, (union) =>
          union.split(' | ').sort().join(' | '),
        )
        .replace(/\s+/g, ' ')
        .trim();
    }
  },
);
