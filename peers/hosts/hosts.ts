/**
 * The hosts. To add one, write the smallest app in a folder of its own (`npm start` serves it on
 * `PORT` and prints its URL), and add an entry here.
 */
import type { Ended } from './callers.js';

/** The ends of calls that hosts word differently. */
export interface Ends {
  /** The state of another user's call. */
  readonly refused: Ended;
  /** A client that cannot show forms. */
  readonly noForms: Ended;
  /** A 2025-11-25 client of a host without sessions. */
  readonly noSession: Ended;
}

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
  /** True if the host speaks only 2025-11-25, so that newer clients speak it, too. */
  readonly onlyLegacy?: boolean;
  /** True if any user who knows the id of a session can answer in it, and no app can prevent it. */
  readonly sharesSessions?: boolean;
  /** The ends that differ from those of `install`. */
  readonly ends?: Partial<Ends>;
}

const NO_FORMS =
  "Client did not declare the form elicitation capability required by resolver 'approved'";
const NO_FORMS_OF_SDK = "Cannot request input 'approved' (elicitation/create): the";

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
    name: 'a process per request, payload format 1.0',
    app: 'lambda',
    path: '/v1',
    packages: ['@modelcontextprotocol/server'],
    shows: 'the same handler with capitalised headers and a body in base64',
    asksNoLegacyClient: 'no process keeps their session',
  },
  {
    name: 'a process per request, through serverless-express',
    app: 'lambda',
    path: '/express',
    packages: ['@codegenie/serverless-express', 'express'],
    shows: 'the SDK’s `createMcpHandler` behind `express.json()`, and `req.auth`',
    asksNoLegacyClient: 'no process keeps their session',
  },
  {
    name: 'h3',
    app: 'adapters',
    path: '/h3',
    packages: ['h3'],
    shows: '`createDualEraHandler().fetch(event.req)` with `authenticate`',
  },
  {
    name: 'Nitro',
    app: 'nitro',
    path: '/mcp',
    packages: ['nitro'],
    shows: '`createDualEraHandler().fetch(event.req)` in a route, bundled by Nitro',
  },
  {
    name: 'TanStack Start',
    app: 'tanstack-start',
    path: '/mcp',
    packages: ['@tanstack/react-start', 'srvx'],
    shows: '`createDualEraHandler().fetch` in a server route, bundled by vite',
  },
  {
    name: 'SvelteKit',
    app: 'sveltekit',
    path: '/mcp',
    packages: ['@sveltejs/kit', '@sveltejs/adapter-node'],
    shows: '`createDualEraHandler().fetch` in `+server.js`, bundled by vite',
  },
  {
    name: 'Deno',
    app: 'deno',
    path: '/mcp',
    packages: ['deno'],
    shows: '`createDualEraHandler().fetch` in `Deno.serve`',
  },
  {
    name: 'Bun',
    app: 'bun',
    path: '/mcp',
    packages: ['bun'],
    shows: '`createDualEraHandler().fetch` in `Bun.serve`',
  },
  {
    name: 'Koa',
    app: 'adapters',
    path: '/koa',
    packages: ['koa'],
    shows: '`createDualEraHandler().node` with `authenticate`',
  },
  {
    name: 'express 4',
    app: 'adapters',
    path: '/express4',
    packages: ['express'],
    shows: '`createDualEraHandler().node` with `authenticate`, behind `express.json()`',
  },
  {
    name: 'Azure Functions',
    app: 'adapters',
    path: '/azure',
    packages: ['@azure/functions'],
    shows: '`createDualEraHandler().fetch` with its `HttpRequest`, in this process',
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
    name: 'xmcp',
    app: 'xmcp',
    path: '/mcp',
    packages: ['xmcp'],
    shows: '`toolHandler` with the parts of its context; protocol errors become tool errors',
    asksNoLegacyClient: 'it keeps no sessions',
    ends: {
      refused: { failure: 'Invalid or expired requestState' },
      noForms: {
        error: [
          -32021,
          `${NO_FORMS_OF_SDK} request's client capabilities do not declare the required capability`,
        ],
      },
      noSession: {
        failure: `${NO_FORMS_OF_SDK} client on this 2025-era connection did not declare the required capability (no client capabilities are available on this connection — per-request legacy serving cannot receive server-to-client requests)`,
      },
    },
  },
  {
    name: 'mcp-use',
    app: 'mcp-use',
    path: '/mcp',
    packages: ['mcp-use'],
    shows: '`toolHandler` with the parts of its context; protocol errors become tool errors',
    asksNoLegacyClient: 'it keeps no sessions',
    ends: {
      refused: { failure: 'Invalid or expired requestState' },
      noForms: { failure: NO_FORMS },
      noSession: { failure: NO_FORMS },
    },
  },
  {
    name: 'Mastra',
    app: 'mastra',
    path: '/mcp',
    packages: ['@mastra/mcp'],
    shows: '`createDualEraHandler().node` beside an `MCPServer` of Mastra, which cannot ask for us',
  },
  {
    name: 'SDK 1.x',
    app: 'sdk-v1',
    path: '/mcp',
    packages: ['@modelcontextprotocol/sdk'],
    shows: '`install` of `mcp-resolve/v1` on an `McpServer`, in sessions of express',
    onlyLegacy: true,
  },
  {
    name: '@hono/mcp',
    app: 'hono-mcp',
    path: '/mcp',
    packages: ['@hono/mcp', '@modelcontextprotocol/sdk'],
    shows: '`install` of `mcp-resolve/v1`, in sessions of hono',
    onlyLegacy: true,
  },
  {
    name: 'FastMCP',
    app: 'fastmcp',
    path: '/mcp',
    packages: ['fastmcp'],
    shows: '`toolHandler` with the parts of its context; forms and links only',
    onlyLegacy: true,
    sharesSessions: true,
    ends: { noForms: { failure: 'Error executing tool pay_invoice' } },
  },
  {
    name: 'a bundle of esbuild',
    app: 'esbuild',
    path: '/mcp',
    packages: ['esbuild'],
    shows: '`createDualEraHandler().fetch` in one file, without `@modelcontextprotocol/node`',
  },
];
