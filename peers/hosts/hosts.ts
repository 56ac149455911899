/**
 * The hosts. To add one, write the smallest app in a folder of its own (`npm start` serves it on
 * `PORT` and prints its URL), and add an entry here.
 */

export interface Host {
  /** The name of the row in docs/compatibility.md. */
  readonly name: string;
  /** The folder of the app. Hosts that share one, on paths of their own, stand together. */
  readonly app: string;
  /** The path of the endpoint. */
  readonly path: string;
  /** The packages whose versions the row shows. */
  readonly packages: readonly [string, ...string[]];
  /** What the app shows: for the row. */
  readonly shows: string;
  /** The reason why 2025-11-25 clients are not asked there: for the row. Undefined if they are. */
  readonly asksNoLegacyClient?: string;
}

export const hosts: readonly Host[] = [
  {
    name: 'express',
    app: 'express',
    path: '/mcp',
    packages: ['express'],
    shows: '`createDualEraHandler().node` with `authenticate`',
  },
  {
    name: 'fastify',
    app: 'fastify',
    path: '/mcp',
    packages: ['fastify'],
    shows: '`createDualEraHandler().node` behind authentication of the framework',
  },
  {
    name: 'hono',
    app: 'hono',
    path: '/mcp',
    packages: ['hono'],
    shows:
      '`createDualEraHandler().fetch` with `authenticate`, without `@modelcontextprotocol/node`',
  },
  {
    name: 'a process per request, as AWS Lambda',
    app: 'lambda',
    path: '/mcp',
    packages: ['@modelcontextprotocol/server'],
    shows: 'the SDK’s `createMcpHandler().fetch`, with keys from `MCP_RESOLVE_KEYS`',
    asksNoLegacyClient: 'no process keeps their session',
  },
  {
    name: 'Next.js with mcp-handler',
    app: 'next',
    path: '/mcp',
    packages: ['next', 'mcp-handler'],
    shows: '`install` in the callback; builds with Turbopack and webpack, without keys',
    asksNoLegacyClient: 'mcp-handler keeps no sessions',
  },
  {
    name: 'Next.js with mcp-handler, edge runtime',
    app: 'next',
    path: '/edge',
    packages: ['next', 'mcp-handler'],
    shows: 'the same route with `runtime = "edge"`',
    asksNoLegacyClient: 'mcp-handler keeps no sessions',
  },
  {
    name: 'Next.js',
    app: 'next',
    path: '/sessions',
    packages: ['next'],
    shows: '`createDualEraHandler().fetch` in a route, without `@modelcontextprotocol/node`',
  },
  {
    name: 'Cloudflare agents',
    app: 'cloudflare',
    path: '/mcp',
    packages: ['agents', 'wrangler'],
    shows: '`createMcpHandler` behind `OAuthProvider`, whose user the seal reads in `principal`',
    asksNoLegacyClient: 'its handler keeps no sessions',
  },
  {
    name: 'Cloudflare Durable Object',
    app: 'cloudflare',
    path: '/sessions',
    packages: ['wrangler'],
    shows: '`createDualEraHandler().fetch` in an object per user, bundled by wrangler',
  },
  {
    name: 'NestJS with @rekog/mcp-nest',
    app: 'nest',
    path: '/mcp',
    packages: ['@nestjs/core', '@rekog/mcp-nest'],
    shows: '`install` in `serverMutator`, beside a tool of Nest; a middleware sets `req.auth`',
  },
  {
    name: 'skybridge',
    app: 'skybridge',
    path: '/mcp',
    packages: ['skybridge'],
    shows: '`install` beside a tool of skybridge, which overrides `registerTool`',
    asksNoLegacyClient: 'it keeps no sessions',
  },
  {
    name: 'a bundle of esbuild',
    app: 'esbuild',
    path: '/mcp',
    packages: ['esbuild'],
    shows: '`createDualEraHandler().fetch` in one file, without `@modelcontextprotocol/node`',
  },
];
